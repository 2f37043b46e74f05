import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";

import { planVariable, type ProcessPlan } from "../src/dev/messages.ts";

const link = new URL("../src/dev/development-link.ts", import.meta.url).href;

/** Runs `program.mjs` in a directory. The process loads the modules in `warm` before it. */
function start(t: TestContext, root: string, warm: readonly string[]): ChildProcess {
  const plan: ProcessPlan = {
    root: pathToFileURL(`${root}/`).href,
    warm,
    cache: join(root, "cache"),
    held: [],
    port: undefined,
    host: undefined,
    allowedHosts: [],
    types: false,
    lines: false,
  };
  const child = spawn(process.execPath, ["--import", link, join(root, "program.mjs")], {
    env: { ...process.env, [planVariable]: JSON.stringify(plan) },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  // Awaits the end of the process, because the process writes its cache until then, and the directory is removed next.
  t.after(async () => {
    const exited = once(child, "exit");
    if (child.kill("SIGKILL")) await exited;
  });
  child.send({ kit: "go", build: { status: "built", text: "" } });
  return child;
}

test("resolves imports within an installed package to the same files as Node does", async (t) => {
  const root = await mkdtemp(join(await realpath(tmpdir()), "kit-link-"));
  const files: Readonly<Record<string, string>> = {
    "node_modules/near/package.json": '{ "type": "module", "exports": "./index.js" }',
    "node_modules/near/index.js":
      'export * from "./a.js"; export * from "./b.js"; export * from "./old/c.js"; export * from "./old/d.js"; export * from "./link.js";\n' +
      'export const missing = await import("./missing.js").catch((error) => error.code);\n' +
      'export const again = await import("./old/missing.js").catch((error) => error.code);\n',
    "node_modules/near/a.js": 'export const a = "a";\n',
    "node_modules/near/b.js": 'export const b = "b";\n',
    "node_modules/near/old/package.json": '{ "type": "commonjs" }',
    "node_modules/near/old/c.js": 'exports.c = "c";\n',
    "node_modules/near/old/d.js": "exports.d = typeof require;\n",
    "elsewhere/package.json": '{ "type": "module" }',
    "elsewhere/real.js": "export const place = import.meta.url;\n",
    "program.mjs": 'import * as near from "near"; process.send({ ...near });\n',
  };
  for (const [path, text] of Object.entries(files)) {
    // oxlint-disable-next-line no-await-in-loop -- a directory must exist before its files
    await mkdir(join(root, path, ".."), { recursive: true });
    // oxlint-disable-next-line no-await-in-loop
    await writeFile(join(root, path), text);
  }
  await symlink(join(root, "elsewhere/real.js"), join(root, "node_modules/near/link.js"));
  const child = start(t, root, []);
  t.after(() => rm(root, { recursive: true, force: true }));
  const [found] = (await once(child, "message")) as [Record<string, string>];
  assert.deepEqual(found, {
    a: "a",
    b: "b",
    c: "c",
    d: "function",
    place: pathToFileURL(join(root, "elsewhere/real.js")).href,
    missing: "ERR_MODULE_NOT_FOUND",
    again: "ERR_MODULE_NOT_FOUND",
  });
});

test("runs the garbage collection before the program starts", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "kit-link-"));
  // More garbage than V8 would collect by itself while the modules are loaded.
  await writeFile(
    join(root, "package.mjs"),
    "Array.from({ length: 400_000 }, (_, n) => ({ text: `${n}` }));\n",
  );
  await writeFile(
    join(root, "program.mjs"),
    "process.send({ heap: process.memoryUsage().heapUsed, gc: typeof gc });\n",
  );
  const child = start(t, root, [pathToFileURL(join(root, "package.mjs")).href]);
  t.after(() => rm(root, { recursive: true, force: true }));
  const [{ heap, gc }] = (await once(child, "message")) as [{ heap: number; gc: string }];
  assert.ok(heap < 20_000_000, `${heap} bytes are in use`);
  assert.equal(gc, "undefined");
});
