// Runs every case of conformance/request-log.json on every server, over real connections.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { createApp, type RequestLogOptions } from "@kit/core";
import { expressServer } from "@kit/server-express";
import { fastifyServer } from "@kit/server-fastify";
import { honoServer } from "@kit/server-hono";
import type { ServerAdapter } from "@kit/types";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";

import { compiled } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { type CaseRequest, open, readConformance, send } from "./option-cases.ts";
import { edgeColumns, type Served } from "./edge-columns.ts";
import { readResponses, sendBytes } from "./raw-client.ts";
import { isRust, notInRust } from "./rust.ts";

let written = "";
quietStdout((text) => (written += text));

/** Case of `conformance/request-log.json`. The property `about` of that file explains the properties. */
interface Case {
  readonly name: string;
  readonly requestLog: string;
  readonly request: CaseRequest;
  readonly status: number;
  readonly entry: { readonly route: string | null; readonly data: Readonly<Record<string, unknown>> } | null;
}

interface Entry {
  readonly level: string;
  readonly message: string;
  readonly traceId?: string;
  readonly route?: string;
  readonly phase?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const { options, cases } = readConformance<{
  options: Readonly<Record<string, boolean | RequestLogOptions>>;
  cases: readonly Case[];
}>("request-log.json");

function entriesIn(log: string, traceId: string): Entry[] {
  const lines = log.split("\n").filter((line) => line.includes(traceId) && line.startsWith("{"));
  const entries = lines.map((line) => JSON.parse(line) as Entry);
  return entries.filter(({ message }) => message === "Request completed");
}

/** Waits until the log has an entry of the request. */
async function entryOf(log: () => string, traceId: string): Promise<Entry> {
  for (let wait = 0; wait < 500; wait += 1) {
    const [entry, ...more] = entriesIn(log(), traceId);
    if (entry !== undefined) {
      assert.equal(more.length, 0, "a second entry");
      return entry;
    }
    await sleep(10);
  }
  throw new Error("The log has no entry of the request");
}

function newTrace(): { readonly traceId: string; readonly headers: Readonly<Record<string, string>> } {
  const traceId = randomBytes(16).toString("hex");
  return { traceId, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } };
}

/** Checks the data of an entry and returns it without the duration. */
function withoutDuration({ durationMs, ...data }: Entry["data"]): object {
  assert.ok(typeof durationMs === "number" && durationMs >= 0 && durationMs < 60_000, String(durationMs));
  return data;
}

for (const [server, serve] of edgeColumns) {
  for (const [name, requestLog] of Object.entries(options)) {
    describe(`${server}, requestLog: ${name}`, () => {
      let app: Served;
      const log = (): string => app.log?.() ?? written;
      before(async () => {
        app = await serve({ requestLog });
      });
      after(() => app[Symbol.asyncDispose]());
      for (const { name: caseName, request, status, entry } of cases.filter(
        (one) => one.requestLog === name,
      )) {
        test(caseName, async () => {
          const { traceId, headers } = newTrace();
          const received = await send(app.port, { ...request, headers: { ...request.headers, ...headers } });
          assert.equal(received.status, status);
          if (entry === null) {
            // A later request that is logged shows that the entry would be there.
            const later = newTrace();
            await send(app.port, { method: "GET", target: "/fail", headers: later.headers });
            await entryOf(log, later.traceId);
            assert.deepEqual(entriesIn(log(), traceId), []);
            return;
          }
          const found = await entryOf(log, traceId);
          assert.equal(found.level, "info");
          assert.equal(found.route ?? null, entry.route);
          const { bytes } = entry.data;
          assert.deepEqual(withoutDuration(found.data), {
            ...entry.data,
            bytes: bytes ?? received.body.length,
          });
        });
      }
    });
  }

  test(`${server}: logs a stream that the client cuts, and a response of the HTTP engine`, async () => {
    await using app = await serve({ requestLog: { sampleRate: 0 } });
    const log = (): string => app.log?.() ?? written;
    const { traceId, headers } = newTrace();
    const response = await open(app.port, {
      method: "GET",
      target: "/sized/50000000",
      headers: { ...headers, "x-stream": "yes" },
    });
    await once(response, "data");
    response.destroy();
    const { data } = await entryOf(log, traceId);
    assert.deepEqual([data["status"], data["cut"]], [200, true]);
    assert.ok(Number(data["bytes"]) < 50_000_000);

    const [refused] = readResponses(
      await sendBytes(app.port, Buffer.from("GET / HTTP/1.1\r\nno colon\r\n\r\n"), 5000),
    );
    assert.equal(refused?.status, 400);
    const { error } = JSON.parse(refused.body) as { error: { traceId: string } };
    const found = await entryOf(log, error.traceId);
    assert.deepEqual(found.data, { status: 400, code: "BAD_REQUEST", ip: "127.0.0.1" });
  });
}

notInRust(
  "a refusal behind a trusted proxy",
  "TRUST_PROXY of the program is not set; vectors test its rules",
);
for (const [server, serve] of isRust ? [] : edgeColumns) {
  test(`${server}: does not log the address of a trusted proxy as the address of a refused client`, async () => {
    await using app = await serve({ requestLog: true, trustProxy: 1 });
    const bytes = Buffer.from("GET / HTTP/1.1\r\nno colon\r\n\r\n");
    const [refused] = readResponses(await sendBytes(app.port, bytes, 5000));
    const { error } = JSON.parse(refused?.body ?? "") as { error: { traceId: string } };
    const found = await entryOf(() => app.log?.() ?? written, error.traceId);
    assert.deepEqual(found.data, { status: 400, code: "BAD_REQUEST" });
  });
}

test("each case names an option in the conformance file", () => {
  for (const { name, requestLog } of cases) assert.ok(Object.hasOwn(options, requestLog), name);
});

/** Frameworks with a route of their own. */
const frameworks: readonly (readonly [name: string, make: () => ServerAdapter])[] = [
  [
    "express",
    () => {
      const app = express();
      app.get("/own", (_request, response) => void response.send("own"));
      return expressServer({ app });
    },
  ],
  [
    "fastify",
    () => {
      const app = fastify();
      app.get("/own", () => "own");
      return fastifyServer({ app });
    },
  ],
  [
    "hono",
    () => {
      const app = new Hono();
      app.get("/own", (context) => context.text("own"));
      return honoServer({ app });
    },
  ],
];

notInRust("the request log with a framework", "the Rust server has no framework with routes of its own");

for (const [name, make] of isRust ? [] : frameworks) {
  test(`${name}: logs responses of the framework's own routes, and responses of kit once`, async () => {
    const app = createApp({
      server: make(),
      compiled: compiled(),
      routes: [],
      requestLog: { userAgent: true },
      signals: false,
    });
    const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
    try {
      const mark = randomBytes(8).toString("hex");
      const headers = { "user-agent": mark };
      await send(port, { method: "GET", target: "/own?a=b", headers });
      const { data } = await entryOf(() => written, mark);
      // Some frameworks do not tell the length of their bodies.
      const bytes = name === "express" ? { bytes: 3 } : {};
      const own = { method: "GET", path: "/own", status: 200, ...bytes, ip: "127.0.0.1", userAgent: mark };
      assert.deepEqual(withoutDuration(data), own);

      const { traceId, headers: trace } = newTrace();
      await send(port, { method: "GET", target: "/nothing", headers: { ...trace, "user-agent": traceId } });
      const { data: ofKit } = await entryOf(() => written, traceId);
      assert.deepEqual([ofKit["path"], ofKit["status"]], ["/nothing", 404]);
    } finally {
      await app.close({ graceMs: 0 });
    }
  });
}
