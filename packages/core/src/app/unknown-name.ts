import { closest } from "../codec/suggest.ts";

/** Returns the end of a message about an unknown name: a suggestion for a similar known name, or an empty string. */
export function meant(name: string, known: Iterable<string>): string {
  const near = closest(name, known);
  return near === undefined ? "" : `; did you mean \`${near}\`?`;
}
