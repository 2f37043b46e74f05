// Project with packages of its own in `node_modules`, and a TypeScript that counts its runs.

import { existsSync } from "node:fs";
import { mkdir, readFile, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Project, repository } from "../../e2e/support/project.ts";

/** Directory of TypeScript 7, which this repository uses, and of TypeScript 5. */
export const typescripts: Readonly<Record<"7" | "5", string>> = {
  "7": join(repository, "node_modules/typescript"),
  "5": join(repository, "tests/oracle/node_modules/typescript"),
};

const packages = [
  "@kit/core",
  "@kit/errors",
  "@kit/server-native",
  "@kit/types",
  "@sinclair/typebox",
  "arktype",
  "drizzle-orm",
  "valibot",
  "zod",
];

/** Creates a project with its own `node_modules`. */
export async function installed(
  files: Readonly<Record<string, string>>,
  typescript: keyof typeof typescripts | "none" = "7",
): Promise<Project> {
  const project = await Project.of(
    new Map([["package.json", JSON.stringify({ name: "inferred", private: true, type: "module" })]]),
  );
  const modules = join(project.root, "node_modules");
  await unlink(modules);
  for (const name of packages) {
    const link = join(modules, name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(repository, "node_modules", name), link);
  }
  if (typescript !== "none") await installTypeScript(project, typescript);
  for (const [path, text] of Object.entries(files)) await write(project, path, text);
  return project;
}

/** Installs a TypeScript that adds a line to `runs.log` and then runs the actual TypeScript. */
export async function installTypeScript(project: Project, version: keyof typeof typescripts): Promise<void> {
  const actual = typescripts[version];
  const own = join(project.root, "node_modules/typescript");
  await mkdir(join(own, "bin"), { recursive: true });
  await writeFile(join(own, "package.json"), await readFile(join(actual, "package.json"), "utf8"));
  const program = pathToFileURL(join(actual, version === "5" ? "lib/tsc.js" : "bin/tsc")).href;
  const log = JSON.stringify(join(project.root, "runs.log"));
  await writeFile(
    join(own, "bin/tsc"),
    version === "5"
      ? `require("node:fs").appendFileSync(${log}, "run\\n");\nrequire(${JSON.stringify(join(actual, "lib/tsc.js"))});\n`
      : `import { appendFileSync } from "node:fs";\nappendFileSync(${log}, "run\\n");\nawait import(${JSON.stringify(program)});\n`,
  );
  if (version === "5") {
    // The program of TypeScript 5 is a CommonJS module without a file extension.
    const manifest = JSON.parse(await readFile(join(own, "package.json"), "utf8")) as object;
    await writeFile(join(own, "package.json"), JSON.stringify({ ...manifest, type: "commonjs" }));
  }
}

/** Returns the number of times that TypeScript ran in a project. */
export async function runs(project: Project): Promise<number> {
  const log = join(project.root, "runs.log");
  return existsSync(log) ? (await readFile(log, "utf8")).split("\n").length - 1 : 0;
}

/** Writes a file of a project. */
export async function write(project: Project, path: string, text: string): Promise<void> {
  const file = join(project.root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Removes TypeScript from a project. */
export async function removeTypeScript(project: Project): Promise<void> {
  await rm(join(project.root, "node_modules/typescript"), { recursive: true });
}

/** Result of `kit build --json`, reduced to its mistakes. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly suggestion?: string;
  readonly path?: string;
}

/** Builds a project. Returns the errors. */
export async function failures(project: Project): Promise<readonly Failure[]> {
  const { code, stdout } = await project.kit(["build", "--json"], { timeout: 120_000 });
  if (code === 0) return [];
  return (JSON.parse(stdout) as { failures: Failure[] }).failures;
}

/** Functions that kit generates for a type. */
export interface Validator {
  readonly is: (value: unknown) => boolean;
  readonly decode: (value: unknown) => unknown;
}

/** Loads the validator of a type of a built project. */
export async function validator(project: Project, name: string): Promise<Validator> {
  const file = join(project.root, `.kit/validators/${name}.validator.ts`);
  const exports = (await import(pathToFileURL(file).href)) as Record<string, Validator>;
  const found = exports[`${name}Validator`];
  if (found === undefined) throw new Error(`there is no validator of ${name}`);
  return found;
}
