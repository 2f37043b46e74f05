// Client for the tests of WebSockets.

import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { WebSocket } from "ws";

/** Headers of a valid handshake. */
export const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

/** Response to a handshake or to another request. */
export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly code: string | undefined;
}

/** Sends a handshake or another request, and returns the response. */
export async function ask(port: number, path: string, headers: object, method = "GET"): Promise<Answer> {
  const sent = request({
    port,
    host: "127.0.0.1",
    path,
    method,
    headers: { ...headers },
    agent: false,
  }).end();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  sent.on("error", reject);
  sent.on("upgrade", (response, socket) => {
    socket.destroy();
    resolve({ status: response.statusCode!, headers: response.headers, code: undefined });
  });
  sent.on("response", async (response) => {
    const body = (await response.toArray()).join("");
    const code = body === "" ? undefined : (JSON.parse(body) as { error?: { code: string } }).error?.code;
    resolve({ status: response.statusCode!, headers: response.headers, code });
  });
  return promise;
}

/** Client that collects the messages of the server. */
export class SocketClient {
  readonly messages: unknown[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly socket: WebSocket;

  constructor(port: number, path: string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers, perMessageDeflate: false });
    this.socket.on("message", (data) => this.messages.push(JSON.parse((data as Buffer).toString())));
    this.socket.on("error", () => undefined);
    this.closed = once(this.socket, "close").then(([code, reason]) => ({
      code: code as number,
      reason: String(reason),
    }));
  }

  static async open(port: number, path: string, headers?: Record<string, string>): Promise<SocketClient> {
    const client = new SocketClient(port, path, headers);
    await once(client.socket, "open");
    return client;
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  async receive(count: number): Promise<unknown[]> {
    while (this.messages.length < count) await once(this.socket, "message");
    return this.messages;
  }
}

/** Waits until a condition holds. Fails after ten seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!condition()) {
    assert.ok(performance.now() < end, "the condition holds within ten seconds");
    await sleep(5);
  }
}

let names = 0;

/** Returns a number that no earlier call has returned, for the name of a client. */
export function nextNumber(): number {
  return (names += 1);
}
