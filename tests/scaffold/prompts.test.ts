// `kit scaffold init` asks on a terminal: answered by keys, and left with Ctrl-C and Esc.

import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { spawn } from "@lydell/node-pty";

import { baseEnvironment } from "../e2e/support/command.ts";
import { repository } from "../e2e/support/project.ts";

const DOWN = "\u001B[B";
const ENTER = "\r";
const ESCAPE = "\u001B";
const CTRL_C = "\u0003";

/** What is waited for on the screen, and the keys that are pressed then. */
type Step = readonly [question: string, ...keys: string[]];

interface Seen {
  readonly code: number;
  readonly text: string;
  /** What `stty -g` says of the terminal, before and after. */
  readonly terminal: readonly (string | undefined)[];
}

describe("the questions of a new project", { timeout: 120_000, skip: process.platform === "win32" }, () => {
  let home: string;

  before(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), "kit-prompts-"));
  });
  after(() => rm(home, { recursive: true, force: true }));

  /** Runs `kit scaffold init` on a terminal of 80 columns, as a shell does. */
  async function answer(args: string, steps: readonly Step[]): Promise<Seen> {
    const kit = `'${process.execPath}' '${join(repository, "node_modules/.bin/kit")}'`;
    const script = `echo "terminal $(stty -g)"; ${kit} scaffold init ${args}; code=$?; echo "terminal $(stty -g)"; exit $code`;
    const { NO_COLOR: _, ...inherited } = baseEnvironment();
    const terminal = spawn("sh", ["-c", script], { cols: 80, rows: 24, cwd: home, env: inherited });
    let text = "";
    let from = 0;
    const left = [...steps];
    const typed: string[] = [];
    terminal.onData((more) => {
      text += more;
      const [question, ...keys] = left[0] ?? [];
      if (question === undefined || !text.slice(from).includes(question)) return;
      from = text.length;
      left.shift();
      typed.push(question);
      for (const key of keys) terminal.write(key);
    });
    const code = await new Promise<number>((resolve) => {
      const timer = setTimeout(() => terminal.kill("SIGKILL"), 60_000);
      terminal.onExit(({ exitCode }) => {
        clearTimeout(timer);
        resolve(exitCode);
      });
    });
    assert.deepEqual(
      typed,
      steps.map(([question]) => question),
      text,
    );
    const settings = [...text.matchAll(/^terminal (\S+)/gm)].map((match) => match[1]);
    return { code, text, terminal: settings };
  }

  test("are answered by keys", async () => {
    const seen = await answer("--no-install --no-git", [
      ["Name of the project?", "shelf", ENTER],
      // native, express, fastify
      ["What does it run on?", DOWN, DOWN, ENTER],
      // What is typed narrows the list.
      ["How does it ask its database?", "raw", ENTER],
    ]);
    assert.equal(seen.code, 0, seen.text);
    restored(seen);
    assert.match(await readFile(join(home, "shelf/src/app.ts"), "utf8"), /server: fastifyServer\(\)/);
    assert.match(await readFile(join(home, "shelf/src/database.ts"), "utf8"), /await db\.query/);
    assert.match(seen.text, /made shelf\/ with \d+ files/);
  });

  test("leave out what was said", async () => {
    const seen = await answer("rack --server hono --no-install --no-git", [
      ["How does it ask its database?", DOWN, ENTER],
    ]);
    assert.equal(seen.code, 0, seen.text);
    assert.doesNotMatch(seen.text, /Name of the project|What does it run on/);
    assert.match(await readFile(join(home, "rack/src/database.ts"), "utf8"), /new Kysely/);
  });

  for (const [name, key, code] of [
    ["Ctrl-C", CTRL_C, 130],
    ["Esc", ESCAPE, 1],
  ] as const) {
    test(`make nothing where one is answered with ${name}`, async () => {
      const there = await readdir(home);
      const answers: readonly Step[] = [
        ["Name of the project?", "tray", ENTER],
        ["What does it run on?", ENTER],
        ["How does it ask its database?", ENTER],
      ];
      for (const [index, [question]] of answers.entries()) {
        // oxlint-disable-next-line no-await-in-loop
        const seen = await answer("", [...answers.slice(0, index), [question, key]]);
        assert.equal(seen.code, code, seen.text);
        assert.match(seen.text, /stopped; nothing was made/);
        restored(seen);
        // oxlint-disable-next-line no-await-in-loop
        assert.deepEqual(await readdir(home), there);
      }
    });
  }
});

/** The terminal is as it was, and its cursor is seen. */
function restored({ terminal, text }: Seen): void {
  assert.equal(terminal.length, 2, text);
  assert.equal(terminal[0], terminal[1]);
  assert.ok(text.lastIndexOf("\u001B[?25h") >= text.lastIndexOf("\u001B[?25l"), JSON.stringify(text));
}
