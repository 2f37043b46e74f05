import { defineHandlers } from "@kit/core";

import type { ArenaRoutes } from "./arena.routes.ts";
import type { Item, PricedItem } from "./arena.types.ts";
import { items, itemsOfPrice } from "./items.ts";

export const arenaHandlers = defineHandlers<ArenaRoutes>({
  "GET /baseline11": ({ query }) => String(query.a + query.b),

  "POST /baseline11": ({ query, body, ctx }) => {
    const number = Number(Buffer.from(body).toString());
    if (!Number.isSafeInteger(number)) ctx.fail(400, "NO_INTEGER", "The body must be an integer");
    return String(query.a + query.b + number);
  },

  "GET /baseline2": ({ query }) => String(query.a + query.b),

  "GET /pipeline": () => "ok",

  "GET /json/:count": ({ params, query }) => {
    const found = items.slice(0, params.count).map((item) => priced(item, query.m));
    return { count: found.length, items: found };
  },

  "POST /upload": async ({ body }) => {
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    return String(bytes);
  },

  "GET /async-db": async ({ query, ctx }) => {
    try {
      const found = await itemsOfPrice(query);
      return { count: found.length, items: found };
    } catch (error) {
      // The rules of the benchmark ask for an empty list while the database is not available.
      ctx.log.error("the database is not available", { error: String(error) });
      return { count: 0, items: [] };
    }
  },

  "WS /ws": async ({ socket }) => {
    for await (const message of socket) await socket.send(message);
  },
});

function priced(item: Item, multiplier: number): PricedItem {
  return { ...item, total: item.price * item.quantity * multiplier };
}
