/** Characters of a statement that are kept. */
const mostCharacters = 2_048;

/** Comments, quoted names, and what can hold a value: texts in all of PostgreSQL's spellings, bits, numbers. */
const tokens =
  /--[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"]|"")*(?:"|$)|\b[eE]'(?:[^'\\]|\\[^]|'')*(?:'|$)|(?:\b(?:[bBxXnN]|[uU]&))?'(?:[^']|'')*(?:'|$)|\$([A-Za-z_]\w*)?\$[^]*?(?:\$\1\$|$)|\$\d+|\b\d[\w.]*/g;

/** A statement without its comments, and with `?` for each value that stands in it: those are users' data. Parameters (`$1`) stay. */
export function sqlWithoutValues(text: string): string {
  const plain = text.slice(0, 4 * mostCharacters).replace(tokens, (token) => {
    if (token.startsWith("--") || token.startsWith("/*")) return " ";
    return token.startsWith('"') || /^\$\d+$/.test(token) ? token : "?";
  });
  const shown = plain.replaceAll(/\s+/g, " ").trim();
  return shown.length > mostCharacters ? `${shown.slice(0, mostCharacters)}…` : shown;
}
