// Tests the timeouts, health probes, streams and shutdown of an application, over HTTP and with signals.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertError } from "../support/errors.ts";
import { Project } from "../support/project.ts";
import type { RunningApp } from "../support/running-app.ts";
import { onServer } from "../support/server.ts";

const files = new Map([
  ["package.json", '{ "name": "slow", "private": true, "type": "module" }'],
  [
    "src/slow.routes.ts",
    `import type { RouteContract } from "@kit/types";
export interface Address { ip: string }
export interface SlowRoutes {
  "GET /slow/:ms": RouteContract<{ ms: number }, void, void, Address>;
  "GET /ip": RouteContract<void, void, void, Address>;
  "GET /letters": RouteContract<void, { count: number }, void, unknown>;
}
`,
  ],
  [
    "src/main.ts",
    onServer(`import { setTimeout as sleep } from "node:timers/promises";
import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { SlowRoutes } from "./slow.routes.ts";

async function* letters(count: number) {
  for (let index = 0; index < count; index += 1) yield "abcdefghij".repeat(100);
}
const handlers = defineHandlers<SlowRoutes>({
  "GET /slow/:ms": async ({ params, ctx }) => {
    ctx.signal.addEventListener("abort", () => ctx.log.info("the signal was aborted"));
    ctx.log.info("slow begins");
    await sleep(params.ms);
    return { ip: "none" };
  },
  "GET /ip": ({ ctx }) => ({ ip: ctx.ip }),
  "GET /letters": ({ query, ctx }) => ctx.send(letters(query.count), { contentType: "text/plain" }),
});
const app = createApp({
  server: nativeServer(),
  routes: [{ handlers }],
  health: true,
  trustProxy: ["loopback"],
  requestTimeoutMs: Number(process.env["PATIENCE_MS"] ?? 400),
  plugins: [{ name: "last", onStop: () => console.log("stopped") }],
});
process.on("SIGUSR2", () => void app.close({ graceMs: 200 }));
const { url } = await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
console.log("Listening on " + url);
`),
  ],
]);

/** Options of an application whose request timeout is too long to be reached in these tests. */
const patient = { mode: "production", env: { PATIENCE_MS: "20000" } } as const;

let project: Project;
before(async () => {
  project = await Project.of(files);
  await project.kitOk("build");
});
after(() => project.remove());

/** Waits until the application has begun to close: it is not ready any more, or refuses connections. */
async function closing(app: RunningApp): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each request is sent after the previous one
    const status = await app
      .with({})
      .get("/readyz")
      .then(
        (answer) => answer.status,
        () => undefined,
      );
    if (status !== 200) return;
    // oxlint-disable-next-line no-await-in-loop
    await sleep(10);
  }
  assert.fail("the application did not begin to close");
}

/** Waits until the log contains a text, because log entries arrive later than responses. */
async function logged(app: RunningApp, text: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (app.stdout.includes(text)) return;
    await sleep(20);
  }
  assert.fail(`the log does not have ${JSON.stringify(text)}:\n${app.stdout}`);
}

describe("a running application", () => {
  let app: RunningApp;
  before(async () => {
    app = await project.start({ mode: "production" });
  });
  after(() => app.stop());

  test("responds with 503 to a request that takes too long, and continues to run", async () => {
    const api = app.with({});
    const [slow, quick] = await Promise.all([api.get("/slow/900"), api.get("/slow/50")]);
    assertError(slow, 503, "REQUEST_TIMEOUT");
    assert.equal(quick.status, 200);
    await logged(app, "the signal was aborted");
    await logged(app, "its result is discarded");
  });

  test("responds to health probes", async () => {
    const api = app.with({});
    assert.equal((await api.get("/healthz")).text, '{"status":"ok"}');
    assert.equal((await api.send("HEAD", "/readyz")).status, 200);
    assertError(await api.send("DELETE", "/readyz"), 405, "METHOD_NOT_ALLOWED");
  });

  test("takes the address of a client only from a trusted proxy", async () => {
    const { body } = await app.with({ "x-forwarded-for": "6.6.6.6, 203.0.113.9, 127.0.0.1" }).get("/ip");
    assert.deepEqual(body, { ip: "203.0.113.9" });
    assert.deepEqual((await app.with({}).get("/ip")).body, { ip: "127.0.0.1" });
  });

  test("sends a response that is not JSON", async () => {
    const answer = await app.with({}).get("/letters?count=1000");
    assert.equal(answer.headers.get("content-type"), "text/plain");
    assert.equal(answer.text.length, 1_000_000);
    const head = await app.with({}).send("HEAD", "/letters?count=2");
    assert.deepEqual([head.status, head.text], [200, ""]);
  });
});

describe("app.close()", () => {
  test("responds with 503 to requests that take longer than the grace period", async () => {
    const app = await project.start(patient);
    const slow = app.with({}).get("/slow/10000");
    await logged(app, "slow begins");
    app.send("SIGUSR2");
    assertError(await slow, 503, "SERVICE_UNAVAILABLE");
    await logged(app, "the signal was aborted");
    await logged(app, "stopped");
    await app.stop();
  });
});

describe("an application that receives SIGTERM", () => {
  test("finishes the requests in progress, stops the plugins, and exits with 0", async () => {
    const app = await project.start(patient);
    const slow = app.with({}).get("/slow/300");
    await logged(app, "slow begins");
    const ended = app.stop();
    assert.equal((await slow).status, 200);
    assert.deepEqual(await ended, { code: 0, signal: null });
    assert.match(app.stdout, /stopped\n$/);
  });

  test("exits immediately after a second signal", async () => {
    const app = await project.start(patient);
    const slow = app
      .with({})
      .get("/slow/10000")
      .catch((error: unknown) => error);
    await logged(app, "slow begins");
    const first = app.stop();
    // The system merges two signals of one kind if the process has not received the first one yet.
    await closing(app);
    await app.stop();
    assert.equal((await first).code, 143);
    assert.ok((await slow) instanceof Error);
  });
});
