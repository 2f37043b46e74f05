// Runs the generated contract tests and the generated client of the program `formats`, whose bodies have one of several
// formats, against an application that keeps its contract, and against applications that break it.

import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";

import type { Client } from "@kit/client";
import { type AnyHandlers, type App, createApp, type RequestContext } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { RouteTable } from "@kit/testing";

import {
  createClient,
  type Routes,
  type Types,
} from "../../crates/kit-emit/tests/goldens/formats/client/index.ts";
import { formatOptions } from "../conformance/format-unions-application.ts";
import { type Ran, runContractTests, runRandomRequests } from "./run-contract-tests.ts";
import { contractsIn, copiedGoldens, tablesIn } from "./tables.ts";

const root = await copiedGoldens();
after(() => rm(root, { recursive: true, force: true }));
const directory = join(root, "formats");
const tables = await tablesIn(directory);
const contracts = await contractsIn(directory);

function application(changed: AnyHandlers = {}): App {
  return createApp({ ...formatOptions(changed), server: nativeServer() });
}

function runAgainst(app: App, routes: readonly RouteTable[] = tables): Promise<Ran> {
  return runContractTests(app, { group: "OrderRoutes", contracts, directory, routes });
}

test("an application whose responses match its contract passes the tests of each format", async () => {
  const { passed, failed } = await runAgainst(application());
  assert.deepEqual([...failed], []);
  for (const name of [
    "POST /orders with application/json: answers a valid request",
    "POST /orders with application/json: refuses body $.title: missing",
    "POST /orders with application/json: refuses application/x-kit-other",
    "POST /orders with application/x-www-form-urlencoded: refuses body $.count: 10 (maximum 9)",
    "POST /orders with text/csv: refuses bytes that are not UTF-8",
    "POST /orders with image/*: answers a valid request",
    "POST /photos with multipart/form-data: refuses body $.photo: missing",
    "GET /report: answers with text/csv if the request accepts only this type",
    "GET /report: answers with application/jsonl if the request accepts only this type",
    "GET /report: answers with text/csv if the request prefers it to application/json",
    "GET /report: refuses a request that accepts only application/x-kit-other",
    "GET /export: answers with application/json if the request accepts only this type",
    "GET /watch: answers with text/event-stream if the request accepts only this type",
  ])
    assert.ok(passed.includes(name), name);
});

test("random requests have a body in each format that has a type", async () => {
  const group = { group: "OrderRoutes", contracts, directory, routes: tables };
  const { passed, failed, skipped } = await runRandomRequests(application(), 40, group);
  assert.deepEqual([...failed], []);
  assert.deepEqual([...skipped], []);
  for (const type of ["application/json", "application/x-www-form-urlencoded"]) {
    assert.ok(passed.includes(`POST /orders with ${type}: takes 40 random requests`), type);
    assert.ok(passed.includes(`POST /orders with ${type}: refuses 40 random requests`), type);
  }
  assert.ok(!passed.includes("POST /orders with text/csv: takes 40 random requests"));
});

test("an application that breaks the type of one format fails only the tests of that format", async () => {
  const { failed } = await runAgainst(
    application({
      "GET /watch": () => ({
        "application/json": () => ({ percent: 1 }),
        "text/event-stream": async function* () {
          yield { event: "progress", data: { percent: "half" } };
        },
      }),
      "GET /export": ({ reply }: { reply: (status: number, body: unknown) => unknown }) =>
        reply(200, { "text/csv": () => "a" }),
    }),
  );
  assert.deepEqual(
    [...failed.keys()],
    [
      "GET /export: answers with application/json if the request accepts only this type",
      "GET /export: answers with application/json if the request prefers it to text/csv",
      "GET /watch: answers with text/event-stream if the request accepts only this type",
      "GET /watch: answers with text/event-stream if the request prefers it to application/json",
    ],
  );
});

/** Returns the tests of a route and the header `accept` that need a response with a format. */
const acceptTests = (route: string, first: string, second: string): string[] => [
  ...[first, second].map((type) => `${route}: answers with ${type} if the request accepts only this type`),
  `${route}: answers with ${second} if the request prefers it to ${first}`,
];

test("the tests of `accept` are skipped if the response has no format to choose", async () => {
  const tableOf = new Map(tables.map((table) => [table.route, table]));
  const routes = [tableOf.get("GET /export")!, { ...tableOf.get("GET /watch")!, errors: ["404 NO_WATCH"] }];
  const { failed, skipped } = await runAgainst(
    application({
      "GET /watch": ({ ctx }: { ctx: RequestContext }) => ctx.fail(404, "NO_WATCH", "Nothing to watch"),
      "GET /export": ({ reply }: { reply: (status: number, body: unknown) => unknown }) =>
        reply(202, { percent: 50 }),
    }),
    routes,
  );
  assert.deepEqual([...failed], []);
  const noFormat =
    "the response has the status 202, which does not have this format: add a fixture for the route";
  const noFixture = "the response is an error: add a fixture for the route";
  assert.deepEqual(
    [...skipped],
    [
      ...acceptTests("GET /export", "text/csv", "application/json").map((name) => [name, noFormat]),
      ...acceptTests("GET /watch", "application/json", "text/event-stream").map((name) => [name, noFixture]),
    ],
  );
});

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

// Never called, because only its types are checked.
export async function calls(api: Client<Routes>): Promise<void> {
  const order: Types.Order = { title: "Tea", count: 1, due: new Date() };
  await api.post("/orders", { body: { type: "application/json", value: order } });
  await api.post("/orders", { body: { type: "image/gif", value: new Uint8Array(1) } });
  // @ts-expect-error the body needs its media type
  await api.post("/orders", { body: order });
  // @ts-expect-error a text is no order
  await api.post("/orders", { body: { type: "application/json", value: "text" } });
  // @ts-expect-error a media type that the contract does not allow
  await api.post("/orders", { body: { type: "text/html", value: "text" } });
  // @ts-expect-error a media type that the response does not have
  await api.get("/report", { accept: "text/html" });
  const table = await api.get("/report", { accept: "text/csv" });
  yes<Same<typeof table.type, "text/csv">>();
  yes<Same<typeof table.value, string>>();
  const any = await api.get("/report");
  if (any.type === "application/pdf") yes<Same<typeof any.value, Uint8Array>>();
  if (any.type === "application/jsonl") yes<Same<typeof any.value, AsyncIterable<Types.Order>>>();
  const reply = await api.get("/export", { accept: "application/json" });
  if (reply.status === 200) yes<Same<typeof reply.data.value, Types.Order>>();
  if (reply.status === 202) yes<Same<typeof reply.data, Types.Progress>>();
}

test("the generated client and the server agree about every format", async () => {
  const app = application();
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  try {
    const api = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const due = new Date(0);
    const order = { title: "Tea", count: 2, due };
    const text = JSON.stringify(order);
    for (const type of ["application/json", "application/x-www-form-urlencoded"] as const)
      assert.deepEqual(await api.post("/orders", { body: { type, value: order } }), { type, text });
    assert.deepEqual(await api.post("/orders", { body: { type: "text/csv", value: "a,b" } }), {
      type: "text/csv",
      text: "a,b",
    });
    const image = { type: "image/png", value: new Uint8Array([65]) } as const;
    assert.deepEqual(await api.post("/orders", { body: image }), { type: "image/png", text: "A" });
    const photo = new File(["pixels"], "a.png");
    const parts = { type: "multipart/form-data", value: { title: "Sea", photo } } as const;
    assert.equal((await api.post("/photos", { body: parts })).text, "Sea a.png pixels");
    const wrong = { type: "text/html", value: "" } as never;
    await assert.rejects(api.post("/orders", { body: wrong }), /the body needs the property `type`/);

    const json = await api.get("/report");
    assert.ok(json.type === "application/json" && json.value[0]!.due instanceof Date);
    assert.equal((await api.get("/report", { accept: "text/csv" })).value.split("\n")[0], "title,count");
    const pdf = await api.get("/report", { accept: "application/pdf" });
    assert.equal(Buffer.from(pdf.value).toString(), "%PDF-1.7");
    const titles: string[] = [];
    for await (const { title } of (await api.get("/report", { accept: "application/jsonl" })).value)
      titles.push(title);
    assert.deepEqual(titles, ["Order 1", "Order 2"]);
    for await (const event of (await api.get("/watch", { accept: "text/event-stream", retry: false })).value)
      assert.deepEqual(event.data, { percent: 50 });
    const reply = await api.get("/export", { accept: "application/json" });
    assert.ok(reply.status === 200 && reply.data.value.due instanceof Date);
    const refused = await api.get("/report", { accept: "text/html" as "text/csv" }).result();
    assert.ok(!refused.ok && refused.error.status === 406 && String(refused.error.code) === "NOT_ACCEPTABLE");
  } finally {
    await app.close({ delayMs: 0, graceMs: 0 });
  }
});
