// WebSockets of servers on Node: clients that do not wait, the option `sockets`, Express middleware, plugins and `app.fetch`.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, test } from "node:test";

import { createApp, type Plugin, type PluginHost } from "@kit/core";
import { expressServer } from "@kit/server-express";
import { nativeServer } from "@kit/server-native";
import express from "express";
import { WebSocket } from "ws";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { isRust, notInRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { ask, handshake, nextNumber, SocketClient, until } from "./socket-client.ts";
import { createSocketApp, noticed, released, socketOptions, unstuck } from "./sockets-application.ts";

quietStdout();

/** Sends a handshake, and a frame before its response. Returns what the server sends. */
async function sendEarly(port: number, when: "with the handshake" | "during middleware"): Promise<string> {
  const name = `early-${nextNumber()}`;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const lines = Object.entries(handshake).map(([key, value]) => `${key}: ${value}\r\n`);
  const head = `GET /early HTTP/1.1\r\nhost: a\r\nx-wait: 500\r\nx-note: ${name}\r\n${lines.join("")}\r\n`;
  const text = Buffer.from('{"text":"early"}');
  // A text frame whose mask is 0.
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
  await once(socket, "connect");
  if (when === "with the handshake") socket.write(Buffer.concat([Buffer.from(head), frame]));
  else {
    socket.write(head);
    await until(() => noticed.has(name));
    socket.write(frame);
  }
  let received = "";
  for await (const chunk of socket.setEncoding("latin1")) {
    received += chunk;
    if (received.includes('{"text":"early"}')) break;
  }
  socket.destroy();
  return received;
}

notInRust(
  "frames before the response to a handshake, and handlers that do not read",
  "crates/kit-runtime/tests/suite/sockets.rs has tests",
);

for (const [server, make] of servers) {
  describe(`${server}: clients that do not wait`, { concurrency: 4 }, () => {
    let app: ReturnType<typeof createApp>;
    let port: number;
    before(async () => {
      app = createSocketApp(make());
      ({ port } = await app.listen({ port: 0, host: "127.0.0.1" }));
    });
    after(() => app.close({ graceMs: 1000 }));

    test("answers 400 to a client that sends a frame together with the handshake", async () => {
      const text = await sendEarly(port, "with the handshake");
      assert.match(text, /^HTTP\/1\.1 400 [^]*\r\nconnection: close\r\n[^]*"BAD_REQUEST"[^]*\}$/i);
      assert.match(text, /sent data before the end of the handshake/);
      assert.equal((await ask(port, "/headers", handshake)).status, 101);
    });

    test("accepts a frame that arrives while middleware runs", async () => {
      assert.match(await sendEarly(port, "during middleware"), /^HTTP\/1\.1 101 [^]*\{"text":"early"\}/);
    });

    test("answers 500 if middleware sets a header that belongs to the handshake", async () => {
      for (const name of ["sec-websocket-protocol", "sec-websocket-extensions", "sec-websocket-accept"]) {
        const { status, code, headers } = await ask(port, "/headers", { ...handshake, "x-name": name });
        assert.deepEqual([status, code], [500, "INTERNAL_SERVER_ERROR"], name);
        assert.equal(headers[name], undefined);
      }
      const allowed = await ask(port, "/headers", { ...handshake, "x-name": "x-version" });
      assert.deepEqual([allowed.status, allowed.headers["x-version"]], [101, "v1"]);
    });

    test("closes the socket if the client disconnects while the handler does not read", async () => {
      const name = `stuck-${nextNumber()}`;
      unstuck.set(name, Promise.withResolvers());
      const client = await SocketClient.open(port, `/stuck?name=${name}`);
      const text = "y".repeat(32 * 1024);
      for (let index = 0; index < 64; index += 1) client.send({ text });
      await until(() => noticed.get(name)?.includes("opened") === true);
      await sleep(100);
      client.socket.terminate();
      await sleep(100);
      unstuck.get(name)!.resolve();
      await until(() => noticed.get(name)?.length === 3);
      assert.deepEqual(new Set(noticed.get(name)), new Set(["opened", "aborted", "ended"]));
    });
  });
}

for (const [server, make] of servers) {
  test(`${server}: sends pings and compressed messages as the option \`sockets\` demands`, async () => {
    for (const compression of [false, true]) {
      // The server rightly ends the connection of a client that waits for a processor for longer than this time.
      const app = createSocketApp(make(), { pingMs: 500, compression });
      const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
      const client = new WebSocket(`ws://127.0.0.1:${port}/echo`);
      await once(client, "open");
      assert.equal(client.extensions.includes("permessage-deflate"), compression);
      await once(client, "ping");
      const text = "x".repeat(20_000);
      const received = once(client, "message");
      client.send(JSON.stringify({ text }));
      assert.deepEqual(JSON.parse(String((await received)[0])), { text });
      client.terminate();
      await app.close({ graceMs: 100 });
    }
  });

  test(`${server}: ends the connection of a client that answers no ping`, async () => {
    const app = createSocketApp(make(), { pingMs: 50 });
    const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
    const client = new WebSocket(`ws://127.0.0.1:${port}/echo`, { autoPong: false });
    await once(client, "ping");
    assert.equal((await once(client, "close"))[0], 1006);
    await app.close({ graceMs: 100 });
  });
}

for (const [server, make] of servers) {
  test(`${server}: shuts down quickly if a client has disconnected while the handler does not read`, async () => {
    const app = createSocketApp(make());
    const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
    const name = `stuck-${nextNumber()}`;
    unstuck.set(name, Promise.withResolvers());
    const client = await SocketClient.open(port, `/stuck?name=${name}`);
    const text = "y".repeat(32 * 1024);
    for (let index = 0; index < 64; index += 1) client.send({ text });
    await until(() => noticed.get(name)?.includes("opened") === true);
    await sleep(100);
    client.socket.terminate();
    const begun = performance.now();
    await app.close({ graceMs: 10_000 });
    assert.ok(performance.now() - begun < 7000, `${performance.now() - begun} ms`);
    assert.ok(noticed.get(name)!.includes("aborted"));
    unstuck.get(name)!.resolve();
  });
}

test("Express middleware refuses a handshake", { skip: isRust && "there is no Express" }, async () => {
  const web = express();
  web.use((incoming, response, next) => {
    if (incoming.headers["x-token"] === "secret") next();
    else response.status(401).json({ error: { code: "OF_EXPRESS" } });
  });
  const app = createSocketApp(expressServer({ app: web }));
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  try {
    const refused = await ask(port, "/echo", handshake);
    assert.deepEqual([refused.status, refused.code], [401, "OF_EXPRESS"]);
    assert.equal((await ask(port, "/echo", { ...handshake, "x-token": "secret" })).status, 101);
  } finally {
    await app.close({ graceMs: 0 });
  }
});

test(
  "a handler that fails after its socket has closed does not change the record of a later request",
  {
    skip: isRust && "a Rust server has no plugins",
  },
  async () => {
    let host: PluginHost | undefined;
    const plugin: Plugin = {
      name: "watch",
      observe: { capacity: 1 },
      onStart: (given) => void (host = given),
    };
    const app = createApp({ ...socketOptions(), server: nativeServer(), plugins: [plugin] } as never);
    const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
    try {
      const client = await SocketClient.open(port, "/late");
      client.send({ text: "hello" });
      await client.receive(1);
      client.socket.close();
      await client.closed;
      await until(() => host!.requests!.finishedCount === 1);
      for (let index = 0; index < 4; index += 1) await ask(port, "/plain", {});
      released.resolve();
      await sleep(20);
      assert.deepEqual(
        host!.requests!.recent({}).map(({ route, fault }) => [route, fault]),
        [["GET /plain", null]],
      );
    } finally {
      await app.close({ graceMs: 0 });
    }
  },
);

test("app.fetch answers 426, and 501 to a handshake", { skip: isRust && "no such function" }, async () => {
  const app = createApp(socketOptions() as never);
  try {
    assert.equal((await app.fetch(new Request("http://localhost/echo"))).status, 426);
    const headers = new Headers();
    headers.set("upgrade", "websocket");
    headers.set("connection", "upgrade");
    assert.equal((await app.fetch(new Request("http://localhost/echo", { headers }))).status, 501);
  } finally {
    await app.close({ graceMs: 0 });
  }
});
