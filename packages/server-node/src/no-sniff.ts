/**
 * Keeps browsers from taking an answer for something else than its `content-type` says (WHATWG Fetch, 3.6). Every answer has it
 * unless its handler, or middleware of a framework, sets the header.
 */
export const noSniffName = "x-content-type-options";
export const noSniff = "nosniff";

/** Tells if headers, names and values in turn, say how browsers may read the answer. */
export function setsSniffing(headers: readonly string[]): boolean {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === noSniffName) return true;
  }
  return false;
}
