// Tests that no process that kit starts has the password of a database in its arguments, because all users of a machine can read
// them.

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { DevSession } from "./support/dev-session.ts";
import { Project, repository } from "./support/project.ts";

/** Files that start a process, with the reason why its arguments contain no password. The reason may be the name of a test in quotes. */
const PLACES: Readonly<Record<string, string>> = {
  "packages/cli/src/dev/app-process.ts": '"start no process with the password in its arguments"',
  "packages/cli/src/dev/child-program.ts":
    "starts cargo, and a server that gets the URL of its database in the environment",
  "packages/cli/src/dev/terminal.ts": "opens a browser at the URL of the application",
  "packages/cli/src/dev/type-checker.ts": '"start no process with the password in its arguments"',
  "packages/cli/src/dev/worker-program.ts":
    "starts a program that gets the URL of its database in the environment",
  "packages/cli/src/node-run.ts": '"start no process with the password in its arguments"',
  "packages/cli/src/psql.ts":
    '"passes the password to psql only in the environment" (packages/cli/test/psql.test.ts)',
  "packages/dev-database/src/cluster.ts": '"start no process with the password in its arguments"',
  "packages/dev-database/src/lease.ts": '"start no process with the password in its arguments"',
  "packages/dev-database/src/migrations.ts": '"start no process with the password in its arguments"',
  "packages/dev-database/src/process.ts": "asks ps for the program of a process id",
  "packages/dev-database/src/server.ts": '"start no process with the password in its arguments"',
  "packages/plugin-rust-server/src/cargo.ts": "passes the name of a profile to cargo",
  "packages/server-native/src/workers/plan.ts": "repeats the arguments of its own process",
  "crates/kit-build/src/inferred/typescript.rs": "passes the path of a tsconfig.json to TypeScript",
  "crates/kit-cli/src/process.rs": "runs npm, git and compilers, none of which gets a URL",
  "crates/kit-runtime/src/testing/database.rs":
    "starts kit migrate:apply, which gets the URL of the database in the environment",
  "crates/kit-runtime/src/testing/mod.rs": "repeats the arguments of its own process",
  "crates/kit-test-postgres/src/lib.rs": "starts servers without passwords, for tests of crates",
};

/** Matches a call that starts a process, in TypeScript or in Rust. */
const STARTS = { ts: /\b(?:spawn|spawnSync|execFile|execFileSync|execSync|fork)\(/, rs: /\bCommand::new\(/ };

async function sources(directory: string, extension: string): Promise<string[]> {
  const entries = await readdir(join(repository, directory), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => join(entry.parentPath, entry.name).slice(repository.length + 1));
  return paths.filter((path) => /^(?:packages|crates)\/[^/]+\/src\//.test(path));
}

/** Returns the code of a file without comments and without methods that are called `spawn`. In Rust also without tests. */
function codeOf(text: string): string {
  return text
    .replace(/#\[cfg\(.*\btest\b.*\)\]\nmod tests \{[^]*/, "")
    .replaceAll(/\/\/.*$/gm, "")
    .replaceAll(/#(?:spawn|fork)\(/g, "");
}

test("every file that starts a process is in the list of this test", async () => {
  const files = [...(await sources("packages", ".ts")), ...(await sources("crates", ".rs"))];
  assert.ok(files.length > 500, `${files.length} files`);
  const starting = await Promise.all(
    files.map(async (file) =>
      STARTS[file.endsWith(".rs") ? "rs" : "ts"].test(codeOf(await readFile(join(repository, file), "utf8")))
        ? [file]
        : [],
    ),
  );
  assert.deepEqual(starting.flat().toSorted(), Object.keys(PLACES).toSorted());
});

/** Records the arguments of all processes that run in a directory or below it. Processes that end very quickly may be missed. */
class Recorder {
  readonly commandLines: Set<string> = new Set();
  readonly #directory: string;
  #isStopped = false;
  readonly #done: Promise<void>;

  constructor(directory: string) {
    this.#directory = directory;
    this.#done = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      // oxlint-disable-next-line no-await-in-loop -- each round reads the processes of its time
      const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
      // oxlint-disable-next-line no-await-in-loop
      await Promise.all(
        ids.map(async (id) => {
          try {
            if (!(await readlink(`/proc/${id}/cwd`)).startsWith(this.#directory)) return;
            const text = await readFile(`/proc/${id}/cmdline`, "utf8");
            this.commandLines.add(text.replaceAll("\0", " ").trim());
          } catch {
            // The process has ended, or it belongs to another user.
          }
        }),
      );
      // oxlint-disable-next-line no-await-in-loop
      await sleep(2);
    }
  }

  /** Stops recording. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#done;
  }
}

/** Matches processes that the tested commands must start. Otherwise the test would prove nothing. */
const EXPECTED: readonly RegExp[] = [
  /keeper\.[jt]s .*\/\.data\/postgres/,
  /keeper\.[jt]s .*\/\.data\/tests/,
  /initdb .*--pwfile=/,
  /postgres -D /,
  /kit(?:\.js)? migrate:apply/,
  /kit(?:\.js)? migrate:apply .*--root/,
  /node .*--test\b/,
  /node .*--import .*src\/main\.ts/,
  /tsc\b.*--noEmit/,
];

describe(
  "commands of kit with a database",
  { skip: process.platform !== "linux" && "reads /proc", timeout: 300_000 },
  () => {
    let project: Project;
    before(async () => {
      project = await Project.copy();
      await project.kitOk("build", "--no-compile");
    });
    after(() => project.remove());

    test("start no process with the password in its arguments", async () => {
      await mkdir(join(project.root, "tests"), { recursive: true });
      await writeFile(
        join(project.root, "tests/database.test.ts"),
        [
          'import { writeFileSync } from "node:fs";',
          'import { test } from "node:test";',
          'import { createTestDatabase } from "@kit/dev-database";',
          'test("has a database", async () => {',
          "  await using database = await createTestDatabase();",
          '  writeFileSync("url", database.url);',
          "});",
        ].join("\n"),
      );
      const recorder = new Recorder(project.root);
      const missing = (): RegExp[] =>
        EXPECTED.filter((pattern) => ![...recorder.commandLines].some((line) => pattern.test(line)));
      const passwords: string[] = [];
      try {
        const { stdout: url } = await project.kitOk("db", "start");
        passwords.push(new URL(url.trim()).password);
        await project.kitOk("migrate:apply");
        await project.kitOk("test", "tests/database.test.ts");
        passwords.push(new URL(await readFile(join(project.root, "url"), "utf8")).password);
        await using dev = DevSession.start(project.root, ["--port", "0"]);
        const deadline = Date.now() + 60_000;
        // oxlint-disable-next-line no-await-in-loop -- waiting is the point
        while (missing().length > 0 && Date.now() < deadline) await sleep(20);
        assert.deepEqual(missing(), [], `${dev.output}\n${[...recorder.commandLines].join("\n")}`);
      } finally {
        await project.kit(["db", "stop"]);
        await recorder.stop();
      }
      for (const password of passwords) {
        assert.ok(password.length >= 16);
        assert.deepEqual(
          [...recorder.commandLines].filter((line) => line.includes(password)),
          [],
        );
      }
    });
  },
);
