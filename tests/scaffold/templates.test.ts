// Tests that projects of the templates without a database work without a change: they are built, type-checked, tested and run.
// `scaffold.test.ts` tests the template `api`.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { type CommandResult, run } from "../e2e/support/command.ts";
import { repository } from "../e2e/support/project.ts";
import { RunningApp } from "../e2e/support/running-app.ts";

const bin = join(repository, "node_modules/.bin");

describe("a new project of the template", { timeout: 600_000 }, () => {
  let home: string;

  before(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), "kit-templates-"));
    // All projects below this directory find the packages here. tests/registry tests their installation.
    await symlink(join(repository, "node_modules"), join(home, "node_modules"));
  });
  after(() => rm(home, { recursive: true, force: true }));

  async function init(template: string, ...options: readonly string[]): Promise<string> {
    const args = ["scaffold", "init", template, "--template", template, "--no-install", "--no-git", "--yes"];
    succeeded(await run(process.execPath, [join(bin, "kit"), ...args, ...options], { cwd: home }));
    return join(home, template);
  }

  test("minimal passes its checks and tests, and serves requests", async () => {
    const root = await init("minimal", "--server", "fastify");
    await passesItsTests(root);
    await servesTodos(root);
  });

  test("library passes its checks and tests, and serves the routes of its package", async () => {
    const root = await init("library");
    // As package managers link a package of the workspace.
    await mkdir(join(root, "node_modules/@library"), { recursive: true });
    await symlink("../../packages/todos", join(root, "node_modules/@library/todos"));
    await passesItsTests(root);
    await servesTodos(root);
  });

  test("browser passes its checks and tests, and serves the page beside the API", async () => {
    const root = await init("browser");
    await passesItsTests(root);
    await script(root, "build");
    await servesTodos(root, async (url) => {
      const page = await fetch(url);
      assert.equal(page.headers.get("content-security-policy"), "default-src 'self'");
      const [, path] = /<script[^>]* src="(\/assets\/[^"]+\.js)"/.exec(await page.text())!;
      const code = await fetch(url + path!);
      assert.match(code.headers.get("cache-control")!, /immutable/);
      assert.match(await code.text(), /\/todos/);
    });
  });

  test("rust generates handlers for all routes, and its migration creates all tables", async () => {
    const root = await init("rust");
    const generated = await script(root, "generate");
    assert.doesNotMatch(generated.stdout + generated.stderr, /501|warning/);
    const handlers = await readFile(join(root, "src/handlers/todos.rs"), "utf8");
    for (const name of [
      "post_todos",
      "get_todos",
      "get_todos_by_id",
      "put_todos_by_id",
      "delete_todos_by_id",
    ])
      assert.ok(handlers.includes(`async fn ${name}(`), handlers);
    const left = await run(join(bin, "kit"), ["migrate:generate", "--name", "left", "--json"], { cwd: root });
    assert.equal((JSON.parse(left.stdout) as { status: string }).status, "unchanged", left.stdout);
  });
});

/** Checks the types of a project, and runs its tests. */
async function passesItsTests(root: string): Promise<void> {
  await script(root, "check");
  const { stdout } = await script(root, "test", "--json");
  const { passed, failed, skipped } = JSON.parse(stdout) as Record<string, number>;
  assert.deepEqual([failed, skipped], [0, 0], stdout);
  assert.ok(passed! > 20, stdout);
}

/** Runs a script of the project, with the programs of this repository. */
async function script(root: string, name: string, ...args: readonly string[]): Promise<CommandResult> {
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  const options = { cwd: root, env, timeout: 300_000 };
  const result = await run("npm", ["run", "--silent", name, "--", ...args], options);
  succeeded(result);
  return result;
}

/** Starts a project as in production and uses its API. `check` gets the URL. */
async function servesTodos(root: string, check?: (url: string) => Promise<void>): Promise<void> {
  const app = await RunningApp.start(root, { env: { NODE_ENV: "production" } });
  try {
    assert.equal((await fetch(`${app.url}/healthz`)).status, 200);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ title: "Buy milk" });
    const added = await fetch(`${app.url}/todos`, { method: "POST", headers, body });
    assert.equal(added.status, 201);
    const list = (await (await fetch(`${app.url}/todos`)).json()) as { title: string }[];
    assert.deepEqual(
      list.map(({ title }) => title),
      ["Buy milk"],
    );
    await check?.(app.url);
  } finally {
    await app.stop();
  }
}

function succeeded(result: CommandResult): void {
  assert.equal(result.code, 0, `${result.stdout}\n${result.stderr}`);
}
