// Application with a debug sidecar, with a WebSocket and streams of events and lines.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { type AppOptions, createApp } from "@kit/core";
import { type DebugOptions, type DebugPlugin, debugPlugin } from "@kit/plugin-debug";
import type { StreamRecord } from "@kit/types";
import { WebSocket } from "ws";

import { compiled, objectOf, queryOf, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { sendRequest, until } from "../../packages/plugin-debug/test/support/sidecar.ts";

/** Response of `/_debug/streams`. */
export type List = {
  readonly open: number;
  readonly missed: number;
  readonly streams: readonly StreamRecord[];
};

const progress = responseOf("Progress", { percent: "number", pin: "string?" });
const message = {
  in: objectOf("In", { text: "string", password: "string?" }),
  out: responseOf("Out", { text: "string" }),
};

/** Promise that ends the streams of `GET /events` and `GET /lines`. Tests replace it. */
export const gate: { release: PromiseWithResolvers<void> } = { release: Promise.withResolvers() };

async function* events(): AsyncGenerator<object> {
  yield { event: "progress", data: { percent: 10, pin: "1234" } };
  yield { event: "progress", data: { percent: 20 } };
  await gate.release.promise;
  yield { event: "done" };
}

async function* lines(): AsyncGenerator<object> {
  yield { percent: 1 };
  // The server notices only at a write that the client has disconnected.
  for (let isOver = false; !isOver; yield { percent: 2 })
    isOver = await Promise.race([gate.release.promise.then(() => true), sleep(20, false)]);
  throw new Error("The disk is full");
}

const handlers = {
  "WS /echo": async ({
    socket,
  }: {
    socket: AsyncIterable<{ text: string }> & {
      send(value: object): Promise<void>;
      close(code: number, reason: string): void;
    };
  }) => {
    for await (const { text } of socket) {
      if (text === "bye") socket.close(4001, "As you wish");
      else await socket.send({ text });
    }
  },
  "WS /text": async ({
    socket,
  }: {
    socket: AsyncIterable<string> & { send(value: string): Promise<void> };
  }) => {
    for await (const text of socket) await socket.send(text);
  },
  "GET /events": () => events(),
  "GET /lines": () => lines(),
};

/** Application that listens, with the requests of its sidecar. */
export interface Running extends AsyncDisposable {
  readonly port: number;
  readonly sidecarPort: number;
  list(query?: string): Promise<List>;
  one(stream: StreamRecord): Promise<StreamRecord>;
}

/** Starts the application with a sidecar on free ports. */
export async function start(server: AppOptions["server"], options: DebugOptions): Promise<Running> {
  const plugin: DebugPlugin = debugPlugin({ port: 0, ...options });
  const app = createApp({
    server,
    signals: false,
    compiled: {
      ...compiled(
        route("WS /echo", { status: 101, socket: message, query: queryOf("Query", { token: "string?" }) }),
        route("WS /text", {
          status: 101,
          socket: { in: null, out: null, kinds: { in: ["text"], out: ["text"] } },
        }),
        {
          ...route("GET /events", { response: progress }),
          responseFormat: {
            format: "events",
            mediaType: "text/event-stream",
            events: { progress, done: null },
          },
        },
        {
          ...route("GET /lines", { response: progress }),
          responseFormat: { format: "lines", mediaType: "application/jsonl", line: progress },
        },
      ),
      sensitive: ["pin"],
    },
    routes: [{ handlers }],
    env: "development",
    logging: { level: "fatal" },
    plugins: [plugin],
  } as unknown as AppOptions);
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  await until("the sidecar listens", () => plugin.address !== null);
  const get = async (path: string): Promise<unknown> => {
    const headers = { "x-debug-key": options.apiKey ?? "" };
    const answer = await sendRequest(
      plugin.address!.port,
      path,
      options.apiKey === undefined ? {} : { headers },
    );
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  return {
    port,
    sidecarPort: plugin.address!.port,
    list: async (query = "") => (await get(`/_debug/streams${query}`)) as List,
    one: async ({ requestId }) =>
      ((await get(`/_debug/streams/${requestId}`)) as { stream: StreamRecord }).stream,
    [Symbol.asyncDispose]: () => app.close({ delayMs: 0, graceMs: 500 }),
  };
}

/** Opens a WebSocket. */
export async function open(port: number, path: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  await once(socket, "open");
  return socket;
}

/** Sends a text message and waits for the echo. */
export async function echo(socket: WebSocket, value: object): Promise<void> {
  socket.send(JSON.stringify(value));
  await once(socket, "message");
}

/** Begins to read a response. Returns the function that disconnects. */
export async function read(port: number, path: string, text: RegExp): Promise<() => void> {
  const sent = request({ port, host: "127.0.0.1", path, agent: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let received = "";
  response.on("error", () => undefined);
  response.on("data", (chunk: Buffer) => (received += chunk.toString()));
  await until(`the client has received ${text}`, () => text.test(received));
  return () => void sent.destroy();
}
