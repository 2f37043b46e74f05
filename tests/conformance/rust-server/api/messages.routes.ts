// The contracts of `tests/conformance/message-kinds.test.ts`.

import type { Bytes, Route, Socket, Text } from "@kit/types";

import type { ChatMessage } from "./sockets.routes.ts";

export interface MessageRoutes {
  "WS /messages/text": Route<{ socket: Socket<{ in: Text; out: Text }> }>;
  "WS /messages/bytes": Route<{ socket: Socket<{ in: Bytes; out: Bytes }> }>;
  "WS /messages/both": Route<{ socket: Socket<{ in: Text | Bytes; out: Text | Bytes }> }>;
  "WS /messages/mixed": Route<{ socket: Socket<{ in: ChatMessage | Bytes; out: ChatMessage | Bytes }> }>;
}
