import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Maximum length of a cursor, so that the address of a page has a usual length. */
export const MAX_CURSOR_LENGTH = 1024;

/** Place in a list: the key of an item, and the side of the item on which the page is. */
export interface Position {
  readonly side: "next" | "previous";
  /** Values of the columns, as text. */
  readonly key: readonly string[];
}

/**
 * Returns the fingerprint of a list with its sort and its filters. A cursor contains the fingerprint, so that the server
 * refuses the cursor of another list.
 */
export function fingerprintOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, 12).toString("base64url");
}

/**
 * Returns a position as the text of a cursor: JSON in base64url. If there are keys, a point and the signature of the first
 * key follow.
 */
export function encodeCursor(list: string, { side, key }: Position, keys: readonly string[]): string {
  const payload = Buffer.from(JSON.stringify([list, side === "next" ? "n" : "p", ...key])).toString(
    "base64url",
  );
  const [signing] = keys;
  return signing === undefined ? payload : `${payload}.${signatureOf(payload, signing)}`;
}

/**
 * Returns the position in the text of a cursor. Returns `undefined` if the text is not a cursor of this list, or if no
 * key has made its signature. The comparison takes the same time for every signature.
 */
export function decodeCursor(text: string, list: string, keys: readonly string[]): Position | undefined {
  if (text.length > MAX_CURSOR_LENGTH) return undefined;
  const [payload = "", signature, ...rest] = text.split(".");
  if (rest.length > 0 || (signature === undefined) !== (keys.length === 0)) return undefined;
  if (signature !== undefined) {
    const given = Buffer.from(signature);
    const isSigned = keys.some((key) => {
      const expected = Buffer.from(signatureOf(payload, key));
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    if (!isSigned) return undefined;
  }
  const bytes = Buffer.from(payload, "base64url");
  // Node ignores invalid characters. Each position must have one text.
  if (bytes.toString("base64url") !== payload) return undefined;
  const parts = partsOf(bytes);
  if (parts === undefined) return undefined;
  const [of, side, ...key] = parts;
  if (of !== list || (side !== "n" && side !== "p")) return undefined;
  return { side: side === "n" ? "next" : "previous", key };
}

function partsOf(bytes: Buffer): readonly string[] | undefined {
  try {
    const parts: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    );
    if (!Array.isArray(parts)) return undefined;
    return parts.every((part): part is string => typeof part === "string") ? parts : undefined;
  } catch {
    return undefined;
  }
}

function signatureOf(payload: string, key: string): string {
  // The name keeps signatures of cursors apart from signatures of cookies, if both have the same key.
  return createHmac("sha256", key).update(`kit cursor ${payload}`).digest("base64url");
}
