import { createApp, defineHandlers, defineMiddleware, defineWrapper } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { ChatRoutes, WatchRoutes } from "./chat.routes.ts";

const timed = defineWrapper<{ adds: { startedAt: number } }>((_input, next) => next({ startedAt: 0 }));
const socket = defineMiddleware(() => undefined);

const notHere = (): never => {
  throw new Error("the TypeScript server is not what is looked at here");
};

export const chatHandlers = defineHandlers<ChatRoutes>({ "WS /rooms/:room": notHere });
export const watchHandlers = defineHandlers<WatchRoutes>({
  "WS /orders": notHere,
  "WS /heartbeat": notHere,
  "WS /text": notHere,
  "WS /files": notHere,
  "WS /anything": notHere,
});

export const app = createApp({
  server: nativeServer(),
  routes: [
    { handlers: chatHandlers },
    {
      handlers: watchHandlers,
      middleware: [
        { name: "timed", middleware: timed, priority: 1 },
        { name: "socket", middleware: socket, priority: 2 },
      ],
      on: {
        "WS /orders": { limits: { bodyBytes: 4096 } },
        "WS /heartbeat": { sockets: { pingMs: 10_000, compression: true } },
      },
    },
  ],
});
