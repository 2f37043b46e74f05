// Application with WebSockets whose messages are plain text, bytes, and bytes beside text or JSON.

import assert from "node:assert/strict";

import { type AppOptions, createApp, type OpenSocket } from "@kit/core";
import type { CompiledRoute, MessageKinds, ServerAdapter } from "@kit/types";

import { compiled, objectOf, responseOf, route } from "../../packages/core/test/support/compiled.ts";

interface Message {
  readonly text: string;
}
type Echo = { socket: OpenSocket<unknown, unknown> };

/** Sends each message back. */
async function echo({ socket }: Echo): Promise<void> {
  for await (const message of socket) {
    if (message instanceof Uint8Array) assert.equal(message.constructor, Uint8Array);
    const sent = socket.send(message);
    // A server that had not copied the bytes would send zeros.
    if (message instanceof Uint8Array) message.fill(0);
    await sent;
  }
}

/** Returns a route with these kinds of messages. */
function ws(ref: string, kinds: MessageKinds, messages: object = { in: null, out: null }): CompiledRoute {
  return route(ref, { status: 101, socket: { ...messages, kinds } } as never);
}

function options(): Omit<AppOptions, "server"> {
  const json = { in: objectOf("In", { text: "string" }), out: responseOf("Out", { text: "string" }) };
  return {
    compiled: compiled(
      ws("WS /messages/text", { in: ["text"], out: ["text"] }),
      ws("WS /messages/bytes", { in: ["bytes"], out: ["bytes"] }),
      ws("WS /messages/both", { in: ["text", "bytes"], out: ["text", "bytes"] }),
      ws("WS /messages/mixed", { in: ["json", "bytes"], out: ["json", "bytes"] }, json),
      ws("WS /messages/wrong", { in: ["text"], out: ["text"] }),
    ),
    routes: [
      {
        handlers: {
          "WS /messages/text": echo,
          "WS /messages/bytes": echo,
          "WS /messages/both": echo,
          "WS /messages/mixed": echo,
          "WS /messages/wrong": async ({ socket }: Echo) => {
            await socket.send({ text: "JSON" } satisfies Message);
          },
        },
        on: { "WS /messages/both": { limits: { bodyBytes: 1000 } } },
      },
    ],
    env: "development",
    logging: { level: "fatal" },
  } as unknown as Omit<AppOptions, "server">;
}

/** Creates the application on a server. */
export function createMessageApp(server: ServerAdapter): ReturnType<typeof createApp> {
  return createApp({ ...options(), server } as AppOptions);
}
