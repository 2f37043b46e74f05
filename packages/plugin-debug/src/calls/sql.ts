/** Maximum length of a recorded statement in characters. */
const mostCharacters = 2_048;

/** Matches comments, quoted names, and literals: PostgreSQL's strings in all notations, bit strings and numbers. */
const tokens =
  /--[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"]|"")*(?:"|$)|\b[eE]'(?:[^'\\]|\\[^]|'')*(?:'|$)|(?:\b(?:[bBxXnN]|[uU]&))?'(?:[^']|'')*(?:'|$)|\$([A-Za-z_]\w*)?\$[^]*?(?:\$\1\$|$)|\$\d+|\b\d[\w.]*/g;

/**
 * Removes comments from a statement and replaces its literals by `?`, because they are data of users. Keeps
 * parameters (`$1`).
 */
export function sqlWithoutValues(text: string): string {
  const plain = text.slice(0, 4 * mostCharacters).replace(tokens, (token) => {
    if (token.startsWith("--") || token.startsWith("/*")) return " ";
    return token.startsWith('"') || /^\$\d+$/.test(token) ? token : "?";
  });
  const shown = plain.replaceAll(/\s+/g, " ").trim();
  return shown.length > mostCharacters ? `${shown.slice(0, mostCharacters)}…` : shown;
}
