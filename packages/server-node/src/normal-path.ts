// The same file stands in packages/core/src/router and packages/server-node/src: neither package may need the other.

/** Places where a path may differ from its normal form: escapes, and characters that a path cannot have. */
const suspicious = /[^!$&-;=@-[\]^_a-z{|}~]/;
/** An escape that is decoded or whose digits are not upper case, or a character that must be escaped. */
const notNormal =
  /%(?:2[ADEade]|3[0-9Aa]|4[1-9A-Fa-f]|5[0-9AEFaef]|6[1-9A-Fa-f]|7[0-9A-Ea-e]|[a-f].|.[a-f])|[^!$%&-;=@-[\]^_a-z{|}~]/;
const replaced = /%[0-9A-Fa-f]{2}|[^!$%&-;=@-[\]^_a-z{|}~]+/g;
/** Characters whose escapes are decoded: the unreserved ones of RFC 3986, `:` and `*`, and `^{|}`. */
const decoded = /^[\w.~:*^{|}-]$/;

/**
 * Returns the normal form of a path without its query: one spelling for each path, so that everybody who looks at a path sees the same
 * text. `null` if an escape is invalid or the decoded bytes are not UTF-8.
 *
 * - Escapes of unreserved characters (letters, digits, `-._~`) are decoded (RFC 3986, section 6.2.2).
 * - Escapes of `:` and `*` are decoded too: in the text of a route both can only be written as escapes.
 * - Escapes of `^`, `{`, `|` and `}` are decoded too: no URI has these characters, and clients send them raw or escaped.
 * - All other escapes stay escapes, with upper-case digits. So `%2F` is never a separator, and `%40` is another path than `@`.
 * - Characters that a path cannot have are escaped. Only the text of routes has them.
 *
 * `crates/kit-guard/src/path.rs` is the same in Rust, and both pass `conformance/paths.json`.
 *
 * @example
 * ```ts
 * normalPath("/%61dmin/x%2fy"); // "/admin/x%2Fy"
 * normalPath("/100%"); // null
 * ```
 */
export function normalPath(path: string): string | null {
  if (!suspicious.test(path)) return path;
  try {
    // Refuses invalid escapes, and bytes that are not UTF-8.
    decodeURIComponent(path);
    if (!notNormal.test(path)) return path;
    return path.replace(replaced, normalPart);
  } catch {
    return null;
  }
}

function normalPart(part: string): string {
  if (!part.startsWith("%")) return encodeURIComponent(part);
  const character = String.fromCharCode(Number.parseInt(part.slice(1), 16));
  return decoded.test(character) ? character : part.toUpperCase();
}

/**
 * Returns a request target with its path in the normal form and its query as it is. A path that has no normal form stays as it is,
 * for a router to refuse.
 */
export function normalTarget(target: string): string {
  // Most targets have no escape at all.
  if (!target.includes("%")) return target;
  const end = target.indexOf("?");
  if (end === -1) return normalPath(target) ?? target;
  const path = target.slice(0, end);
  const normal = normalPath(path);
  return normal === null || normal === path ? target : normal + target.slice(end);
}
