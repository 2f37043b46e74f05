import { existsSync, statSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { Project, repository } from "../e2e/support/project.ts";

/** The compiler as WebAssembly, with optimization (`cargo xtask site`) or without: the program that was built last. */
export const program: string | undefined = ["playground", "debug"]
  .map((profile) => join(repository, "target/wasm32-wasip1", profile, "kit-playground.wasm"))
  .filter((path) => existsSync(path))
  .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];

/** Reason why tests of the compiler are skipped. False if they run. */
export const withoutProgram: string | false =
  program === undefined &&
  "kit-playground.wasm is not built: cargo build -p kit-playground --target wasm32-wasip1";

/** Manifest of the project around each example. */
export const manifest: string = await readFile(join(repository, "site/playground/project.json"), "utf8");

/** Files of each example without the manifest, by the name of the example. */
export const examples: Map<string, Map<string, string>> = new Map();
for await (const path of glob(join(repository, "site/playground/examples/*/*.ts"))) {
  const name = basename(dirname(path));
  const files = examples.get(name) ?? new Map<string, string>();
  files.set(`src/${basename(path)}`, await readFile(path, "utf8"));
  examples.set(name, files);
}

/** Example whose build fails. */
export const MISTAKE = "mistake";

/** Returns the text of each file of a directory by its path, without files that begin with a dot. */
export async function contents(directory: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for await (const entry of glob("**/*", { cwd: directory, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith(".")) continue;
    const path = join(entry.parentPath, entry.name);
    texts[path.slice(directory.length + 1)] = await readFile(path, "utf8");
  }
  return texts;
}

/** Creates the project of an example, with more files. */
export function projectOf(name: string, more: readonly (readonly [string, string])[] = []): Promise<Project> {
  return Project.of(new Map([["package.json", manifest], ...examples.get(name)!, ...more]));
}
