import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";

import { createClient } from "@kit/client";
import type { RouteContract } from "@kit/types";

interface Routes {
  "GET /v1/notes": RouteContract<void, void, void, string[]>;
  "GET /v2/notes": RouteContract<void, void, void, string[]>;
  "GET /old": RouteContract<void, void, void, string[]>;
}

const ending = {
  deprecation: "@1767225600",
  sunset: "Fri, 01 Jan 2027 00:00:00 GMT",
  link: '</docs>; rel="deprecation", </v2/notes>; rel="successor-version"',
};

/** Calls routes whose responses have the headers, with this `NODE_ENV`. Returns the warnings. */
async function warnings(t: TestContext, mode: string | undefined, routes: string[]): Promise<unknown[]> {
  const before = process.env["NODE_ENV"];
  const warn = t.mock.method(console, "warn", () => undefined);
  if (mode === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = mode;
  try {
    const api = createClient<Routes>({
      baseUrl: "http://localhost",
      fetch: async (request) => {
        const { pathname } = new URL((request as Request).url);
        const headers: Record<string, string> =
          pathname === "/v1/notes" ? ending : pathname === "/old" ? { deprecation: "soon" } : {};
        return Response.json([], { headers });
      },
    });
    // oxlint-disable-next-line no-await-in-loop
    for (const route of routes) await api.get(route as "/v1/notes");
    return warn.mock.calls.map(({ arguments: [text] }) => text as unknown);
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = before;
  }
}

describe("calls of deprecated routes", () => {
  it("log nothing outside of development", async (t) => {
    assert.deepEqual(await warnings(t, "production", ["/v1/notes"]), []);
    assert.deepEqual(await warnings(t, undefined, ["/v1/notes"]), []);
  });

  it("log one warning for each route in development", async (t) => {
    assert.deepEqual(await warnings(t, "development", ["/v2/notes", "/v1/notes", "/v1/notes", "/old"]), [
      "GET /v1/notes is deprecated as of 2026-01-01 and ends on Fri, 01 Jan 2027 00:00:00 GMT: use /v2/notes",
      "GET /old is deprecated",
    ]);
    assert.deepEqual(await warnings(t, "development", ["/v1/notes"]), []);
  });
});
