import type { PendingChange } from "../../../src/responses/shapes.ts";

/** Describes a change of a migration in words: `Add column pinned of notes` for `addColumn`. */
export function wordsOf(change: PendingChange): string {
  const verb = change.change.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const what = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  const table = nameOf(change["table"]);
  const thing = ["column", "index", "constraint", "unique", "check", "key", "foreignKey"]
    .map((name) => nameOf(change[name]))
    .find((name) => name !== undefined);
  const renamed =
    typeof change["from"] === "string" && typeof change["to"] === "string"
      ? ` ${change["from"]} to ${change["to"]}`
      : "";
  if (thing === undefined) return [what + renamed, table].filter(Boolean).join(renamed === "" ? " " : " of ");
  return `${what} ${thing}${renamed}${table === undefined ? "" : ` of ${table}`}`;
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const { name } = (value ?? {}) as { name?: unknown };
  return typeof name === "string" ? name : undefined;
}
