// Tests that test runners report the location of a failing contract test in the generated files.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("fixtures/failing.contract.ts", import.meta.url));
const reporter = new URL("../../cli/src/test-reporter.ts", import.meta.url).href;
const tables = fileURLToPath(new URL("fixtures/failing.contract.js", import.meta.url));
const lines = readFileSync(tables, "utf8").split("\n");

interface Failure {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

/** Returns the failures that `kit test --json` would list for the contract tests. */
async function failures(env: Readonly<Record<string, string>> = {}): Promise<Failure[]> {
  const { NODE_TEST_CONTEXT: _, ...outer } = process.env;
  const args = ["--test", "--test-reporter", reporter, "--test-reporter-destination", "stdout", file];
  const child = spawn(process.execPath, args, {
    env: { ...outer, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
  return (JSON.parse(printed) as { failures: Failure[] }).failures;
}

function lineOf(start: string): number {
  return lines.findIndex((line) => line.trim().startsWith(start)) + 1;
}

test("reports the line of a row in the generated tables if its contract test fails", async () => {
  const found = new Map((await failures()).map((failure) => [failure.name.split(" > ").at(-1)!, failure]));
  const route = lineOf('route: "POST /things",');
  for (const [name, line] of [
    ["answers a valid request", route],
    ["takes body $.size: missing", lineOf('["body", "$.size",')],
    ["refuses body $.name: 4 characters (maximum 3)", lineOf('["body", "$.name",')],
  ] as const) {
    assert.deepEqual([found.get(name)?.file, found.get(name)?.line], [tables, line], name);
  }
});

test("reports a generated file for every contract test if the application does not start", async () => {
  const found = await failures({ FAILS_TO_START: "yes" });
  assert.ok(found.length > 0);
  for (const failure of found) assert.ok([file, tables].includes(failure.file), failure.name);
});
