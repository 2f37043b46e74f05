// Tests of the types of calls. `tsc` runs the tests: each expected error must occur, and no other error.

import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  Failure as Fails,
  Reply,
  Route as Contract,
  RouteContract,
  ValidationLimit,
  ValidationRule as ServerRule,
} from "@kit/types";
import {
  createClient,
  type ApiFailure,
  type ApiRoute,
  type Client,
  type Failure,
  type Generated,
  type InvalidField,
  type OutputOf,
  type Route,
  type ValidationRule,
  type Wire,
} from "../src/index.ts";

interface Note {
  id: string;
  at: Date;
  size: bigint;
  tags: string[];
  more?: { at: Date | null };
}

/** Routes with the generated type, as `.kit/client/index.ts` declares them. */
interface Known extends Generated {
  "GET /notes": ApiRoute<{ query?: { page?: number } }, Note[]>;
  "GET /notes/:id": ApiRoute<
    { params: { id: string } },
    Note,
    ApiFailure<"NOTE_NOT_FOUND", 404> | ApiFailure<"UNAUTHORIZED", 401>
  >;
  "POST /notes": ApiRoute<{ body: { title: string; done?: boolean } }, Note>;
  "DELETE /notes/:id": ApiRoute<{ params: { id: string } }, undefined>;
}

/** Routes as the contracts that a program declares. */
interface Contracts {
  "GET /notes": RouteContract<void, { page?: number }, void, Note[]>;
  "PUT /notes/:id": RouteContract<{ id: string }, void, { title?: string }, Note>;
  "DELETE /notes/:id": RouteContract<{ id: string }>;
}

/** Contract with named slots, replies and failures. */
interface Orders {
  "POST /orders": Contract<{
    headers: { "x-tenant": string };
    cookies: { sid: string };
    body: { sku: string };
    response: Reply<201, Note, { location: string }> | Reply<202, { job: string }> | Reply<204>;
    errors: Fails<409, "SOLD_OUT", { left: number; again: Date }> | Fails<402, "PAYMENT_FAILED">;
  }>;
  /** A plain response with the names of a reply's properties. */
  "GET /mail": Contract<{ response: { status: number; body: string; headers: { a: string } } }>;
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

// Never called. The type checker checks the calls in it.
export async function calls(api: Client<Known>, plain: Client<Contracts>): Promise<void> {
  await api.get("/notes");
  await api.get("/notes", { query: { page: 1 }, timeoutMs: 5, headers: { "x-a": "1" } });
  const note = await api.get("/notes/:id", { params: { id: "1" } });
  yes<Same<typeof note, Note>>();
  const gone = await api.delete("/notes/:id", { params: { id: "1" } });
  yes<Same<typeof gone, undefined>>();

  // @ts-expect-error an unknown path
  await api.get("/note");
  // @ts-expect-error a path of another method
  await api.put("/notes/:id", { params: { id: "1" } });
  // @ts-expect-error missing parameters
  await api.get("/notes/:id");
  // @ts-expect-error a parameter with another name
  await api.get("/notes/:id", { params: { key: "1" } });
  // @ts-expect-error a query of another type
  await api.get("/notes", { query: { page: "1" } });
  // @ts-expect-error a query that the route does not have
  await api.post("/notes", { body: { title: "a" }, query: {} });
  // @ts-expect-error missing body
  await api.post("/notes");
  // @ts-expect-error a body without a required property
  await api.post("/notes", { body: {} });

  const result = await api.get("/notes/:id", { params: { id: "1" } }).result();
  if (result.ok) {
    yes<Same<typeof result.data, Note>>();
    return;
  }
  const { error } = result;
  switch (error.code) {
    case "NOTE_NOT_FOUND":
      yes<Same<typeof error.status, 404>>();
      break;
    case "UNAUTHORIZED":
      yes<Same<typeof error.status, 401>>();
      break;
    case "VALIDATION_ERROR": {
      const [field] = error.details?.fields ?? [];
      const path: string | undefined = field?.path;
      // The client depends on no other package, so it has its own list.
      yes<Same<ValidationRule, ServerRule>>();
      yes<Same<NonNullable<InvalidField["limit"]>, NonNullable<ValidationLimit>>>();
      const texts: Partial<Record<ValidationRule, string>> = { required: "is missing" };
      assert.ok(field === undefined || texts[field.rule] !== "");
      // @ts-expect-error an unknown rule
      assert.ok(field?.rule !== "minlength");
      yes<Same<typeof error.status, 400>>();
      assert.ok(path);
      break;
    }
    case "NETWORK_ERROR":
    case "TIMEOUT":
      yes<Same<typeof error.status, 0>>();
      break;
    // @ts-expect-error an undeclared code
    case "NOTE_NOT_FUND":
      break;
    default: {
      const code: string = error.code;
      yes<Same<typeof error.status, number | 500 | 503>>();
      assert.ok(code);
    }
  }

  // With contracts only, responses are parsed JSON.
  const [first] = await plain.get("/notes");
  yes<Same<typeof first, Wire<Note> | undefined>>();
  const at: string | undefined = first?.at;
  const inner: string | null | undefined = first?.more?.at;
  assert.ok(at !== inner);
  await plain.put("/notes/:id", { params: { id: "1" }, body: {} });
  // @ts-expect-error a body is required even if all of its properties are optional
  await plain.put("/notes/:id", { params: { id: "1" } });
  yes<Same<OutputOf<Contracts, "DELETE /notes/:id">, undefined>>();
}

// Never called. The type checker checks the calls in it.
export async function contractCalls(api: Client<Orders>): Promise<void> {
  const made = await api.post("/orders", { headers: { "x-tenant": "acme" }, body: { sku: "a" } });
  yes<Same<typeof made, Wire<Note> | { job: string } | undefined>>();
  // @ts-expect-error a required header is missing
  await api.post("/orders", { body: { sku: "a" } });
  const mail = await api.get("/mail");
  yes<Same<typeof mail.headers, { a: string }>>();
  const result = await api
    .post("/orders", { headers: { "x-tenant": "acme" }, cookies: { sid: "1" }, body: { sku: "a" } })
    .result();
  if (result.ok || result.error.code !== "SOLD_OUT") return;
  yes<Same<typeof result.error.details, { left: number; again: string }>>();
  yes<Same<typeof result.error.status, 409>>();
}

test("the old names of generated types are aliases of the new names", () => {
  yes<Same<Route<{}, string, Failure<"A", 400>>, ApiRoute<{}, string, ApiFailure<"A", 400>>>>();
});

test("a client of generated routes requires the codecs that were generated with them", () => {
  const baseUrl = "http://localhost";
  assert.ok(createClient<Contracts>({ baseUrl }));
  assert.ok(createClient<Known>({ baseUrl, codecs: { types: {}, responses: {}, raw: [] } }));
  // @ts-expect-error without codecs, dates would be strings despite their type
  assert.ok(createClient<Known>({ baseUrl }));
});
