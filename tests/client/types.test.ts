// Types of a generated client for each kind of contract. `tsc` is the test: every expected error must occur, and no other one.

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

// This function is never called, because only its types are checked.
export async function calls(api: Client<Routes>): Promise<void> {
  // A query may be left out if all of its properties are optional. The response is a union with a tag
  // property.
  const figure = await api.get("/search");
  yes<Same<typeof figure, Types.Figure>>();
  if (figure.kind === "circle") yes<Same<typeof figure.radius, number>>();
  else yes<Same<typeof figure.side, number>>();
  await api.get("/search", {
    query: { limit: 1, since: new Date(), big: 10n, sides: "all", ids: [1], tags: ["a"] },
  });
  // @ts-expect-error a Date is not a string
  await api.get("/search", { query: { since: "2026-01-01" } });
  // @ts-expect-error a literal that is not in the union
  await api.get("/search", { query: { sides: 3 } });
  // @ts-expect-error a property that the contract does not declare
  await api.get("/search", { query: { colour: "red" } });

  // A query with an index signature.
  const open = await api.get("/open", { query: { anything: "goes" } });
  yes<Same<typeof open, undefined>>();
  // @ts-expect-error a value of a type that the index signature does not accept
  await api.get("/open", { query: { anything: 1 } });

  // The parameters may be in another order than in the path.
  const pair = { params: { a: 1, b: "x" } };
  yes<Same<Awaited<ReturnType<typeof paired>>, undefined>>();
  async function paired(): Promise<undefined> {
    await api.delete("/swapped/:b/:a", pair);
    return await api.get("/pairs/:a/:b", pair);
  }
  // @ts-expect-error a parameter is missing
  await api.get("/pairs/:a/:b", { params: { a: 1 } });
  // @ts-expect-error a parameter has another type
  await api.get("/pairs/:a/:b", { params: { a: "1", b: "x" } });

  // A rest parameter.
  await api.get("/files/*path", { params: { path: "a/b" } });
  // @ts-expect-error the rest parameter is missing
  await api.get("/files/*path");

  // Properties with a default may be left out of the request. They are always present in the response.
  const account = await api.post("/accounts", { body: { email: "ada@example.com" } });
  yes<Same<typeof account.id, string>>();
  yes<Same<typeof account.status, "active" | "suspended" | "deleted">>();
  // @ts-expect-error the email address has no default
  await api.post("/accounts", { body: { status: "active" } });
  const filled = await api.put("/defaults", {
    body: { name: "a", last: "b", since: new Date(), big: 1n, dates: [] },
  });
  yes<Same<typeof filled, Types.Defaults>>();
  yes<Same<typeof filled.since, Date>>();
  yes<Same<typeof filled.big, bigint>>();
  yes<Same<typeof filled.dates, Date[]>>();
  yes<Same<typeof filled.untouched, number | undefined>>();
  // @ts-expect-error a number is not a bigint
  await api.put("/defaults", { body: { name: "a", last: "b", big: 1 } });

  // @ts-expect-error a method that the path does not have
  await api.post("/search");
  // @ts-expect-error a path without a contract
  await api.get("/searches");

  // Errors that every route can return have types too.
  const result = await api.get("/search").result();
  if (!result.ok) {
    if (result.error.code === "VALIDATION_ERROR") yes<Same<typeof result.error.status, 400>>();
    // @ts-expect-error a code that no contract declares
    if (result.error.code === "NOT_FUND") assert.fail();
  }
}

test("a generated client is created from the address of the API alone", () => {
  assert.equal(typeof createClient({ baseUrl: "http://localhost" }).get, "function");
});
