import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Project, repository } from "../../../tests/e2e/support/project.ts";

const ROUTES = `import type { RouteContract } from "@kit/types";
export interface NoteRoutes { "GET /notes": RouteContract<void, void, void, string[]> }
`;

/** Configuration that takes long to load, so that the command receives a signal while the temporary files exist. */
const SLOW_CONFIG = `import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
writeFileSync(process.env["KIT_TEST_READY"] ?? "", "");
await setTimeout(1_500);
export default {};
`;

function git(root: string, ...args: readonly string[]): void {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  execFileSync("git", [...identity, ...args], { cwd: root, stdio: "pipe" });
}

/** Returns the names of temporary directories of the command. */
function temporary(pid: number | undefined): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`kit-diff-${pid}-`));
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`kit diff removes its temporary files and ends by the signal ${signal}`, async () => {
    const project = await Project.of(
      new Map([
        ["package.json", JSON.stringify({ name: "diff", private: true, type: "module" })],
        [".gitignore", "node_modules\n"],
        ["src/notes.routes.ts", ROUTES],
        ["kit.config.ts", SLOW_CONFIG],
      ]),
    );
    try {
      git(project.root, "init", "--quiet");
      git(project.root, "add", ".");
      git(project.root, "commit", "--quiet", "--message", "first");
      const ready = join(project.root, "ready");
      const child = spawn(process.execPath, [join(repository, "node_modules/.bin/kit"), "diff", "HEAD"], {
        cwd: project.root,
        env: { ...process.env, KIT_TEST_READY: ready },
        stdio: "ignore",
      });
      const end = once(child, "close");
      while (!existsSync(ready) && child.exitCode === null)
        // oxlint-disable-next-line no-await-in-loop
        await new Promise((wake) => setTimeout(wake, 20));
      assert.equal(temporary(child.pid).length, 1, "the old state is checked out");
      child.kill(signal);
      assert.deepEqual(await end, [null, signal]);
      assert.deepEqual(temporary(child.pid), []);
      assert.ok(!existsSync(join(project.root, ".git/worktrees")), "git knows no other worktree");
    } finally {
      await project.remove();
    }
  });
}

test("kit diff in a pre-commit hook does not change the commit", async () => {
  const project = await Project.of(
    new Map([
      ["package.json", JSON.stringify({ name: "diff", private: true, type: "module" })],
      [".gitignore", "node_modules\n"],
      ["src/notes.routes.ts", ROUTES],
      ["text.txt", "first"],
    ]),
  );
  try {
    const kit = join(repository, "node_modules/.bin/kit");
    git(project.root, "init", "--quiet");
    git(project.root, "add", ".");
    git(project.root, "commit", "--quiet", "--message", "first");
    const hook = join(project.root, ".git/hooks/pre-commit");
    await writeFile(hook, `#!/bin/sh\n"${process.execPath}" "${kit}" diff HEAD\n`, { mode: 0o755 });
    await writeFile(join(project.root, "text.txt"), "second");
    git(project.root, "commit", "--all", "--quiet", "--message", "second");
    const text = execFileSync("git", ["show", "HEAD:text.txt"], { cwd: project.root, encoding: "utf8" });
    assert.equal(text, "second");
  } finally {
    await project.remove();
  }
});
