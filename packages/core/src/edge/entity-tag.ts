import { hash } from "node:crypto";

/** Number of hexadecimal digits of a generated entity tag: 128 bits. */
const digits = 32;

/** Matches one entity tag at a position of a list (RFC 9110, 8.8.3), with the comma after it. */
const listed = /[\t ,]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?=,|$)/y;

/**
 * Returns a weak entity tag of a body. The tag depends only on the bytes, so all processes and the Rust server make the
 * same tag.
 */
export function tagOf(body: string | Uint8Array): string {
  return `W/"${hash("sha256", body, "hex").slice(0, digits)}"`;
}

/**
 * Returns true if the header `if-match` selects the representation: the header is `*`, or lists the
 * representation's tag. Weak tags never match (strong comparison, RFC 9110, 8.8.3.2). `tag` is `null` if the
 * representation has no tag.
 */
export function matchesStrongly(header: string, tag: string | null): boolean {
  if (header.trim() === "*") return true;
  return tag !== null && !tag.startsWith("W/") && tagsIn(header).includes(tag);
}

/**
 * Returns true if the header `if-none-match` selects the representation: the header is `*`, or lists the
 * representation's tag. Only the texts in quotes are compared, so a weak tag can equal a strong tag (weak
 * comparison, RFC 9110, 8.8.3.2).
 */
export function matchesWeakly(header: string, tag: string | null): boolean {
  if (header.trim() === "*") return true;
  return tag !== null && tagsIn(header).some((known) => opaque(known) === opaque(tag));
}

function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

/** Returns the tags of a list, up to the first invalid tag. */
function tagsIn(header: string): readonly string[] {
  const tags: string[] = [];
  listed.lastIndex = 0;
  for (let found = listed.exec(header); found !== null; found = listed.exec(header)) tags.push(found[1]!);
  return tags;
}
