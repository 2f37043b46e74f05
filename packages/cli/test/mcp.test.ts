// Tests of `kit mcp` as a process.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { NOTES, Project } from "./support/project.ts";

const KIT = fileURLToPath(new URL("../bin/kit.js", import.meta.url));
const timeoutMs = 60_000;

interface Message {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly properties: object };
  readonly annotations: { readonly readOnlyHint: boolean };
}

/** Process of `kit mcp` after the handshake. */
class Agent {
  readonly ended: Promise<number | string | null>;
  err = "";
  readonly #child;
  readonly #messages: Message[] = [];
  #rest = "";
  #next = 0;

  private constructor(t: TestContext, root: string, args: readonly string[]) {
    const { DATABASE_URL: _url, MIGRATE_URL: _migrateUrl, CI: _ci, ...env } = process.env;
    this.#child = spawn(process.execPath, [KIT, "mcp", ...args], { cwd: root, env });
    this.#child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (this.#rest + chunk).split("\n");
      this.#rest = lines.pop() ?? "";
      this.#messages.push(...lines.map((line) => JSON.parse(line) as Message));
    });
    this.#child.stderr.setEncoding("utf8").on("data", (chunk: string) => (this.err += chunk));
    this.ended = new Promise((resolve) => {
      this.#child.on("close", (code, signal) => resolve(signal ?? code));
    });
    t.after(() => this.#child.kill("SIGKILL"));
  }

  static async start(t: TestContext, root: string, args: readonly string[] = []): Promise<Agent> {
    const agent = new Agent(t, root, args);
    const { result } = await agent.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
    const info = result?.["serverInfo"] as { readonly name: string } | undefined;
    assert.equal(info?.name, "kit");
    agent.write({ method: "notifications/initialized" });
    return agent;
  }

  write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  end(): void {
    this.#child.stdin.end();
  }

  async request(method: string, params: object = {}): Promise<Message> {
    const id = ++this.#next;
    this.write({ id, method, params });
    const end = performance.now() + timeoutMs;
    for (;;) {
      const found = this.#messages.find((message) => message.id === id);
      if (found !== undefined) return found;
      if (performance.now() > end) throw new Error(`no answer to ${method}; stderr: ${this.err}`);
      // oxlint-disable-next-line no-await-in-loop
      await sleep(5);
    }
  }

  async tools(): Promise<readonly Tool[]> {
    return (await this.request("tools/list")).result?.["tools"] as readonly Tool[];
  }

  /** Calls a tool. Returns all texts of its answer. */
  async texts(name: string): Promise<readonly string[]> {
    const { result } = await this.request("tools/call", { name, arguments: {} });
    const content = (result ?? {})["content"] as readonly { readonly text: string }[];
    return content.map(({ text }) => text);
  }

  /** Number of the next request. */
  get next(): number {
    return this.#next + 1;
  }

  /** Calls a tool. Returns its text, and true if the tool failed. */
  async call(name: string, args: object = {}): Promise<{ text: string; failed: boolean }> {
    const answer = await this.request("tools/call", { name, arguments: args });
    assert.equal(answer.error, undefined);
    const result = answer.result as {
      readonly content: readonly { readonly type: string; readonly text: string }[];
      readonly isError?: boolean;
    };
    const [content] = result.content;
    assert.equal(content?.type, "text");
    return { text: content.text, failed: result.isError === true };
  }

  /** Calls a tool that succeeds, and returns its JSON. */
  async json(name: string, args: object = {}): Promise<unknown> {
    const { text, failed } = await this.call(name, args);
    assert.ok(!failed, text);
    return JSON.parse(text);
  }
}

async function built(t: TestContext): Promise<Project> {
  const project = await Project.create(t, NOTES);
  const outcome = await project.kit(["build", "--no-compile"]);
  assert.equal(outcome.code, 0, outcome.err);
  return project;
}

test("tools describe the routes and types of a built project", async (t) => {
  const project = await built(t);
  const agent = await Agent.start(t, project.root);
  const routes = (await agent.json("routes")) as readonly { path: string }[];
  assert.deepEqual(
    routes.map(({ path }) => path),
    ["/notes/:id"],
  );
  const route = JSON.stringify(await agent.json("route", { route: "GET /notes/:id" }));
  assert.match(route, /"Note"/);
  const types = (await agent.json("types")) as readonly object[];
  assert.deepEqual(types[0], { name: "Note", table: "notes", file: "src/notes.types.ts", line: 2 });
  const type = (await agent.json("type", { name: "Note" })) as { properties: readonly object[] };
  assert.ok(type.properties.some((property) => JSON.stringify(property).includes('"maxLength":200')));
  const page = (await agent.json("explain", { code: "KIT1302" })) as { page: string };
  assert.match(page.page, /^# KIT1302/);
  agent.end();
  assert.equal(await agent.ended, 0);
  assert.equal(agent.err, "");
});

test("a tool that fails returns the reason, and the server continues", async (t) => {
  const project = await built(t);
  const agent = await Agent.start(t, project.root, ["--debug-port", "1"]);
  const unknown = await agent.call("route", { route: "GET /noted/:id" });
  assert.ok(unknown.failed);
  assert.match(unknown.text, /did you mean/);
  const missing = await agent.call("route");
  assert.deepEqual([missing.failed, missing.text.split(":")[0]], [true, "the parameter `route` is missing"]);
  const sidecar = await agent.call("errors", { last: 3 });
  assert.ok(sidecar.failed);
  assert.match(sidecar.text, /no debug sidecar listens on port 1/);
  const none = await agent.request("tools/call", { name: "delete_everything", arguments: {} });
  assert.match(none.error?.message ?? "", /there is no tool `delete_everything`/);
  await project.write("src/more.types.ts", "export interface More { id: string }\n");
  const stale = (await agent.json("check")) as { status: string };
  assert.equal(stale.status, "stale");
  await project.write("src/wrong.types.ts", "/** @table */\nexport interface A { id: string }\n");
  const check = await agent.call("check");
  assert.ok(check.failed);
  assert.match(check.text, /KIT1603/);
  assert.equal((await agent.call("routes")).failed, false);
});

test("without --allow-run no tool runs code of the project", async (t) => {
  const project = await built(t);
  const agent = await Agent.start(t, project.root);
  const names = (await agent.tools()).map(({ name }) => name);
  assert.ok(names.every((name) => !name.startsWith("run_")));
  const migrations = await agent.call("migration_status");
  assert.ok(migrations.failed);
  assert.match(migrations.text, /neither DATABASE_URL nor MIGRATE_URL has a value/);
  const long = await agent.call("type", { name: "x".repeat(2_000_000) });
  assert.equal(long.text, "the parameter `name` must be a text of 1 to 500 bytes");
  const refused = await agent.call("run_tests");
  assert.ok(refused.failed);
  assert.match(refused.text, /kit mcp --allow-run/);
  const plugin = [
    'import { appendFileSync } from "node:fs";',
    'export default { plugins: [{ name: "a", hooks: { emit() { appendFileSync("ran.txt", "x"); } } }] };',
    "",
  ].join("\n");
  await project.write("kit.config.js", plugin);
  const check = await agent.call("check");
  assert.ok(check.failed, check.text);
  assert.match(check.text, /the project has plugins/);
  assert.equal(await project.read("ran.txt"), "");
});

test("without --allow-run the tools for migrations start no database, and need one of its two variables", async (t) => {
  const project = await built(t);
  const agent = await Agent.start(t, project.root);
  for (const variables of ["DATABASE_URL=\n", 'DATABASE_URL=" "\nMIGRATE_URL=\n']) {
    await project.write(".env", variables);
    for (const tool of ["migration_status", "migration_dry_run"]) {
      const refused = await agent.call(tool);
      assert.ok(refused.failed);
      assert.match(refused.text, /would start the embedded database; .*`kit mcp --allow-run`/, variables);
    }
  }
  // Nothing listens on this port: the tool runs, and fails to connect.
  await project.write(".env", "DATABASE_URL=\nMIGRATE_URL=postgres://kit@127.0.0.1:1/none\n");
  const tried = await agent.call("migration_status");
  assert.ok(tried.failed);
  assert.match(tried.text, /127\.0\.0\.1/);
  assert.doesNotMatch(tried.text, /allow-run/);
});

test("with --allow-run tools run the contract tests of the project", async (t) => {
  const project = await built(t);
  const agent = await Agent.start(t, project.root, ["--allow-run"]);
  const tools = await agent.tools();
  const run = tools.filter(({ name }) => name.startsWith("run_"));
  assert.equal(run.length, 3);
  assert.ok(run.every(({ annotations }) => !annotations.readOnlyHint));
  await project.write("src/sum.test.ts", 'import { test } from "node:test";\ntest("adds", () => {});\n');
  const report = (await agent.json("run_tests")) as { passed: number };
  assert.equal(report.passed, 1);
});

test("pages about diagnostic codes and the list of routes are resources", async (t) => {
  const project = await built(t);
  const agent = await Agent.start(t, project.root);
  const templates = await agent.request("resources/templates/list");
  assert.match(JSON.stringify(templates.result), /kit:\/\/errors\/\{code\}/);
  const page = await agent.request("resources/read", { uri: "kit://errors/KIT1302" });
  assert.match(JSON.stringify(page.result?.["contents"]), /# KIT1302/);
  const routes = await agent.request("resources/read", { uri: "kit://routes" });
  assert.match(JSON.stringify(routes.result?.["contents"]), /notes\/:id/);
  const missing = await agent.request("resources/read", { uri: "file:///etc/passwd" });
  assert.match(missing.error?.message ?? "", /there is no resource/);
});

test("tools mark facts of a build that is out of date", async (t) => {
  const project = await built(t);
  const agent = await Agent.start(t, project.root);
  assert.equal((await agent.texts("routes")).length, 1);
  const types = NOTES["src/notes.types.ts"] ?? "";
  await project.write("src/notes.types.ts", types.replace("@maxLength 200", "@maxLength 333"));
  for (const name of ["routes", "types", "middleware"]) {
    // oxlint-disable-next-line no-await-in-loop
    assert.match((await agent.texts(name))[1] ?? "", /^This answer is out of date/, name);
  }
  const resource = await agent.request("resources/read", { uri: "kit://routes" });
  assert.match(JSON.stringify(resource.result?.["contents"]), /This answer is out of date/);
  await project.write("src/notes.types.ts", types.replace("@maxLength 200", "@maxLength many"));
  assert.match((await agent.texts("routes"))[1] ?? "", /the sources have mistakes now/);
  await project.write("src/notes.types.ts", types);
  assert.equal((await agent.texts("routes")).length, 1);
});

test("refuses to start in a directory that is no project", async (t) => {
  const project = await Project.create(t, { "notes.txt": "" });
  const outcome = await project.kit(["mcp"]);
  assert.equal(outcome.code, 1);
  assert.match(outcome.err, /is not a project: it has neither a package.json nor the directory src\//);
  assert.equal(outcome.out, "");
});

test("an agent can cancel tests that run, and use other tools meanwhile", async (t) => {
  const project = await built(t);
  const slow = [
    'import { writeFileSync } from "node:fs";',
    'import { test } from "node:test";',
    'process.on("exit", () => writeFileSync("exit.txt", ""));',
    'process.on("SIGTERM", () => process.exit(1));',
    'test("waits", async () => {',
    '  writeFileSync("started.txt", "");',
    "  await new Promise((resolve) => setTimeout(resolve, 60_000));",
    "});",
    "",
  ].join("\n");
  await project.write("src/slow.test.ts", slow);
  const agent = await Agent.start(t, project.root, ["--allow-run"]);
  const id = agent.next;
  const running = agent.request("tools/call", { name: "run_tests", arguments: {} });
  running.catch(() => undefined);
  const end = performance.now() + timeoutMs;
  // oxlint-disable-next-line no-await-in-loop
  while (!(await project.exists("started.txt")) && performance.now() < end) await sleep(50);
  // Requests that need no tool are answered while the tests run.
  assert.ok((await agent.tools()).length > 10);
  const start = performance.now();
  agent.write({ method: "notifications/cancelled", params: { requestId: id, reason: "too slow" } });
  assert.equal((await agent.texts("routes")).length, 1);
  assert.ok(performance.now() - start < 20_000, "the tests were stopped");
  agent.end();
  assert.equal(await agent.ended, 0);
});

/** Project with a test that takes as long as a minute. */
async function withSlowTest(t: TestContext): Promise<Project> {
  const project = await built(t);
  const slow = [
    'import { test } from "node:test";',
    'test("waits", () => new Promise((resolve) => setTimeout(resolve, 60_000)));',
    "",
  ].join("\n");
  await project.write("src/slow.test.ts", slow);
  return project;
}

test("a cancellation that arrives with its call ends the call", async (t) => {
  const project = await withSlowTest(t);
  const agent = await Agent.start(t, project.root, ["--allow-run"]);
  const start = performance.now();
  const id = agent.next;
  agent.request("tools/call", { name: "run_tests", arguments: {} }).catch(() => undefined);
  agent.write({ method: "notifications/cancelled", params: { requestId: id } });
  assert.equal((await agent.texts("routes")).length, 1);
  assert.ok(performance.now() - start < 20_000, "the tests were stopped");
});

test("a call is answered although the agent closes the stream after it", async (t) => {
  const project = await built(t);
  await project.write("src/sum.test.ts", 'import { test } from "node:test";\ntest("adds", () => {});\n');
  const agent = await Agent.start(t, project.root, ["--allow-run"]);
  const answer = agent.call("run_tests");
  agent.end();
  const { text, failed } = await answer;
  assert.ok(!failed, text);
  assert.equal((JSON.parse(text) as { passed: number }).passed, 1);
  assert.equal(await agent.ended, 0);
});
