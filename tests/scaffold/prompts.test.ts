// Tests the questions of `kit scaffold init` in a terminal: answers with keys, and cancellation with Ctrl-C and Esc.

import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import {
  CTRL_C,
  DOWN,
  ENTER,
  ESCAPE,
  onTerminal,
  restored,
  type Seen,
  type Step,
} from "../e2e/support/terminal.ts";

describe("the questions of a new project", { timeout: 120_000, skip: process.platform === "win32" }, () => {
  let home: string;

  before(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), "kit-prompts-"));
  });
  after(() => rm(home, { recursive: true, force: true }));

  const answer = (args: string, steps: readonly Step[]): Promise<Seen> =>
    onTerminal(`scaffold init ${args}`, home, steps);

  test("are answered with keys", async () => {
    const result = await answer("--no-install --no-git", [
      ["Name of the project?", "shelf", ENTER],
      ["What kind of project?", ENTER],
      // The options are native, express, fastify, …
      ["What does it run on?", DOWN, DOWN, ENTER],
      // Typed letters filter the list.
      ["Which database library?", "raw", ENTER],
    ]);
    assert.equal(result.code, 0, result.text);
    restored(result);
    assert.match(await readFile(join(home, "shelf/src/app.ts"), "utf8"), /server: fastifyServer\(\)/);
    const database = await readFile(join(home, "shelf/src/database.ts"), "utf8");
    assert.match(database, /from "@kit\/core\/pg"/);
    assert.doesNotMatch(database, /drizzle|kysely/i);
    assert.match(result.text, /created shelf\/ with \d+ files/);
  });

  test("are not asked if arguments of the command answer them", async () => {
    const result = await answer("rack --template api --server hono --no-install --no-git", [
      ["Which database library?", DOWN, ENTER],
    ]);
    assert.equal(result.code, 0, result.text);
    assert.doesNotMatch(result.text, /Name of the project|What kind of project|What does it run on/);
    assert.match(await readFile(join(home, "rack/src/database.ts"), "utf8"), /new Kysely/);
  });

  test("are only those that the template needs", async () => {
    const result = await answer("--no-install --no-git", [
      ["Name of the project?", "drawer", ENTER],
      ["What kind of project?", "minimal", ENTER],
      ["What does it run on?", ENTER],
    ]);
    assert.equal(result.code, 0, result.text);
    assert.doesNotMatch(result.text, /Which database library/);
    assert.match(await readFile(join(home, "drawer/src/todos.handlers.ts"), "utf8"), /new Map/);
  });

  for (const [name, key, code] of [
    ["Ctrl-C", CTRL_C, 130],
    ["Esc", ESCAPE, 1],
  ] as const) {
    test(`create no project if the user cancels a question with ${name}`, async () => {
      const there = await readdir(home);
      const answers: readonly Step[] = [
        ["Name of the project?", "tray", ENTER],
        ["What kind of project?", ENTER],
        ["What does it run on?", ENTER],
        ["Which database library?", ENTER],
      ];
      for (const [index, [question]] of answers.entries()) {
        // oxlint-disable-next-line no-await-in-loop
        const result = await answer("", [...answers.slice(0, index), [question, key]]);
        assert.equal(result.code, code, result.text);
        assert.match(result.text, /stopped; nothing was created/);
        restored(result);
        // oxlint-disable-next-line no-await-in-loop
        assert.deepEqual(await readdir(home), there);
      }
    });
  }
});
