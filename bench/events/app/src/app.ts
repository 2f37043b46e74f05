import { createApp, defineHandlers, sharedEvent } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { EventRoutes, Message } from "./events.routes.ts";
import { Readers } from "./readers.ts";

interface MessageEvent {
  readonly event: "message";
  readonly data: Message;
}

const readers = new Readers<MessageEvent>();

const handlers = defineHandlers<EventRoutes>({
  "GET /events": () => readers.open(),
  "POST /events": ({ body }) => readers.publish(sharedEvent({ event: "message", data: body })),
});

/** Creates the application. */
export default function application(): ReturnType<typeof createApp> {
  return createApp({ server: nativeServer(), logging: { level: "fatal" }, routes: [{ handlers }] });
}
