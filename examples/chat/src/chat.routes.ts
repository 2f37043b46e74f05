import type { Events, Route, Socket } from "@kit/types";
import type { Message, NewMessage } from "./chat.types.ts";

interface Room {
  /** @minLength 1 @maxLength 50 */
  room: string;
}

/** Entry to the chat. */
export interface EntryRoutes {
  /** Begins a session with a name, which all messages of the session have. A later call begins another session. */
  "POST /session": Route<{ body: { name: Message["author"] } }>;
}

/** Rooms, for members. */
export interface MemberRoutes {
  /** Joins a room: receives its messages, beginning with the last ten, and sends messages. */
  "WS /rooms/:room": Route<{
    params: Room;
    socket: Socket<{ in: NewMessage; out: Message }>;
  }>;
}

/** Rooms, for everybody. */
export interface ReaderRoutes {
  /** Returns the messages of a room from now on, for readers. A reader that reconnects misses no message. */
  "GET /rooms/:room/events": Route<{
    params: Room;
    headers: { "last-event-id"?: number };
    response: Events<{ message: Message }>;
  }>;
}
