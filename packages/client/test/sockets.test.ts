import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";

import { isApiError } from "@kit/client";
import { openSocket } from "@kit/client/sockets";
import { WebSocketServer } from "ws";

const mebibyte = 1024 * 1024;

/** Starts a server that sends messages to each client. */
async function serverOf(message: string | Uint8Array, count: number): Promise<WebSocketServer> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (socket) => {
    for (let sent = 0; sent < count; sent += 1) socket.send(message);
  });
  await once(server, "listening");
  return server;
}

const messages = { in: ["text"], out: ["text", "bytes"] } as const;

test(
  "closes a socket whose messages nobody reads, by their number and by their size",
  { timeout: 20_000 },
  async () => {
    for (const [message, count, limit] of [
      [
        new Uint8Array(mebibyte),
        65,
        /WS \/: more than 67108864 bytes or characters were received and not read/,
      ],
      ["x".repeat(mebibyte), 65, /WS \/: more than 67108864 bytes/],
      ["", 10_001, /WS \/: more than 10000 messages were received and not read/],
    ] as const) {
      const server = await serverOf(message, count);
      try {
        const { port } = server.address() as AddressInfo;
        const socket = await openSocket({ baseUrl: `http://127.0.0.1:${port}` }, "/", { messages });
        assert.equal((await socket.closed).code, 3008);
        await assert.rejects(
          socket[Symbol.asyncIterator]().next(),
          (error) => isApiError(error, "UNEXPECTED_RESPONSE") && limit.test(error.message),
        );
      } finally {
        server.close();
      }
    }
  },
);

test("messages that were read do not count", { timeout: 20_000 }, async () => {
  const server = await serverOf(new Uint8Array(mebibyte), 70);
  try {
    const { port } = server.address() as AddressInfo;
    const socket = await openSocket({ baseUrl: `http://127.0.0.1:${port}` }, "/", { messages });
    let read = 0;
    for await (const message of socket) {
      assert.equal((message as Uint8Array).length, mebibyte);
      read += 1;
      if (read === 70) break;
    }
    socket.close();
    assert.equal((await socket.closed).code, 1000);
  } finally {
    server.close();
  }
});

/** Address of a server that accepts connections and never answers. */
interface Silent extends AsyncDisposable {
  readonly baseUrl: string;
  readonly connections: readonly Socket[];
}

function isTimeout(error: unknown): boolean {
  return (
    isApiError(error, "TIMEOUT") &&
    error.status === 0 &&
    error.message === "WS /: the handshake took longer than 100 ms"
  );
}

async function silentServer(): Promise<Silent> {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    connections.push(socket.on("error", () => undefined).resume());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

test(
  "fails with TIMEOUT and closes the connection if the server does not answer the handshake",
  { timeout: 20_000 },
  async () => {
    await using server = await silentServer();
    const { baseUrl, connections } = server;
    await assert.rejects(openSocket({ baseUrl, timeoutMs: 100 }, "/"), isTimeout);
    const [first] = connections;
    if (!first!.closed) await once(first!, "close");
    await assert.rejects(openSocket({ baseUrl, timeoutMs: 60_000 }, "/", { timeoutMs: 100 }), isTimeout);
    const signal = AbortSignal.timeout(100);
    await assert.rejects(
      openSocket({ baseUrl, timeoutMs: 0 }, "/", { signal }),
      (error) => error === signal.reason,
    );
  },
);

test("the timeout ends with the handshake", { timeout: 20_000 }, async () => {
  const server = await serverOf("first", 1);
  try {
    const { port } = server.address() as AddressInfo;
    const call = { messages, timeoutMs: 300 };
    const socket = await openSocket({ baseUrl: `http://127.0.0.1:${port}` }, "/", call);
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.ok(socket.isOpen);
    socket.close();
    assert.equal((await socket.closed).code, 1000);
  } finally {
    server.close();
  }
});
