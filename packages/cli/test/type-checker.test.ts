import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { TypeChecker, type TypeCheckEnd } from "../src/dev/type-checker.ts";
import { isAlive } from "./support/dev.ts";

/** Returns a type checker, the list of the results that it reports, and a function that waits for the next result. */
function checker(): { types: TypeChecker; ends: TypeCheckEnd[]; next: () => Promise<TypeCheckEnd> } {
  const ends: TypeCheckEnd[] = [];
  let wake: ((end: TypeCheckEnd) => void) | undefined;
  const types = new TypeChecker((end) => {
    ends.push(end);
    wake?.(end);
  });
  return { types, ends, next: () => new Promise((resolve) => (wake = resolve)) };
}

const script = (code: string): { program: string; args: string[] } => ({
  program: process.execPath,
  args: ["-e", code],
});

/** Returns a type check that does not end and starts another process, and a function that returns the ids of both. */
async function endless(
  t: TestContext,
): Promise<{ request: { program: string; args: string[] }; pids: () => Promise<number[]> }> {
  const directory = await mkdtemp(join(tmpdir(), "kit-types-"));
  t.after(() => rm(directory, { recursive: true, maxRetries: 5 }));
  const file = join(directory, "pids");
  const wait = "setInterval(() => undefined, 1e6)";
  const code = `
    const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(wait)}]);
    require("node:fs").writeFileSync(${JSON.stringify(file)}, process.pid + " " + child.pid + "\\n");
    ${wait};`;
  const pids = async (): Promise<number[]> => {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const text = await readFile(file, "utf8").catch(() => "");
      if (text.endsWith("\n")) return text.trim().split(" ").map(Number);
      // oxlint-disable-next-line no-await-in-loop
      await sleep(10);
    }
  };
  return { request: script(code), pids };
}

async function gone(pids: readonly number[]): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop
  while (pids.some(isAlive)) await sleep(10);
}

test("reports the exit code of a check and its output on both streams", async () => {
  const { types, next } = checker();
  const end = next();
  types.start(script('console.log("out"); console.error("err"); process.exitCode = 2;'), process.cwd());
  const { code, text } = await end;
  assert.equal(code, 2);
  assert.deepEqual(text.trim().split("\n").toSorted(), ["err", "out"]);
});

test("reports an error if the program does not exist", { skip: process.platform === "win32" }, async () => {
  const { types, next } = checker();
  const end = next();
  types.start({ program: "/nowhere/tsc", args: [] }, process.cwd());
  assert.deepEqual(await end, { code: null, text: "spawn /nowhere/tsc ENOENT" });
});

test("close stops the running check and its processes without a report", { timeout: 60_000 }, async (t) => {
  const { types, ends } = checker();
  const { request, pids } = await endless(t);
  types.start(request, process.cwd());
  const started = await pids();
  assert.equal(started.length, 2);
  await types.close();
  await gone(started);
  assert.deepEqual(ends, []);
});

test("the start of a second check stops the first check", { timeout: 60_000 }, async (t) => {
  const { types, ends, next } = checker();
  const { request, pids } = await endless(t);
  types.start(request, process.cwd());
  const started = await pids();
  const end = next();
  types.start(script('console.log("second")'), process.cwd());
  assert.deepEqual(await end, { code: 0, text: "second\n" });
  await gone(started);
  assert.equal(ends.length, 1);
});
