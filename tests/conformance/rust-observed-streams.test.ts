// Tests that the debug sidecar of the Rust server shows WebSockets and streams, as `observed-streams.test.ts` does for Node.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, test } from "node:test";

import type { StreamRecord } from "@kit/types";
import type { WebSocket } from "ws";

import { sendRequest, until } from "../../packages/plugin-debug/test/support/sidecar.ts";
import { echo, type List, open } from "./observed-streams-application.ts";
import { isRust, startRust } from "./rust.ts";

/** Server with its sidecar. */
interface Observed extends AsyncDisposable {
  readonly port: number;
  get(path: string): Promise<Awaited<ReturnType<typeof sendRequest>>>;
}

async function start(environment: "development" | "production"): Promise<Observed> {
  const key = "a-key-for-this-test-only";
  const variables = { LOG_LEVEL: "info", DEBUG_PORT: "0", DEBUG_KEY: key };
  const app = await startRust("rust-server", { bodyBytes: 65_536 }, environment, variables);
  const port = Number(/The debug sidecar listens on http:\/\/[\d.]+:(\d+)/.exec(app.log!())![1]);
  return {
    port: app.port,
    get: (path) => sendRequest(port, path, { headers: { "x-debug-key": key } }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

async function list(app: Observed, query = ""): Promise<List> {
  const answer = await app.get(`/_debug/streams${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as List;
}

async function latest(app: Observed, route: string): Promise<StreamRecord> {
  const { streams } = await list(app, `?route=${encodeURIComponent(route)}&limit=1`);
  const answer = await app.get(`/_debug/streams/${streams[0]!.requestId}`);
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as { stream: StreamRecord }).stream;
}

/** Returns a stream after its end. */
async function ended(app: Observed, route: string): Promise<StreamRecord> {
  await until("the sidecar shows the end", async () => (await latest(app, route)).end !== null);
  return await latest(app, route);
}

const texts = ({ messages }: StreamRecord): string[] =>
  messages.map(({ direction, event, text }) =>
    [direction, event, text].filter((part) => part !== null).join(" "),
  );

/** Reads a response to its end, or disconnects after the first chunk. */
async function read(port: number, path: string, mode: string, leaves: boolean): Promise<void> {
  const sent = request({ port, host: "127.0.0.1", path, headers: { "x-mode": mode }, agent: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  // A response that breaks off has an error too, so `once` would reject.
  const closed = new Promise((resolve) => response.once("close", resolve));
  if (leaves) response.once("data", () => sent.destroy());
  else response.resume();
  await closed;
}

describe("streams in the sidecar of the Rust server", { skip: !isRust && "only for Rust" }, () => {
  let app: Observed;
  before(async () => {
    app = await start("development");
  });
  after(() => app[Symbol.asyncDispose]());

  test("shows a WebSocket with its messages while it is open", async () => {
    const socket = await open(app.port, "/echo?token=secret");
    await echo(socket, { text: "Grüße", password: "hunter2" });
    const stream = await latest(app, "WS /echo");
    assert.deepEqual(
      [stream.kind, stream.route, stream.target, stream.protocol, stream.end],
      ["socket", "WS /echo", "/echo?token=[redacted]", null, null],
    );
    assert.ok(Math.abs(stream.startTime - Date.now()) < 30_000);
    assert.deepEqual(texts(stream), [`in {"text":"Grüße","password":"[redacted]"}`, `out {"text":"Grüße"}`]);
    const bytes = [`{"text":"Grüße","password":"hunter2"}`, `{"text":"Grüße"}`].map((text) =>
      Buffer.byteLength(text),
    );
    assert.deepEqual(stream.received, { messages: 1, bytes: bytes[0] });
    assert.deepEqual(stream.sent, { messages: 1, bytes: bytes[1] });
    const { open: count, streams } = await list(app);
    assert.equal(count, 1);
    assert.ok(!("messages" in streams[0]!), "the list has no messages");
    socket.close();
    await once(socket, "close");
    await ended(app, "WS /echo");
    assert.equal((await list(app)).open, 0);
  });

  test("shows messages in plain text, and hides secrets in those that are JSON", async () => {
    const socket = await open(app.port, "/messages/text");
    for (const text of ["[12:00] hello", "1.0", `{"password":"hunter2"}`]) {
      socket.send(text);
      await once(socket, "message");
    }
    assert.deepEqual(texts(await latest(app, "WS /messages/text")), [
      "in [12:00] hello",
      "out [12:00] hello",
      "in 1.0",
      "out 1.0",
      `in {"password":"[redacted]"}`,
      `out {"password":"[redacted]"}`,
    ]);
    socket.close();
    await once(socket, "close");
    await until("the socket is over", async () => (await list(app)).open === 0);
  });

  test("shows who closed a WebSocket, with the code and the reason", async () => {
    const ends: unknown[] = [];
    for (const [path, finish] of [
      ["/close", (socket: WebSocket) => socket.send(`{"text":"As you wish"}`)],
      ["/echo", (socket: WebSocket) => socket.close(3001, "enough")],
      ["/echo", (socket: WebSocket) => socket.send(`{"text":5}`)],
      ["/echo", (socket: WebSocket) => socket.terminate()],
    ] as const) {
      const socket = await open(app.port, path);
      await until("the sidecar shows the socket", async () => (await list(app)).open === 1);
      finish(socket);
      await once(socket, "close");
      const { end } = await ended(app, `WS ${path}`);
      ends.push([end!.result, end!.code, end!.reason]);
      await until("the socket is over", async () => (await list(app)).open === 0);
    }
    assert.deepEqual(ends, [
      ["closed", 4001, "As you wish"],
      ["disconnected", 3001, "enough"],
      ["closed", 1008, "$.text: expected string"],
      ["disconnected", 1006, ""],
    ]);
  });

  test("stores the last 20 messages; of long and binary messages, stores only the number of bytes", async () => {
    const socket = await open(app.port, "/echo");
    for (let index = 0; index < 15; index += 1) await echo(socket, { text: `${index}` });
    await echo(socket, { text: "x".repeat(2_000) });
    socket.send(Buffer.from([1, 2, 3]));
    await once(socket, "close");
    const { messages, received, sent, end } = await ended(app, "WS /echo");
    assert.equal(messages.length, 20);
    assert.deepEqual(
      messages.slice(-5).map(({ direction, bytes, text }) => [direction, bytes, text]),
      [
        ["in", 13, `{"text":"14"}`],
        ["out", 13, `{"text":"14"}`],
        ["in", 2_011, null],
        ["out", 2_011, null],
        ["in", 3, null],
      ],
    );
    assert.deepEqual([received.messages, sent.messages, end?.code], [17, 16, 1003]);
  });

  test("shows streams of events and of lines with their ends", async () => {
    await read(app.port, "/events", "", false);
    const events = await ended(app, "GET /events");
    assert.deepEqual(
      [events.kind, events.end!.result, events.end!.code, events.sent.messages],
      ["events", "complete", null, 3],
    );
    assert.equal(texts(events)[0], `out progress {"percent":50}`);
    await read(app.port, "/events", "numbers", true);
    assert.equal((await ended(app, "GET /events")).end!.result, "disconnected");
    await read(app.port, "/books", "", false);
    const lines = await ended(app, "GET /books");
    assert.deepEqual([lines.kind, lines.end!.result, lines.sent.messages], ["lines", "complete", 2]);
    assert.match(lines.messages[0]!.text!, /^\{"title":"Book 1",/);
  });

  test("stores 200 streams, and counts the streams that were opened while 200 others were open", async () => {
    const sockets: WebSocket[] = [];
    for (let index = 0; index < 205; index += 1) sockets.push(await open(app.port, "/echo"));
    await until("all are open", async () => {
      const { open: count, missed, streams } = await list(app, "?limit=1000");
      return count === 200 && missed === 5 && streams.length === 200;
    });
    for (const socket of sockets) socket.terminate();
    await until("all have ended", async () => (await list(app)).open === 0);
    assert.equal((await list(app, "?limit=1000")).streams.length, 200);
  });

  test("keeps no messages in production", async () => {
    await using production = await start("production");
    const socket = await open(production.port, "/echo");
    await echo(socket, { text: "private" });
    const stream = await latest(production, "WS /echo");
    assert.deepEqual([stream.received.messages, stream.sent.messages, stream.messages], [1, 1, []]);
    socket.terminate();
  });

  test("answers 404 for an unknown stream and for an unknown route", async () => {
    const [route, stream] = await Promise.all([
      app.get("/_debug/streams?route=/nowhere"),
      app.get("/_debug/streams/unknown"),
    ]);
    assert.equal(route.status, 404, route.text);
    assert.equal(stream.status, 404, stream.text);
    assert.match(stream.text, /there is no stream unknown/);
  });
});
