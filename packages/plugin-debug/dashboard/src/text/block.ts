/** Lines that belong together. */
export interface Block {
  /** Index of the first one. */
  readonly start: number;
  /** Index after the last one. */
  readonly end: number;
}

const mostLines = 80;

/**
 * The declaration that begins at a line: with the comment above it, to where its brackets are closed again. It reads no language, so a bracket in a text may end
 * it late; for showing a handler or a contract that is near enough.
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
  // Texts of one line hold brackets that open nothing.
  const code = withoutComment(line).replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "");
  // An arrow is no bracket.
  const brackets = code.replaceAll("=>", "").match(/[([{<]|[)\]}>]/g) ?? [];
  return brackets.reduce((sum, bracket) => sum + ("([{<".includes(bracket) ? 1 : -1), 0);
}
