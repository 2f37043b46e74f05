// Tests the generated Rust client of Notes: a program in Rust calls every route of a running server.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

import { Project, repository } from "../support/project.ts";

const client = join(repository, "examples/notes-rust/.kit/rust-client");
const target = resolve(import.meta.dirname, "../../../target/generated");

test("the Rust client calls every route", async (t) => {
  if (!existsSync(client)) return t.skip("examples/notes-rust is not built");
  const program = join(repository, "tests/e2e/rust-client");
  const built = spawnSync("cargo", ["build", "--manifest-path", join(program, "Cargo.toml")], {
    env: { ...process.env, CARGO_TARGET_DIR: target },
    encoding: "utf8",
  });
  assert.equal(built.status, 0, built.stderr);
  const project = await Project.ready();
  t.after(() => project.remove());
  const app = await project.start();
  const { status, stdout, stderr } = spawnSync(join(target, "debug/notes-client-test"), [app.url], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  assert.equal(stdout, "all calls passed\n");
});
