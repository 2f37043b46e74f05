// Coverage of requests that other clients than that of @kit/testing send. The application reports each request that it receives.

import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { createClient } from "@kit/client";
import { type App, type AppOptions, createApp } from "@kit/core";
import { expressServer } from "@kit/server-express";
import { fastifyServer } from "@kit/server-fastify";
import { honoServer } from "@kit/server-hono";
import { nativeServer } from "@kit/server-native";
import type { CompiledApplication, RouteContract, ServerAdapter, TestRecorder } from "@kit/types";

import { compiled, objectOf, responseOf, route } from "../../core/test/support/compiled.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import type { Item } from "../src/coverage/items.ts";

quietStdout();

const program = compiled(
  route("GET /things", { response: responseOf("Thing", { name: "string" }) }),
  route("POST /things", {
    body: objectOf("NewThing", { name: "string" }),
    response: responseOf("Thing", { name: "string" }),
  }),
  route("DELETE /things/:id"),
  route("WS /chat", {
    status: 101,
    socket: { in: objectOf("In", { text: "string" }), out: responseOf("Out", { text: "string" }) },
  }),
  {
    ...route("GET /events", { response: responseOf("Tick", { at: "number" }) }),
    responseFormat: {
      format: "events",
      mediaType: "text/event-stream",
      events: { tick: responseOf("Tick", { at: "number" }), done: null, never: null },
    },
  },
);
const contracts = `
const body = { kind: "object", properties: [{ key: "name", shape: { kind: "string" } }] };
const refs = ${JSON.stringify(program.routes.map(({ ref }) => ref))};
export default {
  application: {
    tree: ${JSON.stringify(program.tree)},
    routes: refs.map((ref) => ({ ref, path: ref.split(" ")[1], params: null, query: null })),
  },
  routes: [
    { route: "GET /things", successes: [200], errors: [] },
    { route: "POST /things", successes: [201], errors: ["409 TAKEN"], body },
    { route: "DELETE /things/:id", successes: [204], errors: [] },
    {
      route: "WS /chat",
      successes: [101],
      errors: [],
      socket: {
        in: { kind: "union", members: [
          { kind: "object", name: "Say", properties: [{ key: "text", shape: { kind: "string", maxLength: 3 } }] },
          { kind: "object", name: "Shout", properties: [{ key: "text", shape: { kind: "string" } }] },
          { kind: "object", name: "Leave", properties: [{ key: "leave", shape: { kind: "boolean" } }] },
        ] },
        out: { kind: "object", properties: [{ key: "text", shape: { kind: "string" } }] },
      },
    },
    { route: "GET /events", successes: [200], errors: [], events: { tick: null, done: null, never: null } },
  ],
};`;

interface ThingRoutes {
  "POST /things": RouteContract<void, void, { name: string }, { name: string }>;
}

interface Input {
  readonly body: { readonly name: string };
  readonly ctx: { fail(status: number, code: string, message: string): never };
}

function appOf(server: ServerAdapter, application: CompiledApplication = program): App {
  const handlers = {
    "GET /things": () => ({ name: "a" }),
    "POST /things": ({ body, ctx }: Input) =>
      body.name === "taken" ? ctx.fail(409, "TAKEN", "It is taken") : body,
    "DELETE /things/:id": () => undefined,
    "GET /others": () => ({ name: "a" }),
    "WS /chat": async ({
      socket,
    }: {
      socket: AsyncIterable<object> & { send(message: object): Promise<void> };
    }) => {
      for await (const message of socket) await socket.send(message);
    },
    "GET /events": async function* () {
      yield { event: "tick", data: { at: 1 } };
      yield { event: "done" };
    },
  };
  const own = Object.fromEntries(
    Object.entries(handlers).filter(([ref]) => application.routes.some((one) => one.ref === ref)),
  );
  return createApp({
    server,
    compiled: application,
    env: "test",
    signals: false,
    logging: { level: "fatal" },
    limits: { bodyBytes: 1000 },
    routes: [{ handlers: own }],
  } as unknown as AppOptions);
}

/** Opens the WebSocket, sends a message and waits for the response. */
async function talk(url: string, message: object): Promise<void> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/chat`);
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  const answered = new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
  socket.send(JSON.stringify(message));
  await answered;
  const closed = new Promise((resolve) => socket.addEventListener("close", resolve, { once: true }));
  socket.close();
  await closed;
}

const servers: readonly (readonly [string, () => ServerAdapter])[] = [
  ["native", nativeServer],
  ["express", expressServer],
  ["fastify", fastifyServer],
  ["hono", honoServer],
];

/** A process has one recorder, which writes to one file and records each item once. So the tests run one after the other. */
describe("coverage of the requests that an application receives", { concurrency: false }, () => {
  let directory = "";

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "kit-coverage-link-"));
    const module = join(directory, "contracts.mjs");
    await writeFile(module, contracts);
    process.env["KIT_TEST_CONTRACTS"] = module;
    process.env["KIT_TEST_SEEN"] = directory;
    await import("../src/coverage/link.ts");
  });
  after(async () => {
    Reflect.deleteProperty(globalThis, Symbol.for("kit.testing"));
    await rm(directory, { recursive: true });
  });

  async function recordedItems(): Promise<string[]> {
    const names = await readdir(directory);
    const textOf = async (start: string): Promise<string> => {
      const name = names.find((one) => one.startsWith(start));
      return name === undefined ? "" : await readFile(join(directory, name), "utf8");
    };
    const items = JSON.parse((await textOf("items.")) || "[]") as Item[];
    const numbers = (await textOf("seen.")).split("\n").filter((line) => line !== "");
    return numbers
      .map((line) => items[Number(line)]!)
      .map(({ kind, route: at, slot, path, what }) => [at, kind, slot, path, what].filter(Boolean).join(" "));
  }

  test("ignores requests to an application with other routes", async () => {
    const app = appOf(nativeServer(), compiled(route("GET /things"), route("GET /others")));
    const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
    try {
      await (await fetch(`${url}/things`)).text();
    } finally {
      await app.close({ graceMs: 100 });
    }
    assert.deepEqual(await recordedItems(), []);
  });

  test("records requests of fetch, of the typed client and of direct calls of the application", async () => {
    const app = appOf(nativeServer());
    const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
    const post = (body: string, type = "application/json"): Promise<Response> =>
      fetch(`${url}/things`, { method: "POST", headers: { "content-type": type }, body });
    let known = 0;
    const added = async (): Promise<string[]> => {
      const all = await recordedItems();
      return all.slice(known, (known = all.length));
    };
    try {
      await (await fetch(`${url}/things/`)).text();
      assert.deepEqual(await added(), ["GET /things answer 200", "GET /things route"]);
      await (await post(`{"name":5}`)).text();
      assert.deepEqual(await added(), [
        "POST /things answer 400 VALIDATION_ERROR",
        "POST /things rule body $.name type string",
      ]);
      await (await post(`{"name"`)).text();
      assert.deepEqual(await added(), ["POST /things rule body $ JSON"]);
      await (await post("{}", "text/plain")).text();
      await (await post(`"${"a".repeat(2000)}"`)).text();
      await (await post(`{"name":"taken"}`)).text();
      assert.deepEqual(await added(), [
        "POST /things answer 415 UNSUPPORTED_MEDIA_TYPE",
        "POST /things answer 413 PAYLOAD_TOO_LARGE",
        "POST /things answer 409 TAKEN",
      ]);
      const client = createClient<ThingRoutes>({ baseUrl: url });
      await client.post("/things", { body: { name: "b" } });
      assert.deepEqual(await added(), [
        "POST /things answer 201",
        "POST /things route",
        "POST /things field body $.name",
      ]);
      const service = await app.service();
      await new Promise<void>((resolve) => {
        service.handle({
          method: "DELETE",
          target: "/things/1",
          bodyTooLarge: false,
          bodyLength: 0,
          bodyText: () => "",
          bodyBytes: () => new Uint8Array(),
          header: () => undefined,
          headers: () => ({}),
          remoteAddress: "127.0.0.1",
          onAbort: () => {},
          respond: () => resolve(),
        });
      });
      assert.deepEqual(await added(), ["DELETE /things/:id answer 204", "DELETE /things/:id route"]);
      await talk(url, { text: "longer" });
      assert.deepEqual(await added(), [
        "WS /chat answer 101",
        "WS /chat route",
        "WS /chat message in Shout",
        "WS /chat message out object",
      ]);
      await talk(url, { text: "hi" });
      assert.deepEqual(
        await added(),
        ["WS /chat message in Say"],
        "the first member that accepts the message",
      );
      await (await fetch(`${url}/events`)).text();
      assert.deepEqual(await added(), [
        "GET /events answer 200",
        "GET /events route",
        "GET /events message event tick",
        "GET /events message event done",
      ]);
    } finally {
      await app.close({ graceMs: 100 });
    }
  });
});

for (const [name, make] of servers) {
  test(`an application on ${name} reports each request and its response to the test link`, async () => {
    const recorded: unknown[] = [];
    const types: unknown[] = [];
    const messages: unknown[] = [];
    const link = {
      version: 2,
      watch: async (): Promise<TestRecorder> => ({
        answered: ({ headers, ...request }, answer) => {
          recorded.push([request, answer]);
          types.push(headers?.["content-type"]);
        },
        messaged: ({ target }, message) => messages.push([target, message]),
      }),
    };
    Object.assign(globalThis, { [Symbol.for("kit.testing")]: link });
    const app = appOf(make());
    try {
      const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
      const headers = { "content-type": "application/json" };
      await (await fetch(`${url}/things`, { method: "POST", headers, body: `{"name":"a"}` })).text();
      const refused = await fetch(`${url}/things`, { method: "POST", headers, body: "{" });
      const body = (await refused.json()) as unknown;
      assert.deepEqual(recorded, [
        [
          { method: "POST", target: "/things", body: `{"name":"a"}` },
          { status: 201, body: undefined },
        ],
        [
          { method: "POST", target: "/things", body: "{" },
          { status: 400, body },
        ],
      ]);
      assert.deepEqual(types, ["application/json", "application/json"]);
      await (await fetch(`${url}/events`)).text();
      await talk(url, { text: "hi" });
      const text = `{"text":"hi"}`;
      assert.deepEqual(messages, [
        ["/events", { direction: "out", event: "tick", text: `{"at":1}` }],
        ["/events", { direction: "out", event: "done", text: "null" }],
        ["/chat", { direction: "in", text }],
        ["/chat", { direction: "out", text }],
      ]);
    } finally {
      Reflect.deleteProperty(globalThis, Symbol.for("kit.testing"));
      await app.close({ graceMs: 100 });
    }
  });
}
