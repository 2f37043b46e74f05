import { closest } from "../codec/suggest.ts";

/** What follows the message about a name that there is not: the name that was probably meant, or nothing. */
export function meant(name: string, known: Iterable<string>): string {
  const near = closest(name, known);
  return near === undefined ? "" : `; did you mean \`${near}\`?`;
}
