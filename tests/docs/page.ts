import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Command on a page with the output that the page shows. `…` in the output stands for any text. */
export interface Step {
  command: string;
  output: string;
  /** Line number in the page. The first line has 1. */
  line: number;
}

/** Page of the documentation, with the files and commands in its code blocks. */
export interface Page {
  name: string;
  /** Contents of files by path. Includes the files of the pages that this page continues. */
  files: Map<string, string>;
  steps: Step[];
  /** Code blocks that no test checks: `ts` and `json` without a file name. */
  unchecked: string[];
}

/** Code block of a page. */
export interface Block {
  /** Language of the block, such as `ts` or `console`. */
  language: string;
  /** File name that follows `file=` after the language. */
  file: string | undefined;
  text: string;
  /** Line number of the block's first line. The first line of the page has 1. */
  line: number;
}

/** Reads a page. The comment `<!-- continues other.md -->` means that the project of this page also contains the files of other.md. */
export async function readPage(path: string): Promise<Page> {
  const text = await readFile(path, "utf8");
  const continued = /^<!-- continues (\S+\.md) -->$/m.exec(text)?.[1];
  const files =
    continued === undefined
      ? new Map<string, string>()
      : (await readPage(join(dirname(path), continued))).files;
  const page: Page = { name: basename(path), files, steps: [], unchecked: [] };
  for (const block of blocks(text)) {
    if (block.language === "console") page.steps.push(...steps(block));
    else if (block.file !== undefined) page.files.set(block.file, block.text);
    else if (block.language === "ts" || block.language === "json") page.unchecked.push(`line ${block.line}`);
  }
  return page;
}

/** Returns the code blocks of a page, in order. */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  let open: Block | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (open === undefined) {
      const [, language, file] = /^```(\w+)(?: file=(\S+))?$/.exec(line) ?? [];
      if (language !== undefined) open = { language, file, text: "", line: index + 1 };
    } else if (line === "```") {
      found.push(open);
      open = undefined;
    } else {
      open.text += `${line}\n`;
    }
  }
  if (open !== undefined) throw new Error(`the block of line ${open.line} has no end`);
  return found;
}

/** Returns the commands of a block with their outputs. */
export function steps(block: Block): Step[] {
  const found: Step[] = [];
  for (const [index, line] of block.text.trimEnd().split("\n").entries()) {
    const last = found.at(-1);
    if (line.startsWith("$ "))
      found.push({ command: line.slice(2), output: "", line: block.line + 1 + index });
    else if (last === undefined)
      throw new Error(`the transcript of line ${block.line} begins without a command`);
    else if (last.command.endsWith("\\") && last.output === "") last.command += `\n${line}`;
    else last.output += `${line}\n`;
  }
  return found;
}

/**
 * Returns true if a text equals a transcript. `…` stands for any text, or, alone on a line, for any number of lines. White space at the
 * beginning and end does not count.
 */
export function matches(actual: string, expected: string): boolean {
  const text = `\n${actual.trim()}\n`;
  const parts = `\n${expected.trim()}\n`.split("…");
  const last = parts.pop() ?? "";
  let from = 0;
  let before = "";
  // If `…` stands for no line at all, the line breaks before and after it are one.
  const startOf = (part: string): number =>
    before.endsWith("\n") && part.startsWith("\n") ? from - 1 : from;
  for (const [index, part] of parts.entries()) {
    const at = text.indexOf(part, startOf(part));
    if (at < 0 || (index === 0 && at > 0)) return false;
    from = at + part.length;
    before = part;
  }
  return parts.length === 0
    ? text === last
    : text.length - last.length >= startOf(last) && text.endsWith(last);
}
