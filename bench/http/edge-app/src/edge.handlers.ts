import { defineHandlers } from "@kit/core";
import { find, knownId } from "../../app/src/store.ts";
import { entries } from "../../subjects/edge.ts";
import type { EdgeRoutes } from "./edge.routes.ts";
import type { Entry } from "./edge.types.ts";

/** Handlers, which do no work of their own. */
export const edgeHandlers = defineHandlers<EdgeRoutes>({
  "GET /note": () => find(knownId)!,

  "GET /context": ({ headers, cookies }) => ({
    tenant: headers["x-tenant"],
    count: headers["x-count"],
    trace: headers["x-trace"],
    sid: cookies.sid,
  }),

  "POST /orders": ({ body: { item, quantity }, reply }) =>
    quantity > 500
      ? reply(202, { job: 1 })
      : reply(201, { id: 1, item, quantity }, { location: "/orders/1", "x-version": "1" }),

  "GET /entries": () => entries as Entry[],
});
