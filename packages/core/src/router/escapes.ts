/**
 * A decoded path in which a slash that was escaped is told from one that splits, and a percent sign that was escaped from an
 * escape. Both become surrogates that stand alone, which neither decodes to.
 */
const SLASH_IN_TEXT = "\uDC2F";
const PERCENT_IN_TEXT = "\uDC25";

/** Decoded text as it stands in a path that {@link decodePath} made. */
export function mark(text: string): string {
  if (!text.includes("/") && !text.includes("%")) return text;
  return text.replaceAll("/", SLASH_IN_TEXT).replaceAll("%", PERCENT_IN_TEXT);
}

/** Text of such a path as it is. With `u`, halves of a character are not surrogates that stand alone. */
export function unmark(text: string): string {
  return text.replace(/[\uDC25\uDC2F]/gu, (marker) => (marker === SLASH_IN_TEXT ? "/" : "%"));
}

/** Whether {@link mark} has changed a text. */
export function isMarked(text: string): boolean {
  return text.includes(SLASH_IN_TEXT) || text.includes(PERCENT_IN_TEXT);
}

/**
 * Decodes a path that is well-formed text; `null` where it does not decode.
 *
 * ```text
 * /a%2Fb/50%25 -> /a b/50  with a surrogate in the gap and one behind 50
 * ```
 */
export function decodePath(path: string): string | null {
  const marked = path.replace(/%2(?:5|[Ff])/g, (escape) =>
    escape === "%25" ? PERCENT_IN_TEXT : SLASH_IN_TEXT,
  );
  try {
    return decodeURIComponent(marked);
  } catch {
    return null;
  }
}
