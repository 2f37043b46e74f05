import type { Events, Route, Socket } from "@kit/types";
import type { Message, NewMessage } from "./chat.types.ts";

interface Room {
  /** @minLength 1 @maxLength 50 */
  room: string;
}

/** Routes of the chat. */
export interface ChatRoutes {
  /** Joins a room: receives its messages, beginning with the last ten, and sends messages. */
  "WS /rooms/:room": Route<{
    params: Room;
    query: { name: Message["author"] };
    socket: Socket<{ in: NewMessage; out: Message }>;
  }>;
  /** Returns the messages of a room from now on, for readers. A reader that reconnects misses no message. */
  "GET /rooms/:room/events": Route<{
    params: Room;
    headers: { "last-event-id"?: number };
    response: Events<{ message: Message }>;
  }>;
}
