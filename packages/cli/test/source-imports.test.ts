// Projects whose sources are compiled: they import the names of compiled files, `./money.js` for `money.ts`, and have syntax that Node does
// not compile.

import assert from "node:assert/strict";
import { test } from "node:test";

import { app, Dev } from "./support/dev.ts";
import { NOTES, Project } from "./support/project.ts";

const skip = process.platform === "win32" && "sockets cannot be passed on there";

test("kit test runs sources that import the names of compiled files", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "kit.config.ts": 'export { config as default } from "./settings.js";\n',
    "settings.ts": "export const config = {};\n",
    "src/both.js": 'export const both = "javascript";\n',
    "src/both.ts": 'export const both: string = "typescript";\n',
    "src/common.cts": "module.exports = { common: 1 as number };\n",
    "src/money.ts": "export const money: number = 1;\n",
    "src/absolute.ts": "export const absolute: string = import.meta.url;\n",
    "src/job.ts": [
      'import { parentPort } from "node:worker_threads";',
      'import { money } from "./money.js";',
      "const answer: object = { money };",
      "if (parentPort === null) process.send?.(answer);",
      "else parentPort.postMessage(answer);",
    ].join("\n"),
    "src/money.test.ts": [
      'import assert from "node:assert/strict";',
      'import { fork } from "node:child_process";',
      'import { once } from "node:events";',
      'import { test } from "node:test";',
      'import { Worker } from "node:worker_threads";',
      'import { both } from "./both.js";',
      'import common from "./common.cjs";',
      'import { money } from "./money.js";',
      'test("money", () => assert.deepEqual([money, common.common, both], [1, 1, "javascript"]));',
      'test("a missing file", () => assert.rejects(import("./nowhere.js"), /nowhere\\.js/));',
      "const at = (path: string) => new URL(path, import.meta.url);",
      'test("a URL", async () => assert.match((await import(at("./absolute.js").href)).absolute, /absolute\\.ts$/));',
      'test("a missing URL", () => assert.rejects(import(at("./nowhere.js").href), /nowhere\\.js/));',
      'test("a worker", async () => {',
      '  assert.deepEqual(await once(new Worker(at("./job.js")), "message"), [{ money: 1 }]);',
      "});",
      'test("a child process", async () => {',
      '  assert.deepEqual((await once(fork(at("./job.js")), "message"))[0], { money: 1 });',
      "});",
      'test("a missing worker", async () => {',
      '  const [error] = await once(new Worker(at("./none.js")), "error");',
      "  assert.match(error.message, /none\\.js/);",
      "});",
    ].join("\n"),
  });
  const outcome = await project.kit(["test"]);
  assert.equal(outcome.code, 0, outcome.out + outcome.err);
  assert.match(outcome.out, /^7 passed in /);
});

test(
  "kit dev runs an application and a worker that import the names of compiled files",
  { skip },
  async (t) => {
    const files = {
      "src/application.ts": app("one"),
      "src/worker.ts": 'import "./job.js";\n',
      "src/job.ts": 'console.log("job " + (1 as number));\n',
    };
    const args = ["--no-db", "--worker", "src/worker.ts"];
    const dev = await Dev.start(t, 'import "./application.js";\n', args, undefined, files);
    const url = await dev.url();
    await dev.serves(url, "one");
    await dev.until(() => dev.output.includes("job 1"), "the worker did not start");

    await dev.project.write("src/application.ts", app("two"));
    await dev.serves(url, "two");
  },
);

/** Sources with syntax that is more than types. */
const more = {
  "src/color.ts": "\nexport enum Color {\n  Red = 1,\n}\n",
  "src/point.ts": "export class Point {\n  constructor(readonly x: number) {}\n}\n",
};
const advice = /help: write the code without this syntax[^\n]* NODE_OPTIONS=--experimental-transform-types/;

test("kit test names the location of syntax that Node does not compile, and what to do", async (t) => {
  const head = 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n';
  const project = await Project.create(t, {
    ...NOTES,
    ...more,
    "src/color.test.ts": `${head}import { Color } from "./color.ts";\ntest("color", () => assert.equal(Color.Red, 1));\n`,
    "src/point.test.ts": `${head}test("point", async () => {
  const { Point } = await import("./point.ts");
  assert.equal(new Point(1).x, 1);
});\n`,
  });
  const { code, out, err } = await project.kit(["test"]);
  assert.equal(code, 1, out + err);
  assert.match(
    out,
    /: SyntaxError: TypeScript enum is not supported in strip-only mode, at src\/color\.ts:2\n {2}help: /,
  );
  assert.match(
    out,
    /: SyntaxError: TypeScript parameter property is not supported in strip-only mode, at src\/point\.ts:2:\d+\n {2}help: /,
  );
  assert.match(out, advice);
  assert.doesNotMatch(out, /node:internal/);

  const accepted = await project.kit(["test"], { NODE_OPTIONS: "--experimental-transform-types" });
  assert.equal(accepted.code, 0, accepted.out + accepted.err);
  assert.match(accepted.out, /^2 passed in /);
});

test("kit test names the location of a syntax error in a file that a test imports", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "src/wrong.ts": "export const a = 1;\nexport const b: number = ;\n",
    "src/names.ts": "export const a = 1;\n",
    // The URL in the output is no path of this machine.
    "src/wrong.test.ts": 'console.error("file://server/share.ts:3");\nawait import("./wrong.ts");\n',
    "src/names.test.ts": '\nimport { b } from "./names.ts";\nconsole.log(b);\n',
  });
  const { code, out, err } = await project.kit(["test"]);
  assert.equal(code, 1, out + err);
  assert.match(out, /: SyntaxError[^\n]*, at src\/wrong\.ts:2:26\n/);
  assert.match(out, /: SyntaxError[^\n]*export named 'b', at src\/names\.test\.ts:2:\d+\n/);
});

test(
  "kit dev names the location of syntax that Node does not compile, of an application and of a worker",
  { skip },
  async (t) => {
    const worker = { "src/worker.ts": 'import "./point.ts";\n' };
    const args = ["--no-db", "--worker", "src/worker.ts"];
    const dev = await Dev.start(t, 'import "./color.ts";\n', args, undefined, { ...more, ...worker });
    await dev.until(() => /, at src\/color\.ts:2\nhelp: /.test(dev.output), "the location is missing");
    await dev.project.write("src/main.ts", app("one"));
    await dev.until(() => /, at src\/point\.ts:2:\d+\nhelp: /.test(dev.output), "the worker has no location");
    assert.match(dev.output, advice);
    assert.doesNotMatch(dev.output, /node:internal/);
  },
);
