// WebSockets of routes with the key `WS …`, on every server over real connections. `sockets-on-node.test.ts` tests the servers on Node.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, test } from "node:test";

import type { ServerAdapter } from "@kit/types";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { ask, handshake, nextNumber, SocketClient, until } from "./socket-client.ts";
import { createSocketApp, noticed } from "./sockets-application.ts";

quietStdout();

/** Application that runs on a server. */
interface Started {
  readonly port: number;
  /** Returns the events that a handler has noticed for a client that has sent this name. */
  noticed(name: string): readonly string[];
  /** Ends open sockets with 1001, and waits for the end of the application. */
  close(graceMs: number): Promise<void>;
}

async function startOnNode(server: ServerAdapter): Promise<Started> {
  const app = createSocketApp(server);
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    port,
    noticed: (name) => noticed.get(name) ?? [],
    close: (graceMs) => app.close({ graceMs }),
  };
}

/** Starts the Rust server, whose handlers print what they notice. */
async function startOnRust(): Promise<Started> {
  const settings = { bodyBytes: 64 * 1024, requestTimeoutMs: 500 };
  const program = await startRust("rust-server", settings, "development", { LOG_LEVEL: "fatal" });
  return {
    port: program.port,
    noticed: (name) =>
      [...program.log!().matchAll(new RegExp(`^noticed ${name} (.*)$`, "gm"))].map(([, event]) => event!),
    close: async () => {
      await program.stop!();
    },
  };
}

const targets: readonly [name: string, start: () => Promise<Started>][] = isRust
  ? [["rust", startOnRust]]
  : servers.map(([name, make]) => [name, () => startOnNode(make())]);

for (const [server, start] of targets) {
  describe(server, { concurrency: 8 }, () => {
    let app: Started;
    let port: number;
    before(async () => {
      app = await start();
      ({ port } = app);
    });
    after(() => app.close(1000));

    test("sends each message to the handler and back, in order", async () => {
      const client = await SocketClient.open(port, "/echo");
      for (let index = 0; index < 200; index += 1) client.send({ text: `message ${index}` });
      const received = await client.receive(200);
      assert.deepEqual(
        received,
        Array.from({ length: 200 }, (_, index) => ({ text: `message ${index}` })),
      );
      client.socket.close(1000);
      assert.equal((await client.closed).code, 1000);
    });

    test("checks params, query, headers and cookies before the handshake", async () => {
      const valid = { ...handshake, "x-color": "red" };
      assert.equal((await ask(port, "/rooms/7", valid)).status, 101);
      assert.equal((await ask(port, "/rooms/x", valid)).status, 400);
      assert.equal((await ask(port, "/rooms/7", handshake)).code, "VALIDATION_ERROR");
      assert.equal((await ask(port, "/other", valid)).status, 404);
    });

    test("gives the handler its input and the request's address and headers", async () => {
      const client = await SocketClient.open(port, "/rooms/7?name=Ada", { "x-color": "red" });
      assert.deepEqual(await client.receive(1), [{ text: "7 Ada 127.0.0.1 red" }]);
      assert.deepEqual(await client.closed, { code: 1000, reason: "" });
    });

    test("answers a request that is no handshake with 426", async () => {
      const { status, headers, code } = await ask(port, "/echo", {});
      assert.deepEqual([status, code], [426, "UPGRADE_REQUIRED"]);
      assert.equal(headers["upgrade"], "websocket");
      assert.match(String(headers["connection"]), /upgrade/i);
    });

    test("answers 426 if the header connection does not list upgrade", async () => {
      for (const connection of ["close", "keep-alive", "upgraded, keep-alive"]) {
        const { status, code } = await ask(port, "/echo", { ...handshake, connection });
        assert.deepEqual([status, code], [426, "UPGRADE_REQUIRED"], connection);
      }
    });

    test("accepts a handshake that offers other protocols too", async () => {
      const valid = {
        ...handshake,
        "x-color": "red",
        upgrade: "h2c, WebSocket",
        connection: "keep-alive, upgrade",
      };
      assert.equal((await ask(port, "/rooms/7", valid)).status, 101);
    });

    test("accepts a handshake in a row with other requests, after their responses", async () => {
      const socket = connect(port, "127.0.0.1");
      const plain = "GET /plain HTTP/1.1\r\nhost: a\r\n\r\n";
      const lines = Object.entries(handshake).map(([key, value]) => `${key}: ${value}\r\n`);
      socket.write(`${plain}${plain}GET /echo HTTP/1.1\r\nhost: a\r\n${lines.join("")}\r\n`);
      let received = "";
      for await (const chunk of socket.setEncoding("latin1")) {
        received += chunk;
        if (/ 101 [^]*\r\n\r\n/.test(received)) break;
      }
      assert.match(received, /^HTTP\/1.1 200 [^]*HTTP\/1.1 200 [^]*HTTP\/1.1 101 /);
    });

    test("answers an unknown version of the protocol with 426 and the version 13", async () => {
      const { status, headers } = await ask(port, "/echo", { ...handshake, "sec-websocket-version": "12" });
      assert.equal(status, 426);
      assert.equal(headers["sec-websocket-version"], "13");
      assert.match(String(headers["connection"]), /upgrade/i);
    });

    test("answers an invalid key with 400", async () => {
      for (const key of ["", "short", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZR=="]) {
        const { status, code } = await ask(port, "/echo", { ...handshake, "sec-websocket-key": key });
        assert.deepEqual([status, code], [400, "BAD_REQUEST"], key);
      }
    });

    test("answers other methods with 405", async () => {
      const { status, headers } = await ask(port, "/echo", {}, "POST");
      assert.equal(status, 405);
      assert.match(String(headers["allow"]), /GET/);
    });

    test("refuses pages of other origins, and accepts pages of the server's own host", async () => {
      const from = async (origin: string): Promise<number> =>
        (await ask(port, "/echo", { ...handshake, origin })).status;
      assert.equal(await from("https://evil.example.com"), 403);
      assert.equal(await from("null"), 403);
      const own = `http://127.0.0.1:${port}`;
      assert.equal(await from(own), 101);
      const site = async (value: string): Promise<number> =>
        (await ask(port, "/echo", { ...handshake, origin: own, "sec-fetch-site": value })).status;
      assert.deepEqual([await site("same-origin"), await site("cross-site")], [101, 403]);
      const named = { ...handshake, host: "app.test:443", origin: "https://app.test" };
      assert.equal((await ask(port, "/echo", named)).status, 101);
    });

    const withoutCors =
      isRust && "the program has no option `cors`; crates/kit-runtime/tests/suite/sockets.rs tests it";
    test("accepts pages whose origin is in the option cors", { skip: withoutCors }, async () => {
      const own = { ...handshake, origin: "https://app.example.com" };
      assert.equal((await ask(port, "/echo", own)).status, 101);
    });

    test("sends headers of middleware with the handshake, and middleware can refuse the handshake", async () => {
      const { status, code } = await ask(port, "/guarded", handshake);
      assert.deepEqual([status, code], [401, "UNAUTHORIZED"]);
      const accepted = await ask(port, "/guarded", { ...handshake, "x-token": "secret" });
      assert.deepEqual([accepted.status, accepted.headers["x-guarded"]], [101, "yes"]);
    });

    test("a wrapper can refuse the handshake or add headers", async () => {
      for (const token of [undefined, "late"]) {
        const refused = await ask(port, "/wrapped", { ...handshake, ...(token && { "x-token": token }) });
        assert.deepEqual([refused.status, refused.code], [401, "UNAUTHORIZED"]);
      }
      const accepted = await ask(port, "/wrapped", { ...handshake, "x-token": "secret" });
      assert.deepEqual([accepted.status, accepted.headers["x-wrapped"]], [101, "101"]);
    });

    test("closes with 1008 and the reason after a message that breaks the contract", async () => {
      const client = await SocketClient.open(port, "/echo");
      client.send({ text: "first" });
      client.send({ text: 1 });
      client.send({ text: "never" });
      assert.deepEqual(await client.closed, { code: 1008, reason: "$.text: expected string" });
      assert.deepEqual(client.messages, [{ text: "first" }]);
    });

    test("shortens a reason without cutting a character", async () => {
      const client = await SocketClient.open(port, "/long");
      client.send({ text: 1 });
      const { code, reason } = await client.closed;
      assert.equal(code, 1008);
      if (!isRust) return assert.equal(reason, `$.text: expected ${"\u00fc".repeat(51)}...`);
      // The description of the type in Rust has other characters too.
      assert.match(reason, /^\$\.text: expected [^\ufffd]*\.\.\.$/);
      const length = Buffer.byteLength(reason);
      assert.ok(length > 121 && length <= 123, `${length}`);
    });

    test("closes with 1007 after text that is not JSON, and with 1003 after a binary message", async () => {
      const text = await SocketClient.open(port, "/echo");
      text.socket.send("{");
      assert.equal((await text.closed).code, 1007);
      const binary = await SocketClient.open(port, "/echo");
      binary.socket.send(Buffer.from("{}"));
      assert.equal((await binary.closed).code, 1003);
    });

    test("closes with 1009 after a message that is larger than the limit", async () => {
      const client = await SocketClient.open(port, "/echo");
      client.send({ text: "x".repeat(70_000) });
      assert.equal((await client.closed).code, 1009);
    });

    test("closes with 1011 if the handler throws, and with the code that the handler chooses", async () => {
      const failed = await SocketClient.open(port, "/failing");
      failed.send({ text: "secret reason" });
      assert.deepEqual(await failed.closed, { code: 1011, reason: "Internal error" });
      const chosen = await SocketClient.open(port, "/close");
      chosen.send({ text: "bye" });
      assert.deepEqual(await chosen.closed, { code: 4001, reason: "bye" });
    });

    test("sends no message that breaks the contract", async () => {
      const client = new SocketClient(port, "/broken");
      assert.equal((await client.closed).code, 1011);
      assert.deepEqual(client.messages, []);
    });

    test(
      "responds with 501 if the handler is not written",
      { skip: !isRust && "Node has no such handlers" },
      async () => {
        const { status, code } = await ask(port, "/unwritten", handshake);
        assert.deepEqual([status, code], [501, "NOT_IMPLEMENTED"]);
      },
    );

    test("ends the iteration, rejects send and aborts ctx.signal when the client disconnects", async () => {
      const name = `left-${nextNumber()}`;
      const client = await SocketClient.open(port, `/watched?name=${name}`);
      client.send({ text: "hello" });
      await until(() => app.noticed(name).includes("hello"));
      client.socket.terminate();
      // Handlers in Rust have no signal.
      const expected = ["closed", "rejected 1006", ...(isRust ? [] : ["aborted"])];
      await until(() => app.noticed(name).length === 2 + expected.length);
      const [opened, hello, ...rest] = app.noticed(name);
      assert.deepEqual([opened, hello], ["opened", "hello"]);
      assert.deepEqual(new Set(rest), new Set(expected));
    });

    test("keeps a socket open for longer than the timeout of requests", async () => {
      const client = await SocketClient.open(port, "/echo");
      await sleep(900);
      client.send({ text: "still here" });
      assert.deepEqual(await client.receive(1), [{ text: "still here" }]);
      client.socket.close();
      await client.closed;
    });

    test("makes a handler wait if the handler sends faster than its client reads", async () => {
      const name = `flood-${nextNumber()}`;
      const client = await SocketClient.open(port, `/flood?name=${name}`);
      client.socket.pause();
      await sleep(300);
      const accepted = Number(app.noticed(name).at(-1) ?? 0);
      // 4,096 messages of 16 KiB are 64 MiB, more than the buffers of two sockets.
      assert.ok(accepted < 2048, `${accepted} messages were accepted`);
      client.socket.resume();
      await client.receive(4096);
      assert.equal((await client.closed).code, 1000);
    });

    test("does not read from a client whose messages the handler does not read", async () => {
      const name = `slow-${nextNumber()}`;
      const client = await SocketClient.open(port, `/reading?name=${name}`);
      const text = "y".repeat(32 * 1024);
      for (let index = 0; index < 1024; index += 1) client.send({ text });
      await until(() => Number(app.noticed(name).at(-1) ?? 0) > text.length);
      await sleep(200);
      // 32 MiB. The buffers of the two sockets and of the server hold only a part.
      assert.ok(client.socket.bufferedAmount > 8 * 1024 * 1024, `${client.socket.bufferedAmount}`);
      client.socket.terminate();
    });

    test("serves requests after a refused handshake on the same server", async () => {
      assert.equal((await ask(port, "/plain", {})).status, 200);
      assert.equal((await ask(port, "/plain", handshake)).status, 200);
      assert.equal((await ask(port, "/plain", { connection: "Upgrade", upgrade: "h2c" })).status, 200);
    });

    test("ends without a leak if the client disconnects during the handshake", async () => {
      for (let index = 0; index < 50; index += 1) {
        const socket = connect(port, "127.0.0.1");
        const lines = Object.entries(handshake).map(([key, value]) => `${key}: ${value}\r\n`);
        socket.write(`GET /echo HTTP/1.1\r\nhost: a\r\n${lines.join("")}\r\n`);
        if (index % 2 === 0) await once(socket, "connect");
        socket.destroy();
      }
      const client = await SocketClient.open(port, "/echo");
      client.send({ text: "works" });
      assert.deepEqual(await client.receive(1), [{ text: "works" }]);
      client.socket.terminate();
    });
  });

  test(`${server}: closes sockets with 1001 when the application closes`, async () => {
    const app = await start();
    const client = await SocketClient.open(app.port, "/echo");
    client.send({ text: "hello" });
    await client.receive(1);
    const begun = performance.now();
    const closing = app.close(10_000);
    assert.equal((await client.closed).code, 1001);
    await closing;
    assert.ok(performance.now() - begun < 5000, "the application does not wait for the grace period");
  });
}
