/** Range of lines in a file. */
export interface Block {
  /** Index of the first line. */
  readonly start: number;
  /** Index after the last line. */
  readonly end: number;
}

const mostLines = 80;

/**
 * Returns the lines of the declaration that begins at a line: from the comment above it to the line that closes its brackets. It does not
 * parse the language, so a bracket in a regular expression may make the range too long. That is sufficient to show a handler or a contract.
 */
export function blockAt(lines: readonly string[], index: number): Block {
  let start = index;
  while (start > 0 && isComment(lines[start - 1]!)) start -= 1;
  let depth = 0;
  let end = index;
  for (; end < lines.length && end - index < mostLines; end += 1) {
    depth += depthOf(lines[end]!);
    const isOver = depth <= 0 && /[;,})\]]\s*$/.test(withoutComment(lines[end]!));
    if (isOver || depth < 0) break;
  }
  return { start, end: Math.min(lines.length, end + 1) };
}

function isComment(line: string): boolean {
  return /^\s*(\/\/|\/\*|\*)/.test(line);
}

function withoutComment(line: string): string {
  return line.replace(/\/\/.*$/, "");
}

function depthOf(line: string): number {
  // Removes string literals within a line, because their brackets do not count.
  const code = withoutComment(line).replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "");
  // The `>` of an arrow `=>` is not a bracket.
  const brackets = code.replaceAll("=>", "").match(/[([{<]|[)\]}>]/g) ?? [];
  return brackets.reduce((sum, bracket) => sum + ("([{<".includes(bracket) ? 1 : -1), 0);
}
