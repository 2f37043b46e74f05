// This file is identical in packages/core/src/router and packages/server-node/src, because neither package may depend
// on the other.

/**
 * Matches `%` and the characters that the normal form escapes. A path without such a character is in its normal form.
 */
const mayDiffer = /[^!$&-;=@-[\]^_a-z{|}~]/;
/** Matches an escape that must be decoded or that has lower-case digits, or a character that must be escaped. */
const differs =
  /%(?:2[ADEade]|3[0-9Aa]|4[1-9A-Fa-f]|5[0-9AEFaef]|6[1-9A-Fa-f]|7[0-9A-Ea-e]|[a-f].|.[a-f])|[^!$%&-;=@-[\]^_a-z{|}~]/;
const replaced = /%[0-9A-Fa-f]{2}|[^!$%&-;=@-[\]^_a-z{|}~]+/g;
/** Matches characters whose escapes are decoded: the unreserved characters of RFC 3986, `:` and `*`, and `^{|}`. */
const unescaped = /^[\w.~:*^{|}-]$/;

/**
 * Returns the normal form of a path without its query. Each path has one spelling in this form, so all code that reads
 * a path sees the same string. Returns `null` if an escape is invalid, or if the decoded bytes are not UTF-8.
 *
 * - Escapes of unreserved characters (letters, digits, `-._~`) are decoded (RFC 3986, section 6.2.2).
 * - Escapes of `:` and `*` are decoded too, because the path of a route can contain these characters as text
 *   only in escaped form.
 * - Escapes of `^`, `{`, `|` and `}` are decoded too, because these are invalid in a URI and clients send them raw or
 *   escaped.
 * - All other escapes are kept, with upper-case digits. So `%2F` is never a separator, and `%40` is a different path
 *   than `@`.
 * - Characters that are invalid in a path are escaped. They occur only in paths of routes.
 *
 * `crates/kit-guard/src/path.rs` implements the same rules in Rust, and `conformance/paths.json` tests the
 * two implementations.
 *
 * @example
 * ```ts
 * normalPath("/%61dmin/x%2fy"); // "/admin/x%2Fy"
 * normalPath("/100%"); // null
 * ```
 */
export function normalPath(path: string): string | null {
  if (!mayDiffer.test(path)) return path;
  try {
    // Throws if an escape is invalid, or if the bytes are not UTF-8.
    decodeURIComponent(path);
    if (!differs.test(path)) return path;
    return path.replace(replaced, normalizeMatch);
  } catch {
    return null;
  }
}

function normalizeMatch(part: string): string {
  if (!part.startsWith("%")) return encodeURIComponent(part);
  const character = String.fromCharCode(Number.parseInt(part.slice(1), 16));
  return unescaped.test(character) ? character : part.toUpperCase();
}

/**
 * Returns a request target with its path in the normal form and its query unchanged. A path without a normal
 * form stays unchanged too. The router refuses such a path.
 */
export function normalTarget(target: string): string {
  // Most targets have no escapes.
  if (!target.includes("%")) return target;
  const end = target.indexOf("?");
  if (end === -1) return normalPath(target) ?? target;
  const path = target.slice(0, end);
  const normal = normalPath(path);
  return normal === null || normal === path ? target : normal + target.slice(end);
}
