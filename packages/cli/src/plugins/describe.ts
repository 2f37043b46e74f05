import type { Plugin } from "./plugin.ts";

/** Description of a mistake. The message continues a sentence whose subject is the path of the value. */
interface Wrong {
  readonly wrong: { readonly message: string; readonly help: string };
}

/**
 * Returns plugins as data for the command. Their functions stay in this process. A value that is not a plugin becomes a description of the
 * mistake, which the command reports with the path.
 *
 * @returns An entry for each plugin; `null` for a value that a condition left out.
 */
export function describePlugins(plugins: readonly unknown[]): unknown[] {
  return plugins.map(describe);
}

function describe(plugin: unknown): unknown {
  if (plugin === undefined || plugin === null || plugin === false) return null;
  if (typeof plugin === "function")
    return wrong("is a function, not a plugin", "call it, as in `plugins: [myPlugin()]`");
  if (plugin instanceof Promise)
    return wrong("is a promise, not a plugin", "wait for it, as in `plugins: [await myPlugin()]`");
  const help = 'write `{ name: "my-plugin", hooks: { emit({ addFile }) { … } } }`';
  if (typeof plugin !== "object") return wrong(`is a ${typeof plugin}, not a plugin`, help);
  const { hooks, ...rest } = plugin as Partial<Plugin>;
  if (typeof hooks !== "object" || hooks === null) return wrong("has no `hooks`", help);
  const taps = Object.entries(hooks).flatMap(([hook, tap]: [string, unknown]) =>
    tap === undefined ? [] : [[hook, stage(tap)]],
  );
  return { ...rest, hooks: Object.fromEntries(taps) as object };
}

/** Returns the stage of a tap. */
function stage(tap: unknown): unknown {
  if (handlerOf(tap) === undefined)
    return wrong(
      "must be a function, or an object with a `handler`",
      "write `emit({ addFile }) { … }`, or `emit: { stage: 10, handler({ addFile }) { … } }`",
    );
  const { timeout } = tap as { timeout?: unknown };
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0))
    return wrong("has a `timeout` that is no number of seconds", "write `timeout: 600`, or leave it out");
  return typeof tap === "function" ? 0 : ((tap as { stage?: unknown }).stage ?? 0);
}

function wrong(message: string, help: string): Wrong {
  return { wrong: { message, help } };
}

/** Returns the function of a tap. */
export function handlerOf(tap: unknown): ((event: object) => unknown) | undefined {
  if (typeof tap === "function") return tap as (event: object) => unknown;
  if (typeof tap !== "object" || tap === null || !("handler" in tap)) return undefined;
  const { handler } = tap;
  return typeof handler === "function" ? (event) => handler.call(tap, event) as unknown : undefined;
}
