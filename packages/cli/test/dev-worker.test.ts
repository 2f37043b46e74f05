// The program that does jobs, which `kit dev` runs beside the application.

import assert from "node:assert/strict";
import { test } from "node:test";

import { app, Dev, isAlive } from "./support/dev.ts";

const skip = process.platform === "win32" && "sockets cannot be passed on there";
const args = ["--no-db", "--worker", "src/worker.ts"];

const worker = (name: string): string => `
console.log("worker ${name} " + process.pid);
const timer = setInterval(() => undefined, 1000);
process.once("SIGTERM", () => {
  console.log("stopped ${name}");
  clearInterval(timer);
});
`;

test("the worker runs beside each version of the application, and ends with kit dev", { skip }, async (t) => {
  const dev = await Dev.start(t, app("one"), args, undefined, { "src/worker.ts": worker("first") });
  const pidOf = (name: string): number => Number(new RegExp(`worker ${name} (\\d+)`).exec(dev.output)?.[1]);
  await dev.serves(await dev.url(), "one");
  await dev.until(() => pidOf("first") > 0, "the worker did not start");

  await dev.project.write("src/worker.ts", worker("second"));
  await dev.until(() => pidOf("second") > 0, "the worker did not start again");
  assert.match(dev.output, /stopped first/);
  assert.equal(isAlive(pidOf("first")), false);

  dev.child.kill();
  assert.deepEqual(await dev.ended, { code: 0, signal: null });
  assert.equal(isAlive(pidOf("second")), false);
});

test("the end of a worker is reported, and the application serves all the same", { skip }, async (t) => {
  const dev = await Dev.start(t, app("one"), args, undefined, { "src/worker.ts": "process.exitCode = 3;" });
  await dev.until(
    () => dev.output.includes("the worker ended (exit code 3)"),
    "the end of the worker was not reported",
  );
  await dev.serves(await dev.url(), "one");
});
