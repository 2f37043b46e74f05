/** Runs kit and drizzle-kit through their command lines, each in its own project with its own database. */
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { spawn } from "@lydell/node-pty";

const ROOT = join(import.meta.dirname, "../..");
const PEERS = join(import.meta.dirname, "peers");
const KIT = join(ROOT, "packages/cli/bin/kit.js");
const DRIZZLE_KIT = join(PEERS, "node_modules/drizzle-kit/bin.cjs");
/** Time in milliseconds after which a command is assumed to wait for input. */
const PATIENCE = 120_000;

/** Result of a command. */
export interface Outcome {
  readonly code: number;
  /** Complete output, without colors. */
  readonly text: string;
}

/** Command-line tool with its project. */
export interface Tool {
  /** Changes the schema of the project, for which the next migration is generated. */
  model(text: string): Promise<void>;
  generate(name: string, options?: { readonly keys?: string; readonly terminal?: boolean }): Promise<Outcome>;
  apply(): Promise<Outcome>;
  /** Returns the SQL statements of the last migration. */
  sql(): Promise<string>;
  /**
   * Generates one migration for each of two schemas from the current state, as on two branches. Applies the migration of the younger
   * branch, adds that of the older branch as a merge does, and applies again.
   */
  branches(older: string, younger: string): Promise<Outcome>;
}

/** Writes files of a project. The keys are paths, the values are contents. */
export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/** Creates a project for kit in a directory. */
export async function kitIn(root: string, url: string): Promise<Tool> {
  await writeFiles(root, { "package.json": '{ "name": "compared", "private": true, "type": "module" }\n' });
  const kit = (...args: string[]): Promise<Outcome> =>
    run(process.execPath, [KIT, ...args, "--no-color"], root, url);
  return {
    model: (text) => writeFiles(root, { "src/notes.types.ts": text }),
    generate: (name) => kit("migrate:generate", "--name", name),
    apply: () => kit("migrate:apply"),
    sql: async () =>
      readFile(join(root, "migrations", await last(join(root, "migrations")), "migration.sql"), "utf8"),
    branches: async (older, younger) => {
      const migrations = join(root, "migrations");
      await writeFiles(root, { "src/notes.types.ts": older });
      await kit("migrate:generate", "--name", "older");
      // Leaves the branch: moves the files of its migration to another directory.
      const name = await last(migrations);
      await rename(join(migrations, name), join(root, name));
      await anotherSecond();
      await writeFiles(root, { "src/notes.types.ts": younger });
      await kit("migrate:generate", "--name", "younger");
      await kit("migrate:apply");
      await rename(join(root, name), join(migrations, name));
      return kit("migrate:apply");
    },
  };
}

/** Creates a project for drizzle-kit in a directory. */
export async function drizzleIn(root: string, url: string): Promise<Tool> {
  await writeFiles(root, {
    "package.json": '{ "name": "compared", "private": true, "type": "module" }\n',
    "drizzle.config.ts":
      'export default { dialect: "postgresql", schema: "./schema.ts", out: "./drizzle", dbCredentials: { url: process.env.DATABASE_URL } };\n',
  });
  await rm(join(root, "node_modules"), { force: true });
  await symlink(join(PEERS, "node_modules"), join(root, "node_modules"));
  return {
    model: (text) => writeFiles(root, { "schema.ts": text }),
    generate: (name, { keys = "\r", terminal = true } = {}) => {
      const args = [DRIZZLE_KIT, "generate", "--name", name];
      return terminal ? inTerminal(args, root, url, keys) : run(process.execPath, args, root, url);
    },
    // Uses a terminal here too, because drizzle-kit prints the most there.
    apply: () => inTerminal([DRIZZLE_KIT, "migrate"], root, url, ""),
    sql: async () => {
      const files = (await readdir(join(root, "drizzle"))).filter((file) => file.endsWith(".sql"));
      return readFile(join(root, "drizzle", files.toSorted().at(-1) ?? ""), "utf8");
    },
    branches: async (older, younger) => {
      const out = join(root, "drizzle");
      const generate = (name: string) =>
        run(process.execPath, [DRIZZLE_KIT, "generate", "--name", name], root, url);
      const apply = () => run(process.execPath, [DRIZZLE_KIT, "migrate"], root, url);
      await cp(out, join(root, "base"), { recursive: true });
      await writeFiles(root, { "schema.ts": older });
      await generate("older");
      await rename(out, join(root, "older"));
      await rename(join(root, "base"), out);
      await anotherSecond();
      await writeFiles(root, { "schema.ts": younger });
      await generate("younger");
      await apply();
      // Merges two branches as a user of git who keeps the entries of each branch in the journal file, sorted by timestamp.
      await cp(join(root, "older/0001_older.sql"), join(out, "0001_older.sql"));
      const journal = (directory: string) => readJournal(join(root, directory, "meta/_journal.json"));
      const [one, other] = [await journal("older"), await journal("drizzle")];
      const entries = [...one.entries, { ...other.entries[1], idx: 2 }];
      await writeFiles(root, { "drizzle/meta/_journal.json": JSON.stringify({ ...other, entries }) });
      return apply();
    },
  };
}

interface Journal {
  readonly entries: readonly object[];
}

async function readJournal(path: string): Promise<Journal> {
  return JSON.parse(await readFile(path, "utf8")) as Journal;
}

/** Waits for the next second, because the names of migrations contain their time in seconds. */
async function anotherSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  while (Math.floor(Date.now() / 1000) === second) await setTimeout(50);
}

async function last(directory: string): Promise<string> {
  return (await readdir(directory)).toSorted().at(-1) ?? "";
}

function run(program: string, args: string[], cwd: string, url: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, DATABASE_URL: url, NO_COLOR: "1" };
    const child = execFile(program, args, { cwd, env, timeout: PATIENCE }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, text: plain(out + err) });
    });
    child.stdin?.end();
  });
}

/** Runs a command in a pseudoterminal, and presses the keys at each question. */
function inTerminal(args: string[], cwd: string, url: string, keys: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd,
      cols: 200,
      rows: 50,
      env: { ...process.env, DATABASE_URL: url },
    });
    let text = "";
    let answered = 0;
    const timer = globalThis.setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    child.onData((data) => {
      text += data;
      const questions = [...plain(text).matchAll(/Is .+ (?:created or renamed|renamed) .*\?/g)];
      const asked = new Set(questions.map(([question]) => question)).size;
      // A question shows its options with a marker at the first one.
      if (asked > answered && plain(text).includes("❯")) {
        answered = asked;
        globalThis.setTimeout(() => child.write(keys), 300);
      }
    });
    child.onExit(({ exitCode }) => {
      clearTimeout(timer);
      resolve({ code: exitCode, text: plain(text) });
    });
  });
}

/** Removes the control sequences for colors and cursor movements. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- matches control sequences of a terminal
  return text.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r", "");
}
