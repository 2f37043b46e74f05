// Tests that projects from `kit scaffold init` work unchanged: every combination is built and type-checked, some are tested and run.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { baseEnvironment, type CommandResult, run } from "../e2e/support/command.ts";
import { repository } from "../e2e/support/project.ts";
import { RunningApp } from "../e2e/support/running-app.ts";
import { databaseStopped } from "./database.ts";
import { accessToken, SECRET } from "./token.ts";

const SERVERS = ["native", "express", "fastify", "hono"];
const DATABASES = ["raw", "drizzle", "kysely"];

/** Combinations whose tests run too, so that each server and each adapter is tested. All except one get an additional entity. */
const TESTED = new Set(["native-raw", "express-raw", "fastify-drizzle", "hono-kysely"]);
const PLAIN = "express-raw";

const bin = join(repository, "node_modules/.bin");

describe("a new project", { timeout: 900_000 }, () => {
  let home: string;

  before(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), "kit-scaffold-"));
    // PostgreSQL runs as another user if the tests run as root.
    await chmod(home, 0o755);
    // All projects below find these packages. tests/packed tests the installation.
    await symlink(join(repository, "node_modules"), join(home, "node_modules"));
  });

  after(async () => {
    for (const name of TESTED) await databaseStopped(join(home, name));
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  });

  /** Creates a project that uses the packages of this repository. */
  async function init(server: string, database: string): Promise<string> {
    const name = `${server}-${database}`;
    const args = [
      "scaffold",
      "init",
      name,
      "--server",
      server,
      "--db",
      database,
      "--no-install",
      "--no-git",
      "--json",
    ];
    const made = await run(process.execPath, [join(bin, "kit"), ...args], { cwd: home });
    succeeded(made);
    const report = JSON.parse(made.stdout) as { path: string };
    assert.equal(report.path, name);
    const root = join(home, name);
    await symlink(join(repository, "node_modules"), join(root, "node_modules"));
    return root;
  }

  for (const server of SERVERS) {
    for (const database of DATABASES) {
      test(`on ${server} with ${database} is built and type-checked`, async () => {
        const root = await init(server, database);
        const name = `${server}-${database}`;
        succeeded(await script(root, "check"));
        // Eight handwritten tests; the contracts of todos generate more than fifty.
        assert.ok(existsSync(join(root, ".kit/tests/TodoRoutes.contract.test.ts")));
        let tests = 58;
        if (TESTED.has(name) && name !== PLAIN) {
          succeeded(await run(join(bin, "kit"), ["scaffold", "add", "entity", "order-item"], { cwd: root }));
          succeeded(await script(root, "check"));
          tests += 4 + 50;
        }
        // The project's migrations contain everything that its types need.
        const left = await run(join(bin, "kit"), ["migrate:generate", "--name", "left", "--json"], {
          cwd: root,
        });
        assert.equal((JSON.parse(left.stdout) as { status: string }).status, "unchanged", left.stdout);
        if (TESTED.has(name)) {
          const tested = await script(root, "test", "--json");
          succeeded(tested);
          const { passed, failed, skipped } = JSON.parse(tested.stdout) as Record<string, number>;
          assert.ok(passed! >= tests, tested.stdout);
          assert.deepEqual([failed, skipped], [0, 0], tested.stdout);
        }
      });
    }
  }

  test("can be extended, and is built and type-checked afterwards", async () => {
    const root = join(home, "express-kysely");
    for (const what of [
      ["route", "order-items"],
      ["middleware", "request-log"],
    ])
      succeeded(await run(join(bin, "kit"), ["scaffold", "add", ...what], { cwd: root }));
    succeeded(await script(root, "check"));
    const { stdout } = await run(join(bin, "kit"), ["inspect", "routes", "--json"], { cwd: root });
    assert.ok(stdout.includes('"/order-items"'), stdout);
  });

  test("runs after a build like in production, and separates users", async () => {
    const root = join(home, "native-raw");
    succeeded(await script(root, "build"));
    succeeded(await script(root, "migrate"));
    // `NODE_ENV=production` requires a database URL. Without `NODE_ENV`, the embedded database is used, and made-up tokens are refused.
    const app = await RunningApp.start(root, { env: { NODE_ENV: "", AUTH_SECRET: SECRET } });
    try {
      assert.equal((await fetch(`${app.url}/healthz`)).status, 200);
      assert.equal((await fetch(`${app.url}/todos`)).status, 401);
      const development = await script(root, "token", "ada");
      succeeded(development);
      for (const made of ["ada:user", development.stdout.trim()]) {
        const headers = { authorization: `Bearer ${made}` };
        assert.equal((await fetch(`${app.url}/todos`, { headers })).status, 401, made);
      }
      const ask = async (user: string, method: string, path: string, body?: object): Promise<Response> =>
        fetch(app.url + path, {
          method,
          headers: {
            authorization: `Bearer ${await accessToken("native-raw", user)}`,
            "content-type": "application/json",
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      for (const [path, body, changes] of [
        ["/todos", { title: "Buy milk" }, { title: "Bob's" }],
        ["/order-items", { name: "Milk" }, { name: "Bob's" }],
      ] as const) {
        const made = await ask("ada", "POST", path, body);
        assert.equal(made.status, 201);
        const row = (await made.json()) as { id: string; userId: string };
        assert.equal(row.userId, "ada");
        // A client cannot choose the owner: a property that the type does not declare is refused or dropped.
        const foreign = await ask("bob", "POST", path, { ...body, userId: "ada" });
        if (foreign.status === 201) assert.equal(((await foreign.json()) as typeof row).userId, "bob");
        else assert.equal(foreign.status, 400);
        const own = `${path}/${row.id}`;
        assert.equal((await ask("bob", "GET", own)).status, 404);
        assert.equal((await ask("bob", "PUT", own, changes)).status, 404);
        assert.equal((await ask("bob", "DELETE", own)).status, 404);
        await ask("ada", "PUT", own, { ...changes, userId: "bob" });
        const list = (await (await ask("bob", "GET", path)).json()) as { data: { id: string }[] };
        assert.ok(list.data.every(({ id }) => id !== row.id));
        const kept = (await (await ask("ada", "GET", own)).json()) as typeof row;
        assert.equal(kept.userId, "ada");
      }
    } finally {
      await app.stop();
    }
  });

  test("does not start without a secret, like in production", async () => {
    const root = join(home, "native-raw");
    for (const mode of ["production", "staging", ""]) {
      const env = { NODE_ENV: mode, DATABASE_URL: "postgres://127.0.0.1:1/none" };
      const started = await run(process.execPath, ["src/main.ts"], { cwd: root, env });
      assert.notEqual(started.code, 0, mode);
      assert.match(started.stderr, /AUTH_SECRET has 0 bytes/, mode);
    }
  });

  test("adds no generated files to git after a build", async () => {
    const root = join(home, "native-raw");
    const git = (...args: string[]): Promise<CommandResult> => run("git", args, { cwd: root });
    succeeded(await git("init", "--quiet"));
    const { stdout } = await git("status", "--porcelain", "--untracked-files=all");
    const files = stdout.split("\n").map((line) => line.slice(3));
    const generated = files.filter((file) => /^(\.kit|\.data|dist)\//.test(file));
    assert.deepEqual(generated, []);
    assert.ok(files.includes("src/app.ts"), stdout);
  });

  test("`npm run dev` works in a new project", async () => {
    const root = join(home, "hono-kysely");
    // A separate process group, which is stopped as Ctrl-C does.
    const child = spawn("npm", ["run", "dev"], {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...baseEnvironment(), PORT: "0", HOST: "127.0.0.1" },
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let text = "";
        child.stdout.setEncoding("utf8").on("data", (more: string) => {
          text += more;
          const found = /Listening on (\S+)/.exec(text)?.[1];
          if (found !== undefined) resolve(found);
        });
        child.once("close", () => reject(new Error(`it ended:\n${text}`)));
      });
      const answer = await fetch(`${url}/openapi.json`);
      assert.equal(answer.status, 200);
      const { paths } = (await answer.json()) as { paths: object };
      assert.deepEqual(Object.keys(paths).toSorted(), [
        "/order-items",
        "/order-items/{id}",
        "/todos",
        "/todos/{id}",
      ]);
      const page = await fetch(`${url}/docs`);
      assert.equal(page.status, 200);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    } finally {
      process.kill(-child.pid!, "SIGINT");
      await ended;
    }
  });
});

/** Runs a script of the project like its user. */
function script(root: string, name: string, ...args: readonly string[]): Promise<CommandResult> {
  return run("npm", ["run", "--silent", name, "--", ...args], { cwd: root, timeout: 300_000 });
}

function succeeded(result: CommandResult): void {
  assert.equal(result.code, 0, `${result.stdout}\n${result.stderr}`);
}
