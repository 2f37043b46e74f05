// Tests of a process whose uncaught errors kit explains.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";

const module = new URL("../src/source-imports/explain-uncaught.ts", import.meta.url);

/** Runs code after kit was asked to explain errors whose message is `known`. */
function run(code: string): { status: number | null; output: string } {
  const program = [
    `import { explainUncaught } from ${JSON.stringify(module.href)};`,
    'explainUncaught((error) => (error.message === "known" ? "error: explained" : undefined));',
    code,
  ].join("\n");
  const child = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  return { status: child.status, output: child.stdout + child.stderr };
}

describe("explainUncaught", () => {
  test("ends the process with the text in place of Node's message", () => {
    assert.deepEqual(run('throw new Error("known");'), { status: 1, output: "error: explained\n" });
  });

  test("leaves errors without a text to Node", () => {
    const { status, output } = run('throw new Error("other");');
    assert.equal(status, 1);
    assert.match(output, /Error: other\n\s+at /);
  });

  for (const [name, handler] of [
    ["a listener", 'process.on("uncaughtException", () => console.log("handled"));'],
    ["a capture callback", 'process.setUncaughtExceptionCaptureCallback(() => console.log("handled"));'],
  ] as const) {
    test(`leaves errors to a program that has ${name}`, () => {
      const later = 'setTimeout(() => { throw new Error("known"); });';
      assert.deepEqual(run(handler + later), { status: 0, output: "handled\n" });
    });
  }
});
