import assert from "node:assert/strict";
import { test } from "node:test";

import { createApp, defineHandlers, type RouteContract } from "@kit/core";
import { createTestClient } from "@kit/testing";
import { nativeServer } from "@kit/server-native";

import { compiled, headersOf, route } from "../../core/test/support/compiled.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { queryText } from "../src/client.ts";
import { resolveHeaders, withCookies } from "../src/header-texts.ts";

quietStdout();

const time = new Date("2026-01-02T03:04:05.678Z");

test("headers are sent as text: dates in UTC, lists joined by commas, names in lower case", async () => {
  const given = { "X-Count": 3, "x-big": 2n ** 64n, "x-on": true, "x-at": time, "x-tags": ["a", 1, time] };
  assert.deepEqual(await resolveHeaders(given), {
    "x-count": "3",
    "x-big": "18446744073709551616",
    "x-on": "true",
    "x-at": "2026-01-02T03:04:05.678Z",
    "x-tags": "a, 1, 2026-01-02T03:04:05.678Z",
  });
});

test("a query is sent as text: dates in UTC, lists as repeated keys", () => {
  assert.equal(
    queryText({
      since: time,
      days: [time, "b c"],
      page: 2n,
      done: false,
      gone: undefined,
      never: new Date(NaN),
    }),
    "?since=2026-01-02T03%3A04%3A05.678Z&days=2026-01-02T03%3A04%3A05.678Z&days=b%20c&page=2&done=false&never=Invalid%20Date",
  );
  assert.equal(queryText({}), "");
});

test("cookies are percent-encoded, and replace cookies of the header `cookie` with the same name", () => {
  const headers = { cookie: "sid=old; theme=dark", "x-a": "1" };
  assert.deepEqual(withCookies(headers, { sid: "a b;c", visits: 2, seen: time, gone: undefined }), {
    cookie: "theme=dark; sid=a%20b%3Bc; visits=2; seen=2026-01-02T03%3A04%3A05.678Z",
    "x-a": "1",
  });
  assert.equal(withCookies(headers), headers);
});

test("a header or cookie that cannot be sent as text throws an error with its name", async () => {
  await assert.rejects(
    resolveHeaders({ "x-a": [{} as never] }),
    /The header `x-a` of a test is \[object Object\]/,
  );
  assert.throws(() => withCookies({}, { sid: null as never }), /The cookie `sid` of a test is null/);
});

test("the test client sends values of headers and cookies as text", async () => {
  interface SeenRoutes {
    "GET /seen": RouteContract;
  }
  let seen: unknown;
  const handlers = defineHandlers<SeenRoutes>({
    "GET /seen": ({ ctx }) => void (seen = [ctx.headers["x-count"], ctx.headers["cookie"]]),
  });
  const app = createApp({
    server: nativeServer(),
    signals: false,
    logging: { level: "fatal" },
    compiled: compiled({ ...route("GET /seen"), headers: headersOf("Seen", { "x-count": "number" }) }),
    routes: [{ handlers }],
  });
  const client = await createTestClient(app, { headers: { cookie: "theme=dark" } });
  try {
    const { status } = await client.request("GET", "/seen", {
      headers: { "x-count": 3 },
      cookies: { sid: "a b" },
    });
    assert.deepEqual([status, seen], [204, ["3", "theme=dark; sid=a%20b"]]);
  } finally {
    await client.close();
  }
});
