// Reads the documentation pages of the evaluator (`crates/kit-typescript/tests/mdtest`) as projects for TypeScript's
// type checker.

import { mkdir, mkdtemp, readFile, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import { repository } from "../../e2e/support/project.ts";
import { Checker, Reader } from "./checker.ts";
import { colour } from "./equal.ts";
import { Graph } from "./graph.ts";
import { text } from "./text.ts";

/** Statement of a page that an expression has a certain type. */
export interface Claim {
  /** Page and line of the statement, such as `tuples.md:12`. */
  place: string;
  name: string;
  expected: string;
  /** Type that TypeScript reports instead. `undefined` if it agrees with the page. */
  difference: string | undefined;
}

/** File of a project on a page. For each of its lines, it has the line number in the page. */
interface File {
  path: string;
  lines: string[];
  numbers: number[];
}

interface Project {
  page: string;
  files: Map<string, File>;
}

const pages = join(repository, "crates/kit-typescript/tests/mdtest/resources");
const EXPORT = /^export (?:(?:declare|abstract|const|default) )*(?:type|interface|class|enum) ([\w$]+)/;
const SAID = /\/\/ (?:error|warning): \[/;
const REFUSED = "// revealed: error";

/** Compares every `revealed:` on every page with TypeScript. `problems` are the errors that TypeScript reports in the code itself. */
export async function examinePages(): Promise<{ claims: Claim[]; problems: string[] }> {
  const names = (await readdir(pages)).toSorted();
  const projects = (
    await Promise.all(names.map(async (name) => read(name, await readFile(join(pages, name), "utf8"))))
  ).flat();
  const root = await mkdtemp(join(await realpath(tmpdir()), "kit-pages-"));
  try {
    await mkdir(join(root, "node_modules"));
    await symlink(join(repository, "node_modules/@kit"), join(root, "node_modules/@kit"));
    return await examine(root, projects);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Reads the projects on a page, by the same rules as `mdtest/page.rs`. */
function read(page: string, markdown: string): Project[] {
  const projects: Project[] = [{ page, files: new Map() }];
  let fenced = false;
  let open: File | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    const project = projects.at(-1);
    if (project === undefined) break;
    if (fenced) {
      if (line === "```") fenced = false;
      else if (open !== undefined) {
        open.lines.push(line);
        open.numbers.push(index + 1);
      }
    } else if (line.startsWith("```")) {
      fenced = true;
      const [, language, path = "src/page.ts"] = /^```(\w+)(?: file=(.+))?$/.exec(line) ?? [];
      open = undefined;
      if (language !== "ts" && language !== "json") continue;
      open = project.files.get(path) ?? { path, lines: [], numbers: [] };
      project.files.set(path, open);
    } else if (line.startsWith("#")) projects.push({ page, files: new Map() });
  }
  return projects.filter(({ files }) => files.size > 0);
}

/** Statement in a file. Its type is declared under `name` at the end of the file, so that the checker can compare both. */
interface Question {
  path: string;
  place: string;
  name: string;
  expected: string;
  alias: string;
}

async function examine(
  root: string,
  projects: readonly Project[],
): Promise<{ claims: Claim[]; problems: string[] }> {
  const config = JSON.parse(
    await readFile(join(repository, "tests/oracle/fixtures/tsconfig.json"), "utf8"),
  ) as Record<string, object>;
  const common = { compilerOptions: { ...config["compilerOptions"], paths: {}, typeRoots: [] } };
  const questions: Question[] = [];
  const files = new Map<string, { page: string; file: File }>();
  const alone: string[] = [];
  for (const [index, { page, files: own }] of projects.entries()) {
    const directory = `project-${index}`;
    for (const file of own.values()) {
      const path = `${directory}/${file.path}`;
      const revealed = revealedIn(page, path, file);
      questions.push(...revealed);
      files.set(join(root, path), { page, file });
      const aliases = revealed.map(({ alias, expected }) => `export type ${alias} = ${expected};`);
      await mkdir(dirname(join(root, path)), { recursive: true });
      if (file.path !== "tsconfig.json")
        await writeFile(join(root, path), [...file.lines, ...aliases].join("\n"));
      else {
        alone.push(directory);
        const options = JSON.parse(file.lines.join("\n")) as { compilerOptions?: object };
        const compilerOptions = { ...common.compilerOptions, ...options.compilerOptions };
        await writeFile(join(root, path), JSON.stringify({ compilerOptions, include: ["src"] }));
      }
    }
  }
  const include = projects.map((_, index) => `project-${index}/src`);
  await writeFile(
    join(root, "tsconfig.json"),
    JSON.stringify({ ...common, include: include.filter((path) => !alone.includes(dirname(path))) }),
  );
  const first = Checker.of(root);
  const checkers = new Map(alone.map((name) => [name, Checker.of(join(root, name), new Map(), first)]));
  const problems = [first, ...checkers.values()].flatMap((checker) => complaints(checker, files));
  const claims = questions.map((question) => {
    const directory = question.path.split("/")[0] ?? "";
    const own = checkers.get(directory);
    const path = own === undefined ? question.path : question.path.slice(directory.length + 1);
    return claim(own ?? first, path, question);
  });
  return { claims, problems };
}

/** Returns the statements in a file. Leaves out those that kit refuses a type, because TypeScript does not refuse it. */
function revealedIn(page: string, path: string, file: File): Question[] {
  const questions: Question[] = [];
  let name: string | undefined;
  for (const [index, line] of file.lines.entries()) {
    name = EXPORT.exec(line)?.[1] ?? name;
    const expected = line.split("// revealed: ")[1]?.trim();
    if (expected === undefined || expected === "error" || name === undefined) continue;
    const place = `${page}:${file.numbers[index]}`;
    questions.push({ path, place, name, expected, alias: `Revealed${index}` });
  }
  return questions;
}

function claim(checker: Checker, path: string, { place, name, expected, alias }: Question): Claim {
  const graph = new Graph();
  const reader = new Reader(checker.checker, graph);
  const own = reader.read(checker.type(path, name));
  const claimed = reader.read(checker.type(path, alias));
  const colours = colour(graph);
  const difference =
    colours.get(own) === colours.get(claimed)
      ? undefined
      : `TypeScript: ${text(graph, own)}\n  page:       ${text(graph, claimed)}`;
  return { place, name, expected, difference };
}

/** Returns the errors of TypeScript in lines for which the page declares no mistake. */
function complaints(checker: Checker, files: ReadonlyMap<string, { page: string; file: File }>): string[] {
  return ts.getPreEmitDiagnostics(checker.program).flatMap((diagnostic) => {
    const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n");
    const known = files.get(diagnostic.file?.fileName ?? "");
    if (known === undefined || diagnostic.file === undefined) return [message];
    const { line } = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
    const { lines, numbers } = known.file;
    const expected =
      SAID.test(lines[line] ?? "") ||
      /^\s*\/\/ error/.test(lines[line - 1] ?? "") ||
      (lines[line + 1] ?? "") === REFUSED;
    return expected ? [] : [`${known.page}:${numbers[line] ?? "revealed"}: ${message}`];
  });
}
