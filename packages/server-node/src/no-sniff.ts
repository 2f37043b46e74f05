/**
 * Header that stops browsers from guessing a content type other than `content-type` (WHATWG Fetch, 3.6). Every response has it unless a
 * handler or a framework's middleware sets the header.
 */
export const noSniffName = "x-content-type-options";
export const noSniff = "nosniff";

/** Returns true if the list of alternating header names and values contains `x-content-type-options`. */
export function setsSniffing(headers: readonly string[]): boolean {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === noSniffName) return true;
  }
  return false;
}
