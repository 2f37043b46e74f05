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
    const { DATABASE_URL: _, ...env } = process.env;
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
  assert.match(migrations.text, /DATABASE_URL is not set/);
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
