import type { Events, Route } from "@kit/types";

export interface Message {
  kind: "message";
  room: string;
  author: string;
  id: number;
  text: string;
}

export interface EventRoutes {
  "GET /events": Route<{ response: Events<{ message: Message }> }>;
  "POST /events": Route<{ body: Message; response: void }>;
}
