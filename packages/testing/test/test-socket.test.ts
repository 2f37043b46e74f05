import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { type App, type AppOptions, createApp, type OpenSocket } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { createTestClient, HandshakeError, type TestClient } from "@kit/testing";

import { compiled, objectOf, queryOf, responseOf, route } from "../../core/test/support/compiled.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";

quietStdout();

interface Socket extends AsyncIterable<{ readonly text: string }> {
  send(message: object): Promise<void>;
  close(code: number, reason: string): void;
}

const application = (): App =>
  createApp({
    server: nativeServer(),
    compiled: compiled(
      route("WS /echo", {
        status: 101,
        query: queryOf("Query", { name: "string" }),
        socket: { in: objectOf("In", { text: "string" }), out: responseOf("Out", { text: "string" }) },
      }),
      route("WS /plain", {
        status: 101,
        socket: {
          in: null,
          out: null,
          kinds: { in: ["text", "bytes"], out: ["text", "bytes"] },
        },
      }),
    ),
    env: "test",
    signals: false,
    logging: { level: "fatal" },
    routes: [
      {
        handlers: {
          "WS /plain": async ({ socket }: { socket: OpenSocket<unknown, unknown> }) => {
            for await (const message of socket) await socket.send(message);
          },
          "WS /echo": async (input: {
            socket: Socket;
            query: { name: string };
            ctx: { headers: Readonly<Record<string, string>> };
          }) => {
            const { socket, query, ctx } = input;
            await socket.send({ text: `${query.name} ${ctx.headers["x-color"]} ${ctx.headers["cookie"]}` });
            for await (const { text } of socket) {
              if (text === "bye") socket.close(4001, "As you wish");
              else await socket.send({ text });
            }
          },
        },
      },
    ],
  } as unknown as AppOptions);

describe("socket of a test client", () => {
  let client: TestClient;
  before(async () => {
    client = await createTestClient(application(), { headers: { "x-color": "red" } });
  });
  after(() => client.close());
  const open = () => client.socket("/echo", { query: { name: "Ada" }, cookies: { sid: "1" } });

  test("sends the headers and cookies, and returns messages in order", async () => {
    const socket = await open();
    assert.deepEqual(await socket.receive(), { text: "Ada red sid=1" });
    socket.send({ text: "one" });
    socket.send({ text: "two" });
    assert.deepEqual([await socket.receive(), await socket.receive()], [{ text: "one" }, { text: "two" }]);
    socket.close();
    assert.deepEqual(await socket.closed, { code: 1000, reason: "" });
  });

  test("ends the iteration, and names the close code in later errors, if the application closes the socket", async () => {
    const socket = await open();
    socket.send({ text: "bye" });
    const received: unknown[] = [];
    for await (const message of socket) received.push(message);
    assert.deepEqual(received, [{ text: "Ada red sid=1" }]);
    assert.deepEqual(await socket.closed, { code: 4001, reason: "As you wish" });
    await assert.rejects(socket.receive(), /closed with 4001 As you wish/);
  });

  test("fails if no message arrives in time, and sends text that is not JSON", async () => {
    const socket = await open();
    await socket.receive();
    await assert.rejects(socket.receive(20), /received no message in 20 ms/);
    socket.sendText("not JSON");
    assert.equal((await socket.closed).code, 1007);
  });

  test("sends and receives plain text and bytes", async () => {
    const socket = await client.socket("/plain");
    socket.sendText('{"text":1}');
    assert.equal(await socket.receiveText(), '{"text":1}');
    socket.sendBytes(Uint8Array.of(0, 255));
    assert.deepEqual(await socket.receive(), Uint8Array.of(0, 255));
    socket.sendBytes(Uint8Array.of(0, 255));
    await assert.rejects(socket.receiveText(), /received a binary message of 2 bytes, not text/);
    socket.close();
  });

  test("returns text as it arrived if the call says that the text is no JSON", async () => {
    const socket = await client.socket("/plain", { plainText: true });
    for (const text of ["42", "true"]) socket.sendText(text);
    assert.deepEqual([await socket.receive(), await socket.receive()], ["42", "true"]);
    socket.close();
  });

  test("rejects with the response if the application refuses the handshake", async () => {
    await assert.rejects(client.socket("/echo"), (error) => {
      assert.ok(error instanceof HandshakeError);
      assert.equal(error.response.status, 400);
      assert.match(error.message, /refused the WebSocket \/echo with 400: .*VALIDATION_ERROR/);
      return true;
    });
    await assert.rejects(client.socket("/nowhere"), /with 404/);
  });
});
