// Tests that `kit build` runs cargo: unchanged code is compiled once, errors point to the handler, and problems of the machine are
// reported.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, afterEach, beforeEach, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { testDev } from "./dev-tests.ts";
import { kit, Project, repository, routes } from "./support.ts";

// These tests and those below use one target directory, so they run one after the other: cargo stores the library of two projects with
// equal directories in one place, and compiles the library again if the other project was compiled in between.
testDev();

describe("a project with a Rust server", () => {
  // Uses one target directory for all such projects of this repository, so that the dependencies are compiled once.
  const project = new Project(join(repository, "target/tmp/rust-server-plugin"), "dev");
  const env = { CARGO_TARGET_DIR: join(repository, "target/generated") };
  const lock = readFileSync(join(repository, "examples/notes-rust/Cargo.lock"), "utf8");
  project.write("Cargo.lock", lock.replace('name = "notes-rust"', 'name = "items"'));
  after(() => project.remove());

  test("is compiled once, and not again if nothing has changed", () => {
    const first = project.build([], env);
    assert.equal(first.code, 0, first.text);
    assert.match(first.text, /Compiling items/);
    assert.ok(existsSync(join(env.CARGO_TARGET_DIR, "debug/items")));
    const again = project.build([], env);
    assert.equal(again.code, 0, again.text);
    assert.match(again.text, /Finished/);
    assert.doesNotMatch(again.text, /Compiling/);
  });

  test("reports a handler that does not match its contract after a change", () => {
    project.write(
      "src/items.routes.ts",
      routes.replace(
        '"GET /items/:id"',
        '"DELETE /items/:id": RouteContract<{ id: string }, void, void, void>;\n  "GET /items/:id"',
      ),
    );
    const missing = project.build([], env);
    assert.equal(missing.code, 1, missing.text);
    assert.match(missing.text, /not all trait items implemented, missing: `delete_items_by_id`/);
    assert.match(missing.text, /--> src\/handlers\/items\.rs:\d+/);
    assert.match(missing.text, /cargo build failed; its output is above/);

    project.write("src/items.routes.ts", routes.replace("{ id: string }", "{ id: number }"));
    const other = project.build([], env);
    assert.equal(other.code, 1, other.text);
    assert.match(other.text, /mismatched types/);
    assert.match(other.text, /--> src\/handlers\/items\.rs:\d+/);

    project.write("src/items.routes.ts", routes);
    const mended = project.build([], env);
    assert.equal(mended.code, 0, mended.text);
  });
});

describe("a build on a machine without a suitable Rust", () => {
  let project: Project;
  beforeEach(() => {
    project = new Project(mkdtempSync(join(import.meta.dirname, "project-")), "dev");
  });
  afterEach(() => project.remove());

  test("reports how to install cargo if it is missing", () => {
    const { code, text } = project.build([], { PATH: dirname(process.execPath) });
    assert.equal(code, 1);
    assert.match(text, /cargo is not installed: install Rust 1\.85 or newer/);
    assert.ok(existsSync(join(project.root, ".kit/router.rs")));
  });

  test("reports the required version if Rust is too old", () => {
    // Scripts print the output of an old Rust, because the tests have none.
    for (const program of ["cargo", "rustc"]) {
      project.write(
        `bin/${program}`,
        `#!/bin/sh\nif [ "$1" = --version ]; then echo "${program} 1.84.1 (66221abde 2024-11-19)"; else echo "error: edition 2024 is required" >&2; exit 101; fi\n`,
      );
      chmodSync(join(project.root, "bin", program), 0o755);
    }
    const { code, text } = project.build([], { PATH: `${join(project.root, "bin")}:${process.env["PATH"]}` });
    assert.equal(code, 1);
    assert.match(text, /error: edition 2024 is required/);
    assert.match(text, /Rust 1\.84\.1 is too old: the generated server needs 1\.85 or newer/);
  });

  test("leaves no compiler running if the build is interrupted", async (t) => {
    if (!existsSync("/proc/self/status")) return t.skip("there is no /proc, which says what runs");
    // Uses the real cargo, with a script as the compiler that never finishes.
    project.write(".cargo/config.toml", '[build]\nrustc-wrapper = "./slow"\n');
    project.write(
      "slow",
      `#!/bin/sh\ncase "$*" in *-vV*|*--print*) exec "$@";; esac\necho $$ >> "${join(project.root, "compilers")}"\nexec sleep 120\n`,
    );
    chmodSync(join(project.root, "slow"), 0o755);
    const build = spawn(process.execPath, [kit, "build"], {
      cwd: project.root,
      stdio: "ignore",
      env: { ...process.env, CARGO_TARGET_DIR: join(project.root, "target") },
    });
    const ended = once(build, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    // oxlint-disable-next-line no-await-in-loop
    while (!existsSync(join(project.root, "compilers")) && build.exitCode === null) await setTimeout(20);
    assert.equal(build.exitCode, null, "it ended before it compiled anything");
    build.kill("SIGTERM");
    const [code, signal] = await ended;
    assert.ok(signal === "SIGTERM" || code === 143, `${code} ${signal}`);
    const compilers = project.read("compilers").trim().split("\n").map(Number);
    // oxlint-disable-next-line no-await-in-loop
    for (let tries = 0; compilers.some(isRunning) && tries < 100; tries++) await setTimeout(20);
    assert.deepEqual(compilers.filter(isRunning), []);
  });
});

/** Returns true if a process runs. An exited process whose parent has not noticed that yet does not count. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
