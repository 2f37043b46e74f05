import type { BaseContext } from "@kit/core";

/**
 * Property of the caller to whom a key belongs: a path in `ctx.auth`, `none` for one set of keys for all callers, or a
 * function of `ctx`.
 */
export type CallerKey = `auth.${string}` | "none" | ((ctx: BaseContext) => string);

/**
 * Returns the function that reads the caller of a request.
 *
 * @throws {TypeError} If the option is invalid.
 */
export function callerReader(by: CallerKey): (ctx: BaseContext) => string {
  if (by === "none") return () => "";
  if (typeof by === "function") return (ctx) => textOf(by(ctx), "the function of `by`");
  if (typeof by !== "string" || !/^auth(?:\.\w+)+$/.test(by)) {
    throw new TypeError(
      `idempotent: \`by\` must be a path such as auth.subject, "none", or a function, not ${JSON.stringify(by)}`,
    );
  }
  const path = by.split(".");
  return (ctx) => {
    let value: unknown = ctx;
    for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
    return textOf(value, `ctx.${by}`);
  };
}

/** Returns the text of a caller. Without a caller, one client could read the stored answer of another. */
function textOf(value: unknown, source: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(
    `idempotent: ${source} has no text, so kit cannot know to which caller the key belongs; give authentication a lower \`priority\` than idempotent, or set \`by\``,
  );
}
