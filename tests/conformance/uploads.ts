// Servers for tests of request bodies that arrive in chunks, and a client that sends such bodies.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import type {
  RequestBodyReader,
  ServerAdapter,
  ServerExchange,
  ServerRefusal,
  ServerService,
} from "@kit/types";

import { routes, tree } from "../../packages/server-native/test/support.ts";

/** Route of the tests whose bodies arrive in chunks. The bodies of all other routes are read before the handler starts. */
const streamed = "POST /notes";

/** Running server. `await using` closes it at the end of the block. */
export interface Uploads extends AsyncDisposable {
  readonly port: number;
  readonly server: ServerAdapter;
  readonly refusals: readonly ServerRefusal[];
}

/** Starts a server that passes requests to `POST /notes` to `handle`, and responds to all others with their body. */
export async function serveUploads(
  server: ServerAdapter,
  handle: (exchange: ServerExchange) => unknown,
  limit: number = 2 ** 40,
): Promise<Uploads> {
  const refusals: ServerRefusal[] = [];
  const service: ServerService = {
    tree,
    routes,
    limits: { bodyBytes: limit },
    streamedBodies: {
      byRoute: routes.map((route) => route === streamed),
      has: (method, target) => `${method} ${target.split("?", 1)[0]}` === streamed,
    },
    handle: (exchange) =>
      exchange.method === "POST" && exchange.target.startsWith("/notes")
        ? void handle(exchange)
        : exchange.respond(200, "text/plain", exchange.bodyBytes(), null),
    fail: () => undefined,
    logRefusal: (refusal) => void refusals.push(refusal),
  };
  const { port } = await server.listen(service, { port: 0, host: "127.0.0.1" });
  return { port, server, refusals, [Symbol.asyncDispose]: () => server.close({ graceMs: 0 }) };
}

/** Reads a body to its end. */
export async function readAll(reader: RequestBodyReader): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await reader.read(); chunk !== null; chunk = await reader.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns the code of the error with which a promise rejects. Returns the value if the promise does not reject. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: NodeJS.ErrnoException) => error.code);
}

/** Sends a response with a text. */
export function say(exchange: ServerExchange, text: string, status = 200): void {
  exchange.respond(status, "text/plain", text, null);
}

/** Returns the head of an upload. `fields` are header lines. */
export function head(...fields: readonly string[]): string {
  return `POST /notes HTTP/1.1\r\nhost: a\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
}

/** Returns a chunk of a body in the chunked coding. */
export function piece(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

export const chunked = "transfer-encoding: chunked";

/** Connection of a client. */
export interface Client {
  readonly socket: Socket;
  /** Returns all data that the server has sent so far. */
  text(): string;
  /** Returns "end" or the code of an error after the server has closed its side, and `undefined` before that. */
  ended(): string | undefined;
  /** Waits until the server has sent this text. */
  receives(part: string): Promise<string>;
  /** Waits until the server has closed its side. Returns all data that it has sent. */
  rest(): Promise<string>;
}

const patienceMs = 10_000;

/** Connects and sends bytes. */
export async function open(port: number, bytes: string | Buffer): Promise<Client> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
  let text = "";
  let ended: string | undefined;
  socket.on("data", (data) => (text += data.toString("latin1")));
  socket.on("end", () => (ended ??= "end"));
  socket.on("error", ({ code }: NodeJS.ErrnoException) => (ended ??= code ?? "error"));
  await once(socket, "connect");
  socket.write(bytes);
  const wait = async (holds: () => boolean, what: string): Promise<string> => {
    const end = performance.now() + patienceMs;
    while (!holds()) {
      assert.ok(performance.now() < end, `${what}: received ${JSON.stringify(text)}, ended: ${ended}`);
      await sleep(2);
    }
    return text;
  };
  return {
    socket,
    text: () => text,
    ended: () => ended,
    receives: (part) => wait(() => text.includes(part), `no ${JSON.stringify(part)}`),
    rest: () => wait(() => ended !== undefined, "no end of the connection"),
  };
}
