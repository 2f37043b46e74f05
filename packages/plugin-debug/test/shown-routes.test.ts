import assert from "node:assert/strict";
import { it } from "node:test";

import {
  compiled,
  cookiesOf,
  headersOf,
  headerWriterOf,
  responseOf,
  route,
} from "../../core/test/support/compiled.ts";
import { oneRoute } from "../src/responses/routes.ts";
import type { SidecarState } from "../src/responses/sidecar-state.ts";

it("a route is shown with the types of its headers, cookies, replies and details of errors, and its scopes", () => {
  const order = responseOf("Order", { id: "string" });
  const program = compiled(
    route("POST /orders", {
      headers: headersOf("OrderHeaders", { "x-tenant": "string" }),
      cookies: cookiesOf("OrderCookies", { sid: "string" }),
      status: 201,
      replies: {
        201: { body: order, headers: headerWriterOf("CreatedHeaders", { location: "string" }) },
        204: { body: null, headers: null },
      },
      details: { SOLD_OUT: responseOf("SoldOutDetails", { left: "number" }) },
      scopes: { anyOf: [["orders:write"], ["admin"]], isBearer: true },
    }),
    route("GET /orders", { response: order }),
  );
  const state = { host: { compiled: program } } as SidecarState;
  const { validators, serializer, replies, details, scopes } = oneRoute(state, "POST", "/orders");
  assert.deepEqual(
    { validators, serializer, replies, details, scopes },
    {
      validators: { headers: "OrderHeaders", cookies: "OrderCookies" },
      serializer: null,
      replies: [
        { status: 201, body: "Order", headers: "CreatedHeaders" },
        { status: 204, body: null, headers: null },
      ],
      details: { SOLD_OUT: "SoldOutDetails" },
      scopes: [["orders:write"], ["admin"]],
    },
  );
  const plain = oneRoute(state, "GET", "/orders");
  assert.deepEqual([plain.validators, plain.serializer, plain.replies, plain.details], [{}, "Order", [], {}]);
  assert.deepEqual(plain.scopes, []);
});
