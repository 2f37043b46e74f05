import { randomUUID } from "node:crypto";
import { defineHandlers } from "@kit/core";
import { type MemberContext, sessions } from "./auth.ts";
import type { EntryRoutes, MemberRoutes, ReaderRoutes } from "./chat.routes.ts";
import { follow, idBeforeLast, say } from "./rooms.ts";

/** Number of earlier messages that a new member sees. */
const shownEarlier = 10;

export const entryHandlers = defineHandlers<EntryRoutes>({
  "POST /session": ({ body, ctx }) => sessions.start(ctx, randomUUID(), body),
});

export const memberHandlers = defineHandlers<MemberRoutes, MemberContext>({
  "WS /rooms/:room": async ({ params: { room }, socket, ctx }) => {
    const author = ctx.auth.data.name;
    const ended = new AbortController();
    const signal = AbortSignal.any([ctx.signal, ended.signal]);
    const sendAll = async (): Promise<void> => {
      for await (const message of follow(room, await idBeforeLast(room, shownEarlier), signal))
        await socket.send(message);
    };
    const receiveAll = async (): Promise<void> => {
      for await (const { text } of socket) await say({ room, author, text });
    };
    const sending = sendAll();
    try {
      await Promise.race([receiveAll(), sending]);
    } finally {
      ended.abort();
    }
    await sending;
  },
});

export const readerHandlers = defineHandlers<ReaderRoutes>({
  "GET /rooms/:room/events": async function* ({ params: { room }, headers, ctx }) {
    const after = headers["last-event-id"] ?? (await idBeforeLast(room, 0));
    for await (const message of follow(room, after, ctx.signal))
      yield { event: "message", data: message, id: String(message.id) };
  },
});
