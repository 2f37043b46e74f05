// Tests that the debug sidecar shows WebSockets and streams while they are open and after their end, on every server.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";

import type { StreamRecord } from "@kit/types";
import type { WebSocket } from "ws";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { until } from "../../packages/plugin-debug/test/support/sidecar.ts";
import { echo, gate, open, read, type Running, start } from "./observed-streams-application.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();
notInRust("streams in a debug sidecar", "`rust-observed-streams.test.ts` tests them");

const texts = ({ messages }: StreamRecord): string[] =>
  messages.map(({ direction, event, text }) =>
    [direction, event, text].filter((part) => part !== null).join(" "),
  );

for (const [server, make] of servers) {
  describe(server, () => {
    let app: Running;
    before(async () => {
      app = await start(make(), { mode: "dev" });
    });
    after(() => app[Symbol.asyncDispose]());
    const latest = async (name: string): Promise<StreamRecord> => {
      const { streams } = await app.list(`?route=${encodeURIComponent(name)}&limit=1`);
      return app.one(streams[0]!);
    };

    test("shows a WebSocket with its messages while it is open, and the close code of the handler at its end", async () => {
      const socket = await open(app.port, "/echo?token=secret");
      await echo(socket, { text: "Grüße", password: "hunter2" });
      const stream = await latest("WS /echo");
      assert.equal(stream.kind, "socket");
      assert.equal(stream.route, "WS /echo");
      assert.equal(stream.target, "/echo?token=[redacted]");
      assert.equal(stream.end, null);
      assert.ok(Math.abs(stream.startTime - Date.now()) < 30_000);
      assert.deepEqual(texts(stream), [
        `in {"text":"Grüße","password":"[redacted]"}`,
        `out {"text":"Grüße"}`,
      ]);
      const bytes = [`{"text":"Grüße","password":"hunter2"}`, `{"text":"Grüße"}`].map((text) =>
        Buffer.byteLength(text),
      );
      assert.deepEqual(stream.received, { messages: 1, bytes: bytes[0] });
      assert.deepEqual(stream.sent, { messages: 1, bytes: bytes[1] });
      assert.equal((await app.list()).open, 1);
      assert.ok(!("messages" in (await app.list()).streams[0]!), "the list has no messages");
      socket.send(`{"text":"bye"}`);
      await once(socket, "close");
      await until("the sidecar shows the end", async () => (await latest("WS /echo")).end !== null);
      const { time, ...end } = (await latest("WS /echo")).end!;
      assert.deepEqual(end, { result: "closed", code: 4001, reason: "As you wish" });
      assert.ok(time >= stream.startTime);
      assert.equal((await app.list()).open, 0);
    });

    test("shows the close code and the reason if the client closes the socket, and if a message breaks the contract", async () => {
      const ends: unknown[] = [];
      for (const finish of [
        (socket: WebSocket) => socket.close(3001, "enough"),
        (socket: WebSocket) => socket.send(`{"text":5}`),
        (socket: WebSocket) => socket.terminate(),
      ]) {
        const socket = await open(app.port, "/echo");
        await echo(socket, { text: "hello" });
        finish(socket);
        await once(socket, "close");
        await until("the sidecar shows the end", async () => (await latest("WS /echo")).end !== null);
        const { result, code, reason } = (await latest("WS /echo")).end!;
        ends.push([result, code, reason]);
      }
      assert.deepEqual(ends, [
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
      const { messages, received, sent, end } = await latest("WS /echo");
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
      assert.deepEqual([received.messages, sent.messages], [17, 16]);
      assert.equal(end?.code, 1003);
    });

    test("shows plain text only if the contract of the WebSocket has `Text`", async () => {
      const broken = await open(app.port, "/echo");
      broken.send(`"password":"hunter2"}`);
      await once(broken, "close");
      await until("the sidecar shows the end", async () => (await latest("WS /echo")).end !== null);
      assert.deepEqual(texts(await latest("WS /echo")), ["in"], "text that is not JSON has no names to hide");
      const socket = await open(app.port, "/text");
      for (const text of ["[12:00] hello", "1.0", `{"password":"hunter2"}`]) {
        socket.send(text);
        await once(socket, "message");
      }
      assert.deepEqual(texts(await latest("WS /text")), [
        "in [12:00] hello",
        "out [12:00] hello",
        "in 1.0",
        "out 1.0",
        `in {"password":"[redacted]"}`,
        `out {"password":"[redacted]"}`,
      ]);
      socket.terminate();
      await until("the socket is over", async () => (await app.list()).open === 0);
    });

    test("shows a stream of events while it is open, and its complete end", async () => {
      gate.release = Promise.withResolvers();
      await read(app.port, "/events", /"percent":20/);
      const stream = await latest("GET /events");
      assert.equal(stream.kind, "events");
      assert.deepEqual(texts(stream), [
        `out progress {"percent":10,"pin":"[redacted]"}`,
        `out progress {"percent":20}`,
      ]);
      assert.deepEqual(stream.received, { messages: 0, bytes: 0 });
      assert.equal(stream.end, null);
      gate.release.resolve();
      await until("the sidecar shows the end", async () => (await latest("GET /events")).end !== null);
      const { end, sent } = await latest("GET /events");
      assert.deepEqual([end!.result, end!.code, sent.messages], ["complete", null, 3]);
    });

    test("shows if a stream ended because its client disconnected or because its handler failed", async () => {
      gate.release = Promise.withResolvers();
      const leave = await read(app.port, "/lines", /"percent":1/);
      leave();
      await until("the sidecar shows the end", async () => (await latest("GET /lines")).end !== null);
      const { end: left, kind } = await latest("GET /lines");
      assert.deepEqual([kind, left!.result, left!.reason], ["lines", "disconnected", ""]);
      gate.release = Promise.withResolvers();
      await read(app.port, "/lines", /"percent":1/);
      gate.release.resolve();
      await until("the sidecar shows the end", async () => (await latest("GET /lines")).end !== null);
      const { end, messages } = await latest("GET /lines");
      assert.deepEqual([end!.result, end!.reason], ["failed", "The disk is full"]);
      assert.equal(messages[0]!.text, `{"percent":1}`);
    });

    test("stores 200 streams, and counts the streams that were opened while 200 others were open", async () => {
      const sockets: WebSocket[] = [];
      for (let index = 0; index < 205; index += 1) sockets.push(await open(app.port, "/echo"));
      const { open: count, missed, streams } = await app.list("?limit=1000");
      assert.deepEqual([count, missed, streams.length], [200, 5, 200]);
      for (const socket of sockets) socket.terminate();
      await until("all have ended", async () => (await app.list()).open === 0);
      assert.equal((await app.list("?limit=1000")).streams.length, 200);
    });

    test("keeps no messages in production", async () => {
      await using production = await start(make(), { mode: "production", apiKey: "key-of-this-test" });
      const socket = await open(production.port, "/echo");
      await echo(socket, { text: "private" });
      const { streams } = await production.list();
      const stream = await production.one(streams[0]!);
      assert.deepEqual([stream.received.messages, stream.sent.messages, stream.messages], [1, 1, []]);
      socket.terminate();
    });

    test("answers 404 for an unknown stream and for an unknown route", async () => {
      await assert.rejects(app.list("?route=/nowhere"), /there is no route/);
      await assert.rejects(app.one({ requestId: "unknown" } as StreamRecord), /there is no stream unknown/);
    });
  });
}
