import type { Bytes, Chunks, Raw, Route, Socket, Text } from "@kit/types";

import type { Addends, Item, List, PricedItem, PriceRange } from "./arena.types.ts";

export interface ArenaRoutes {
  "GET /baseline11": Route<{ query: Addends; response: Text }>;
  "POST /baseline11": Route<{ query: Addends; body: Raw; response: Text }>;
  "GET /baseline2": Route<{ query: Addends; response: Text }>;
  "GET /pipeline": Route<{ response: Text }>;
  "GET /json/:count": Route<{
    params: {
      /** @integer @minimum 0 @maximum 50 */
      count: number;
    };
    query: {
      /** @integer @default 1 */
      m: number;
    };
    response: List<PricedItem>;
  }>;
  "POST /upload": Route<{ body: Chunks; response: Text }>;
  "GET /async-db": Route<{ query: PriceRange; response: List<Item> }>;
  "WS /ws": Route<{ socket: Socket<{ in: Text | Bytes; out: Text | Bytes }> }>;
}
