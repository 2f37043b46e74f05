// What TypeScript makes of a generated client, for each kind of contract. `tsc` is the test: each expected error is one, and nothing else is.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@kit/client";

import {
  createClient,
  type Routes,
  type Types,
} from "../../crates/kit-emit/tests/goldens/kitchen-sink/client/index.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

// Never called: its types are what is looked at.
export async function calls(api: Client<Routes>): Promise<void> {
  // A query whose members are all optional may be left out; the answer is a union that its tag tells apart.
  const figure = await api.get("/search");
  yes<Same<typeof figure, Types.Figure>>();
  if (figure.kind === "circle") yes<Same<typeof figure.radius, number>>();
  else yes<Same<typeof figure.side, number>>();
  await api.get("/search", {
    query: { limit: 1, since: new Date(), big: 10n, sides: "all", ids: [1], tags: ["a"] },
  });
  // @ts-expect-error a date is no text
  await api.get("/search", { query: { since: "2026-01-01" } });
  // @ts-expect-error a literal that is not listed
  await api.get("/search", { query: { sides: 3 } });
  // @ts-expect-error a member that no contract declares
  await api.get("/search", { query: { colour: "red" } });

  // Keys of its own.
  const open = await api.get("/open", { query: { anything: "goes" } });
  yes<Same<typeof open, undefined>>();
  // @ts-expect-error a value that no key holds
  await api.get("/open", { query: { anything: 1 } });

  // Several parameters, in whichever order the path has them.
  const pair = { params: { a: 1, b: "x" } };
  yes<Same<Awaited<ReturnType<typeof paired>>, undefined>>();
  async function paired(): Promise<undefined> {
    await api.delete("/swapped/:b/:a", pair);
    return await api.get("/pairs/:a/:b", pair);
  }
  // @ts-expect-error one of them is missing
  await api.get("/pairs/:a/:b", { params: { a: 1 } });
  // @ts-expect-error one of them is of another type
  await api.get("/pairs/:a/:b", { params: { a: "1", b: "x" } });

  // The rest of a path.
  await api.get("/files/*path", { params: { path: "a/b" } });
  // @ts-expect-error without it
  await api.get("/files/*path");

  // What the server fills in may be left out, and is there in the answer.
  const account = await api.post("/accounts", { body: { email: "ada@example.com" } });
  yes<Same<typeof account.id, string>>();
  yes<Same<typeof account.status, "active" | "suspended" | "deleted">>();
  // @ts-expect-error it fills in no address
  await api.post("/accounts", { body: { status: "active" } });
  const filled = await api.put("/defaults", {
    body: { name: "a", last: "b", since: new Date(), big: 1n, dates: [] },
  });
  yes<Same<typeof filled, Types.Defaults>>();
  yes<Same<typeof filled.since, Date>>();
  yes<Same<typeof filled.big, bigint>>();
  yes<Same<typeof filled.dates, Date[]>>();
  yes<Same<typeof filled.untouched, number | undefined>>();
  // @ts-expect-error a number is no bigint
  await api.put("/defaults", { body: { name: "a", last: "b", big: 1 } });

  // @ts-expect-error a method that the path does not take
  await api.post("/search");
  // @ts-expect-error a path that no contract has
  await api.get("/searches");

  // Each route fails in the ways that every route can.
  const result = await api.get("/search").result();
  if (!result.ok) {
    if (result.error.code === "VALIDATION_ERROR") yes<Same<typeof result.error.status, 400>>();
    // @ts-expect-error a code that nothing declares
    if (result.error.code === "NOT_FUND") assert.fail();
  }
}

test("a generated client is made with nothing but an address", () => {
  assert.equal(typeof createClient({ baseUrl: "http://localhost" }).get, "function");
});
