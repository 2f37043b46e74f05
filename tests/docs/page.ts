import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Command of a transcript with its expected output; `…` in the output matches any text. */
export interface Step {
  command: string;
  output: string;
  /** Line in the page, from 1. */
  line: number;
}

/** Page of the documentation: the project in its blocks, and the commands that run in the project. */
export interface Page {
  name: string;
  /** Contents by path, of this page and of the pages that it continues. */
  files: Map<string, string>;
  steps: Step[];
  /** Code blocks without a check: `ts` and `json` without a file name. */
  unchecked: string[];
}

/** Fenced block of a page. */
export interface Block {
  /** Language, such as `ts` or `console`. */
  language: string;
  /** File name after `file=`. */
  file: string | undefined;
  text: string;
  /** Line of the fence in the page, from 1. */
  line: number;
}

/** Reads a page. A comment `<!-- continues other.md -->` adds the page's files to those of the other page. */
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

/** Returns the blocks of a page, in order. */
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

/** Returns the commands of a transcript. */
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
 * Returns true if a text matches a transcript: `…` matches any text, and on its own line any number of lines, also none. White space at the
 * ends of the text is ignored.
 */
export function matches(actual: string, expected: string): boolean {
  const text = `\n${actual.trim()}\n`;
  const parts = `\n${expected.trim()}\n`.split("…");
  const last = parts.pop() ?? "";
  let from = 0;
  let before = "";
  // If `…` matches no line, the line breaks around it are the same line break.
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
