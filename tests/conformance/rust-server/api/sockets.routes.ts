// The contracts of `tests/conformance/sockets-application.ts`.

import type { Route, Socket } from "@kit/types";

export interface ChatMessage {
  text: string;
}

export interface ShortMessage {
  /** @maxLength 3 */
  text: string;
}

/** Its description is longer than the reason of a close frame may be. */
export interface LongMessage {
  text:
    | "üüüüüüüüü1"
    | "üüüüüüüüü2"
    | "üüüüüüüüü3"
    | "üüüüüüüüü4"
    | "üüüüüüüüü5"
    | "üüüüüüüüü6"
    | "üüüüüüüüü7"
    | "üüüüüüüüü8"
    | "üüüüüüüüü9";
}

export type Ping = "ping";

type Chat = Socket<{ in: ChatMessage; out: ChatMessage }>;

export interface SocketRoutes {
  "WS /echo": Route<{ socket: Chat }>;
  "WS /rooms/:id": Route<{
    params: { id: number };
    query: { name?: string };
    headers: { "x-color": string };
    cookies: { sid?: string };
    socket: Chat;
  }>;
  "WS /long": Route<{ socket: Socket<{ in: LongMessage; out: ChatMessage }> }>;
  "WS /failing": Route<{ socket: Chat }>;
  "WS /close": Route<{ socket: Chat }>;
  "WS /broken": Route<{ socket: Socket<{ in: ChatMessage; out: ShortMessage }> }>;
  "WS /watched": Route<{ query: { name?: string }; socket: Chat }>;
  "WS /flood": Route<{ query: { name?: string }; socket: Chat }>;
  "WS /reading": Route<{ query: { name?: string }; socket: Chat }>;
  /** As in the program `sockets` of `crates/kit-test-programs`. */
  "WS /heartbeat": Route<{ socket: Socket<{ in: Ping; out: Ping }> }>;
  "WS /unwritten": Route<{ socket: Chat }>;
  /** As in `tests/conformance/subprotocols.test.ts`. */
  "WS /versions": Route<{
    socket: Socket<{ in: ChatMessage; out: ChatMessage; protocols: "chat.v1" | "chat.v2" }>;
  }>;
  "WS /maybe": Route<{
    socket: Socket<{ in: ChatMessage; out: ChatMessage; protocols?: "chat.v1" | "chat.v2" }>;
  }>;
  "WS /unnamed": Route<{ socket: Chat }>;
  "WS /tuned": Route<{ socket: Chat }>;
}

export interface GuardedSocketRoutes {
  "WS /guarded": Route<{ socket: Chat }>;
}

export interface WrappedSocketRoutes {
  "WS /wrapped": Route<{ socket: Chat }>;
}
