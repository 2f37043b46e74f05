import { closest } from "../codec/closest.ts";

/**
 * Returns the end of a message about an unknown name: the suggestion of a similar known name, or an empty
 * string.
 */
export function suggestName(name: string, known: Iterable<string>): string {
  const suggestion = closest(name, known);
  return suggestion === undefined ? "" : `; did you mean \`${suggestion}\`?`;
}
