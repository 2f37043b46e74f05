import type { Bytes, Route, Socket, Text } from "@kit/types";

export interface NewMessage {
  /** @minLength 1 @maxLength 500 */
  text: string;
}

export interface Message extends NewMessage {
  author: string;
  sentAt: Date;
}

export interface Order {
  /** @format uuid @generated uuid */
  id: string;
  name: string;
}

export interface ChatRoutes {
  "WS /rooms/:room": Route<{
    params: { room: string };
    query: { name: string };
    socket: Socket<{ in: NewMessage; out: Message; protocols: "chat.v1" | "chat.v2" }>;
  }>;
}

export interface WatchRoutes {
  /** @operation watchOrders */
  "WS /orders": Route<{
    headers: { authorization: string };
    cookies: { sid?: string };
    socket: Socket<{ in: Order; out: Order }>;
  }>;
  "WS /heartbeat": Route<{
    socket: Socket<{ in: "ping"; out: "pong" | { failed: boolean }; protocols?: "ping.v1" }>;
  }>;
  "WS /text": Route<{ socket: Socket<{ in: Text; out: Text | Bytes }> }>;
  "WS /files": Route<{ socket: Socket<{ in: Bytes | Order; out: Bytes }> }>;
  "WS /anything": Route<{ socket: Socket<{ in: unknown; out: unknown }> }>;
}
