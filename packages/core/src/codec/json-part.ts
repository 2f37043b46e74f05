/**
 * Parses the text of a part of a multipart body as JSON. Returns the text itself if the text is not JSON, and an array
 * if the body has several parts with the name, so that the validator reports the part.
 *
 * @example
 * ```ts
 * readJsonPart('{"a":1}'); // { a: 1 }
 * readJsonPart("{"); // "{"
 * ```
 */
export function readJsonPart(text: string | string[] | undefined): unknown {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
