import { defineHandlers } from "@kit/core";
import type { ChatRoutes } from "./chat.routes.ts";
import { follow, idBeforeLast, say } from "./rooms.ts";

/** Number of earlier messages that a new member sees. */
const shownEarlier = 10;

/** Handlers of the chat. */
export const chatHandlers = defineHandlers<ChatRoutes>({
  "WS /rooms/:room": async ({ params: { room }, query: { name }, socket, ctx }) => {
    const ended = new AbortController();
    const signal = AbortSignal.any([ctx.signal, ended.signal]);
    const sendAll = async (): Promise<void> => {
      for await (const message of follow(room, await idBeforeLast(room, shownEarlier), signal))
        await socket.send(message);
    };
    const receiveAll = async (): Promise<void> => {
      for await (const { text } of socket) await say({ room, author: name, text });
    };
    const sending = sendAll();
    try {
      await Promise.race([receiveAll(), sending]);
    } finally {
      ended.abort();
    }
    await sending;
  },

  "GET /rooms/:room/events": async function* ({ params: { room }, headers, ctx }) {
    const after = headers["last-event-id"] ?? (await idBeforeLast(room, 0));
    for await (const message of follow(room, after, ctx.signal))
      yield { event: "message", data: message, id: String(message.id) };
  },
});
