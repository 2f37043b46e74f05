// Tests that projects of `kit scaffold init` work without a change: all combinations are built and type-checked, and some are tested
// and run.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { baseEnvironment, type CommandResult, run } from "../e2e/support/command.ts";
import { onlyLong } from "../e2e/support/long.ts";
import { repository } from "../e2e/support/project.ts";
import { RunningApp } from "../e2e/support/running-app.ts";
import { databaseStopped } from "./database.ts";
import { accessToken, SECRET } from "./token.ts";

const SERVERS = ["native", "express", "fastify", "hono"];
const DATABASES = ["raw", "drizzle", "kysely"];

/** Combinations whose tests run too, so that each server and each database library is tested. All except one get an additional entity. */
const TESTED = new Set(["native-raw", "express-raw", "fastify-drizzle", "hono-kysely"]);
const PLAIN = "express-raw";
/** Combination that gets a route and middleware. */
const EXTENDED = "express-kysely";

/** Query for each database library, with the database that belongs to one request. */
const QUERIES = {
  raw: 'dbOf(ctx).query("select 1")',
  drizzle: 'dbOf(ctx).execute("select 1")',
  kysely: 'dbOf(ctx).selectFrom("todos").selectAll().execute()',
};

const bin = join(repository, "node_modules/.bin");

describe("a new project", { timeout: 900_000 }, () => {
  let home: string;

  before(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), "kit-scaffold-"));
    // If the tests run as root, PostgreSQL runs as another account.
    await chmod(home, 0o755);
    // All projects below this directory find the packages here. tests/packed tests their installation.
    await symlink(join(repository, "node_modules"), join(home, "node_modules"));
  });

  after(async () => {
    for (const name of TESTED) await databaseStopped(join(home, name));
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  });

  /** Creates a project that finds the packages of this repository. */
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
      const name = `${server}-${database}`;
      // The combinations that are tested have each server and each database library.
      const skip = !TESTED.has(name) && name !== EXTENDED && onlyLong;
      test(`on ${server} with ${database} is built and type-checked`, { skip }, async () => {
        const root = await init(server, database);
        assert.ok(!existsSync(join(root, ".kit")));
        succeeded(await script(root, "check"));
        // The first build generates contract tests and a client. The script `check` type-checks them too.
        const contracts = await readFile(join(root, ".kit/tests/TodoRoutes.contract.js"), "utf8");
        const client = await readFile(join(root, ".kit/client/index.ts"), "utf8");
        for (const route of ["GET /todos", "POST /todos", "PUT /todos/:id", "DELETE /todos/:id"]) {
          assert.ok(contracts.includes(route), `contract tests of ${route}`);
          assert.ok(client.includes(route), `client of ${route}`);
        }
        // There are eight handwritten tests, and more than fifty that kit generates from the contracts of
        // todos.
        let tests = 58;
        if (TESTED.has(name) && name !== PLAIN) {
          succeeded(await run(join(bin, "kit"), ["scaffold", "add", "entity", "order-item"], { cwd: root }));
          succeeded(await script(root, "check"));
          tests += 4 + 50;
        }
        // The migrations of the project create all tables of its types, so nothing is left to generate.
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

  test("can be built and type-checked after a route and middleware were added", async () => {
    const root = join(home, EXTENDED);
    for (const what of [
      ["route", "order-items"],
      ["middleware", "request-log"],
    ])
      succeeded(await run(join(bin, "kit"), ["scaffold", "add", ...what], { cwd: root }));
    succeeded(await script(root, "check"));
    const { stdout } = await run(join(bin, "kit"), ["inspect", "routes", "--json"], { cwd: root });
    assert.ok(stdout.includes('"/order-items"'), stdout);
  });

  for (const name of TESTED) {
    test(`on ${name} runs as in production after a build, and shows users only their own rows`, () =>
      separatesUsers(name));
  }

  /** Starts a project as in production. Checks that users reach only their own rows. */
  async function separatesUsers(name: string): Promise<void> {
    const root = join(home, name);
    succeeded(await script(root, "build"));
    succeeded(await script(root, "migrate"));
    // `NODE_ENV=production` requires the URL of a database. Without `NODE_ENV`, the embedded database is used, and invented tokens are
    // refused.
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
      const request = async (user: string, method: string, path: string, body?: object): Promise<Response> =>
        fetch(app.url + path, {
          method,
          headers: {
            authorization: `Bearer ${await accessToken(name, user)}`,
            "content-type": "application/json",
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      const entities = [
        ["/todos", { title: "Buy milk" }, { title: "Bob's" }],
        ["/order-items", { name: "Milk" }, { name: "Bob's" }],
      ] as const;
      for (const [path, body, changes] of name === PLAIN ? entities.slice(0, 1) : entities) {
        const made = await request("ada", "POST", path, body);
        assert.equal(made.status, 201);
        const row = (await made.json()) as { id: string; userId: string };
        assert.equal(row.userId, "ada");
        // A client cannot choose the owner, because a property that the type does not declare is refused or
        // dropped.
        const foreign = await request("bob", "POST", path, { ...body, userId: "ada" });
        if (foreign.status === 201) assert.equal(((await foreign.json()) as typeof row).userId, "bob");
        else assert.equal(foreign.status, 400);
        const own = `${path}/${row.id}`;
        assert.equal((await request("bob", "GET", own)).status, 404);
        assert.equal((await request("bob", "PUT", own, changes)).status, 404);
        assert.equal((await request("bob", "DELETE", own)).status, 404);
        await request("ada", "PUT", own, { ...changes, userId: "bob" });
        const list = (await (await request("bob", "GET", path)).json()) as { data: { id: string }[] };
        assert.ok(list.data.every(({ id }) => id !== row.id));
        const kept = (await (await request("ada", "GET", own)).json()) as typeof row;
        assert.equal(kept.userId, "ada");
      }
      await assertClientWorks(root, app.url, await accessToken(name, "ada"));
    } finally {
      await app.stop();
    }
  }

  test("stops waiting for a query if the database accepts no connection", async () => {
    const projects = [
      ...(["native-raw", "fastify-drizzle", "hono-kysely"] as const).map((name) => ({
        root: join(home, name),
        query: QUERIES[name.split("-")[1] as keyof typeof QUERIES],
      })),
      { root: join(repository, "examples/teams"), query: QUERIES.kysely },
    ];
    // This server accepts TCP connections and never responds.
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on("error", () => {})));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    try {
      await Promise.all(projects.map(({ root, query }) => assertGivesUp(root, query, port)));
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  test("does not start without a secret, as in production", async () => {
    const root = join(home, "native-raw");
    for (const mode of ["production", "staging", ""]) {
      const env = { NODE_ENV: mode, DATABASE_URL: "postgres://127.0.0.1:1/none" };
      const started = await run(process.execPath, ["src/main.ts"], { cwd: root, env });
      assert.notEqual(started.code, 0, mode);
      assert.match(started.stderr, /AUTH_SECRET has 0 bytes/, mode);
    }
  });

  test("has no generated files in git after a build", async () => {
    const root = join(home, "native-raw");
    const git = (...args: string[]): Promise<CommandResult> => run("git", args, { cwd: root });
    succeeded(await git("init", "--quiet"));
    const { stdout } = await git("status", "--porcelain", "--untracked-files=all");
    const files = stdout.split("\n").map((line) => line.slice(3));
    const generated = files.filter((file) => /^(\.kit|\.data|dist)\//.test(file));
    assert.deepEqual(generated, []);
    assert.ok(files.includes("src/app.ts"), stdout);
  });

  test("a new project is served by `npm run dev`", async () => {
    const root = join(home, "hono-kysely");
    // The server has its own process group, which is stopped as by Ctrl-C.
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

/** Uses the generated client of a project as a program does that belongs to the project. */
async function assertClientWorks(root: string, url: string, token: string): Promise<void> {
  const program = `
    import { createClient } from "./.kit/client/index.ts";
    const api = createClient({ baseUrl: ${JSON.stringify(url)}, headers: { authorization: "Bearer ${token}" } });
    const todo = await api.post("/todos", { body: { title: "By the client" } });
    const found = await api.get("/todos/:id", { params: { id: todo.id } });
    console.log(found.title, found.createdAt instanceof Date);
  `;
  const used = await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: root });
  succeeded(used);
  assert.equal(used.stdout, "By the client true\n");
}

/** Checks that a query fails within `connectionTimeoutMillis` (5 seconds), also while the application starts. */
async function assertGivesUp(root: string, query: string, port: number): Promise<void> {
  const program = `
    import { database, dbOf } from "./src/database.ts";
    const ctx = { signal: new AbortController().signal };
    const messages = (error) => error === undefined ? "" : error.message + "; " + messages(error.cause);
    const begun = performance.now();
    const outcomes = await Promise.allSettled([${query}, database.onStart()]);
    console.log(JSON.stringify({
      ms: performance.now() - begun,
      outcomes: outcomes.map(({ status, reason }) => status + ": " + messages(reason)),
    }));
    process.exit();
  `;
  const env = { DATABASE_URL: `postgres://kit:kit@127.0.0.1:${port}/kit`, NODE_ENV: "production" };
  const args = ["--input-type=module", "--eval", program];
  const ended = await run(process.execPath, args, { cwd: root, env, timeout: 40_000 });
  succeeded(ended);
  const { ms, outcomes } = JSON.parse(ended.stdout) as { ms: number; outcomes: string[] };
  for (const outcome of outcomes) assert.match(outcome, /^rejected: .*connection timeout/s, root);
  assert.ok(ms > 4_500 && ms < 15_000, `${root} gave up after ${ms} ms`);
}

/** Runs an npm script of the project. */
function script(root: string, name: string, ...args: readonly string[]): Promise<CommandResult> {
  return run("npm", ["run", "--silent", name, "--", ...args], { cwd: root, timeout: 300_000 });
}

function succeeded(result: CommandResult): void {
  assert.equal(result.code, 0, `${result.stdout}\n${result.stderr}`);
}
