import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";

import { EnvFile } from "../src/env-file.ts";

const names = ["KIT_A", "KIT_B", "KIT_C", "NODE_ENV"];

/** Creates a directory for a `.env`, and returns a function that writes this file. The environment is restored when the test ends. */
async function prepared(
  t: TestContext,
  environment: string | undefined,
): Promise<{ root: string; write: (text: string) => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), "kit-env-"));
  const before = names.map((name) => [name, process.env[name]] as const);
  t.after(async () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(root, { recursive: true });
  });
  for (const name of names) delete process.env[name];
  if (environment !== undefined) process.env["NODE_ENV"] = environment;
  return { root, write: (text) => writeFile(join(root, ".env"), text) };
}

test("parses .env as Node does, and does not override variables that are set", async (t) => {
  const { root, write } = await prepared(t, undefined);
  await write("# a comment\nexport KIT_A='a b' # more\nKIT_B=file\nKIT_C=\"two\\nlines\"\n");
  process.env["KIT_B"] = "";
  assert.deepEqual(new EnvFile().load(root), {
    set: ["KIT_A", "KIT_C"],
    kept: ["KIT_B"],
    changed: ["KIT_A", "KIT_C"],
  });
  assert.deepEqual(
    [process.env["KIT_A"], process.env["KIT_B"], process.env["KIT_C"]],
    ["a b", "", "two\nlines"],
  );
});

test("changes and removes only the variables that come from .env when the file is read again", async (t) => {
  const { root, write } = await prepared(t, "development");
  const file = new EnvFile();
  await write("KIT_A=1\nKIT_B=1\n");
  file.load(root);
  process.env["KIT_C"] = "own";
  await write("KIT_A=2\nKIT_C=file\nNODE_ENV=production\n");
  assert.deepEqual(file.load(root), {
    set: ["KIT_A"],
    kept: ["KIT_C", "NODE_ENV"],
    changed: ["KIT_B", "KIT_A"],
  });
  assert.deepEqual(
    [process.env["KIT_A"], process.env["KIT_B"], process.env["KIT_C"]],
    ["2", undefined, "own"],
  );
  await rm(join(root, ".env"));
  assert.deepEqual(file.load(root), { set: [], kept: [], changed: ["KIT_A"] });
});

test("reads .env again after a change even if the file sets NODE_ENV", async (t) => {
  const { root, write } = await prepared(t, undefined);
  const file = new EnvFile();
  await write("NODE_ENV=test\nKIT_A=1\n");
  file.load(root);
  await write("KIT_A=2\n");
  assert.deepEqual(file.load(root), { set: ["KIT_A"], kept: [], changed: ["NODE_ENV", "KIT_A"] });
});

for (const environment of ["production", "test", "staging"]) {
  test(`does not read .env if NODE_ENV is ${environment}`, async (t) => {
    const { root, write } = await prepared(t, environment);
    await write("KIT_A=1\n");
    assert.deepEqual(new EnvFile().load(root), { set: [], kept: [], changed: [] });
    assert.equal(process.env["KIT_A"], undefined);
  });
}

test("throws an error if .env exists and cannot be read", async (t) => {
  const { root } = await prepared(t, undefined);
  await mkdir(join(root, ".env"));
  assert.throws(() => new EnvFile().load(root), /^Error: \.env cannot be read: EISDIR/);
});
