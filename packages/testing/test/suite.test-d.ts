/** Tests of the types of requests in integration suites, which only the type checker runs. */
import {
  createIntegrationSuite,
  defineFixtures,
  type IntegrationSuite,
  type SuiteRequest,
} from "@kit/testing";

declare module "@kit/testing" {
  interface ProjectRouteMap {
    "POST /typed/orders": {
      headers: { "x-tenant": "acme" | "other"; "x-retries"?: number; "x-tags"?: string[]; "x-since"?: Date };
      cookies: { sid: string; theme?: "dark" | "light" };
    };
    "GET /typed/orders": { headers: { "x-page"?: number } };
    "GET /typed/session": { cookies: { sid: string } };
    "WS /typed/rooms/:id": { socket: { in: { text: string }; out: { text: string; at: Date } } };
  }
}

const app = (): Promise<unknown> => Promise.resolve({});
const suite = await createIntegrationSuite({ app });

// The contract decides on headers and cookies. Others have any text.
await suite.request("POST /typed/orders", {
  headers: {
    "x-tenant": "acme",
    "x-retries": 2,
    "x-tags": ["a"],
    "x-since": new Date(0),
    authorization: "Bearer a",
  },
  cookies: { sid: "1", theme: "dark", other: "x" },
  body: { sku: "pen" },
});
await suite.request("GET /typed/orders");
await suite.request("GET /typed/orders", { headers: { accept: "text/csv" }, cookies: { any: 1 } });
await suite.request("GET /typed/session", { cookies: { sid: "1" } });

// @ts-expect-error -- the contract requires headers and cookies
await suite.request("POST /typed/orders");
// @ts-expect-error -- the contract requires cookies
await suite.request("POST /typed/orders", { headers: { "x-tenant": "acme" } });
// @ts-expect-error -- the contract requires the header x-tenant
await suite.request("POST /typed/orders", { headers: {}, cookies: { sid: "1" } });
// @ts-expect-error -- the contract requires the cookie sid
await suite.request("GET /typed/session", { cookies: { other: "1" } });
await suite.request("POST /typed/orders", {
  // @ts-expect-error -- no such tenant
  headers: { "x-tenant": "nobody" },
  cookies: { sid: "1" },
});
// @ts-expect-error -- the header is a number
await suite.request("GET /typed/orders", { headers: { "x-page": "two" } });
await suite.request("POST /typed/orders", {
  headers: { "x-tenant": "acme" },
  // @ts-expect-error -- no such theme
  cookies: { sid: "1", theme: "blue" },
});

// Other routes, and routes whose name is known only at run time, take any headers and cookies.
await suite.request("GET /typed/unknown", { headers: { "x-page": "two" }, params: { id: 1 } });
declare const route: string;
declare const request: SuiteRequest;
await suite.request(route, request);

// The suite sends these headers itself, so each request may leave them out, but not have another type.
const tenants = await createIntegrationSuite({ app, headers: { "X-Tenant": "acme" } });
await tenants.request("POST /typed/orders", { cookies: { sid: "1" } });
await tenants.request("POST /typed/orders", { headers: { "x-retries": 1 }, cookies: { sid: "1" } });
// @ts-expect-error -- no such tenant
await tenants.request("POST /typed/orders", { headers: { "x-tenant": "nobody" }, cookies: { sid: "1" } });
// @ts-expect-error -- the suite sends no cookies
await tenants.request("POST /typed/orders");
const signed = await createIntegrationSuite({
  app,
  headers: async () => ({ "x-tenant": "acme", cookie: "sid=1" }),
});
await signed.request("POST /typed/orders");

// Fixtures may send everything.
const fixed = await createIntegrationSuite({ app, fixtures: defineFixtures({}) });
await fixed.request("POST /typed/orders");
// @ts-expect-error -- the header is a number
await fixed.request("GET /typed/orders", { headers: { "x-page": "two" } });

const any: IntegrationSuite = suite;
await any.request("POST /typed/orders");
await createIntegrationSuite({
  app,
  seed: async (own) => void (await own.request("POST /typed/orders", { body: {} })),
});

// Messages of a WebSocket have the types of the contract. A received date is a string.
const room = await suite.socket("WS /typed/rooms/:id", { params: { id: "1" } });
room.send({ text: "Hello" });
// @ts-expect-error -- the contract has no such message
room.send({ content: "Hello" });
const { at } = await room.receive();
at.slice(0, 10);
// @ts-expect-error -- not a WebSocket
await suite.socket("GET /typed/orders");
(await suite.socket("WS /typed/unknown")).send({ anything: true });
