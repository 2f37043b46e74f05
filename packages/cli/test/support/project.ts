import { spawn } from "node:child_process";
import {
  access,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const KIT = fileURLToPath(new URL("../../bin/kit.js", import.meta.url));

/** Result of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Project in a temporary directory. The directory is removed when the test ends. */
export class Project {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** @param before - Awaited before the directory is removed. */
  static async create(
    test: TestContext,
    files: Readonly<Record<string, string>>,
    before: (root: string) => Promise<void> = async () => {},
  ): Promise<Project> {
    const project = new Project(await realpath(await mkdtemp(join(tmpdir(), "kit cli "))));
    test.after(async () => {
      await before(project.root);
      await rm(project.root, { recursive: true, force: true, maxRetries: 5 });
    });
    for (const [path, text] of Object.entries(files)) {
      await project.write(path, text);
    }
    return project;
  }

  async write(path: string, text: string): Promise<void> {
    const full = join(this.root, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, text);
  }

  /** Returns the content of a file, or an empty string if the file does not exist. */
  async read(path: string): Promise<string> {
    return await readFile(join(this.root, path), "utf8").catch(() => "");
  }

  /** Returns true if the file exists. */
  async exists(path: string): Promise<boolean> {
    return await access(join(this.root, path)).then(
      () => true,
      () => false,
    );
  }

  /** Creates a symbolic link in the project to a directory elsewhere. */
  async link(path: string, to: string): Promise<void> {
    await symlink(to, join(this.root, path));
  }

  /** Returns the content of every file below the output directory, by relative path. */
  async output(directory = ".kit"): Promise<Record<string, string>> {
    const base = join(this.root, directory);
    const entries = await readdir(base, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const texts = await Promise.all(
      files
        .toSorted()
        .map(async (file) => [file.slice(base.length + 1), await readFile(file, "utf8")] as const),
    );
    return Object.fromEntries(texts);
  }

  /** Runs `kit` in the project, as a process. */
  kit(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    return run([KIT, ...args], this.root, env);
  }
}

/** Runs the version of Node that runs the tests, with the given arguments. */
export function run(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const { DATABASE_URL: _, ...inherited } = process.env;
    const child = spawn(process.execPath, args, { cwd, env: { ...inherited, ...env } });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, out, err }));
  });
}

/** Files of a small project without a mistake. */
export const NOTES: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "notes", "version": "1.2.3", "type": "module" }\n',
  "src/notes.types.ts": [
    "/** @table notes */",
    "export interface Note {",
    "  /** @id */",
    "  id: string;",
    "  /** @maxLength 200 */",
    "  title: string;",
    "}",
    "",
  ].join("\n"),
  "src/notes.routes.ts": [
    'import type { RouteContract } from "@kit/types";',
    'import type { Note } from "./notes.types.ts";',
    "",
    "export interface NoteRoutes {",
    '  "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;',
    "}",
    "",
  ].join("\n"),
};
