// Runs the generated contract tests of the program `sockets` against an application that keeps its contract, and against
// applications that break it. Also calls the application with the generated client.

import assert from "node:assert/strict";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";

import { createClient as createPlainClient, isApiError } from "@kit/client";
import { openSocket } from "@kit/client/sockets";
import { type AnyHandlers, type App, createApp, defineMiddleware, type OpenSocket } from "@kit/core";
import { NotFoundError, UnauthorizedError } from "@kit/errors";
import { nativeServer } from "@kit/server-native";
import { createIntegrationSuite, type RouteTable } from "@kit/testing";
import type { Bytes, MessageKind, Route, Socket, Text } from "@kit/types";

import { createClient } from "../../crates/kit-emit/tests/goldens/sockets/client/index.ts";
import compiled from "../../crates/kit-emit/tests/goldens/sockets/routes/index.ts";
import { type Ran, runContractTests } from "./run-contract-tests.ts";
import { contractsIn, copiedGoldens, tablesIn } from "./tables.ts";

const root = await copiedGoldens();
after(() => rm(root, { recursive: true, force: true }));
const directory = join(root, "sockets");
const routes = await tablesIn(directory);
const contracts = await contractsIn(directory);

interface Message {
  readonly text: string;
  readonly author: string;
  readonly sentAt: Date;
}

interface Input {
  readonly params: { readonly id: string };
  readonly query: { readonly name?: string };
  readonly socket: OpenSocket<{ readonly text: string }, Message>;
}

const sentAt = new Date("2026-01-02T03:04:05.678Z");

const kept: AnyHandlers = {
  "WS /rooms/:id": async ({ query, socket }: Input) => {
    for await (const { text } of socket) await socket.send({ text, author: query.name ?? "nobody", sentAt });
  },
  "WS /heartbeat": async ({ socket }: { socket: OpenSocket<"ping", "ping"> }) => {
    for await (const ping of socket) await socket.send(ping);
  },
  "WS /versions": async ({ socket }: { socket: OpenSocket<"ping", "ping"> }) => {
    for await (const ping of socket) await socket.send(ping);
  },
  "WS /either": async ({ socket }: { socket: OpenSocket<"ping", "ping"> }) => {
    for await (const ping of socket) await socket.send(ping);
  },
  "WS /text": async ({ socket }: { socket: OpenSocket<string | Uint8Array, string> }) => {
    for await (const message of socket)
      await socket.send(typeof message === "string" ? message : `${message.length} bytes`);
  },
  "WS /mixed": async ({
    socket,
  }: {
    socket: OpenSocket<{ text: string } | Uint8Array, Message | Uint8Array>;
  }) => {
    for await (const message of socket) {
      const isBinary = message instanceof Uint8Array;
      await socket.send(isBinary ? message : { text: message.text, author: "nobody", sentAt });
    }
  },
  "GET /latest": () => ({ text: "Hello", author: "Ada", sentAt }),
};

function application(changed: AnyHandlers = {}, routesOf: typeof compiled = compiled): App {
  return createApp({
    compiled: routesOf,
    env: "development",
    logging: { level: "fatal" },
    server: nativeServer(),
    routes: [{ handlers: { ...kept, ...changed } as never }],
  });
}

function runAgainst(app: App, tested: readonly RouteTable[] = routes): Promise<Ran> {
  return runContractTests(app, { group: "ChatRoutes", contracts, directory, routes: tested });
}

/** Returns an application whose middleware refuses every request. */
function refusing(error: Error): App {
  const refuse = defineMiddleware(() => {
    throw error;
  });
  const named = compiled.routes.map((route) => ({ ...route, middleware: ["refuse"] }));
  return createApp({
    compiled: { ...compiled, routes: named },
    env: "development",
    logging: { level: "fatal" },
    server: nativeServer(),
    middleware: [{ name: "refuse", middleware: refuse, priority: 0 }],
    routes: [{ handlers: kept as never }],
  });
}

test("an application whose responses match its contract passes the contract tests of its WebSockets", async () => {
  const { passed, failed, skipped } = await runAgainst(application());
  assert.deepEqual([...failed, ...skipped], []);
  for (const name of [
    "WS /rooms/:id: answers a request that is no handshake with 426",
    "WS /rooms/:id: takes a valid message",
    "WS /rooms/:id: takes message $.text: 500 characters (maximum)",
    "WS /rooms/:id: refuses message $.text: 501 characters (maximum 500)",
    "WS /rooms/:id: refuses query $.name: repeated",
    "WS /rooms/:id: refuses text that is not JSON",
    "WS /heartbeat: refuses message $: a string",
    "WS /versions: chooses the subprotocol ping.v2 if the client offers it",
    "WS /versions: refuses an unknown subprotocol",
    "WS /versions: refuses a client without a subprotocol",
    "WS /versions: takes a valid message",
    "WS /either: takes a client without a subprotocol",
    "WS /heartbeat: refuses a binary message",
    "WS /text: takes a text message",
    "WS /text: takes a binary message",
    "WS /text: refuses text that databases cannot store",
    "WS /mixed: takes a valid message",
    "WS /mixed: takes a binary message",
    "WS /mixed: refuses message $.text: 501 characters (maximum 500)",
    "WS /mixed: refuses text that is not JSON",
  ])
    assert.ok(passed.includes(name), name);
});

test("a message that breaks the contract of the application fails the tests", async () => {
  const wrong = {
    "WS /heartbeat": async ({ socket }: { socket: OpenSocket<"ping", string> }) => {
      for await (const ping of socket) await socket.send(`not ${ping}`);
    },
  };
  // `send` throws, so the handler fails.
  const { failed } = await runAgainst(application(wrong));
  assert.match(
    failed.get("WS /heartbeat: takes a valid message") ?? "",
    /The handler of WS \/heartbeat sent a message that breaks its contract: \$: expected "ping"/,
  );
});

/** Sends each message back in a binary message. */
async function sendBytes({ socket }: { socket: OpenSocket<string, unknown> }): Promise<void> {
  for await (const message of socket) await socket.send(Buffer.from(message));
}

test("a message of a kind that the contract does not declare fails the tests", async () => {
  const { failed } = await runAgainst(application({ "WS /text": sendBytes as never }));
  assert.match(
    failed.get("WS /text: takes a text message") ?? "",
    /The handler of WS \/text sent a message that breaks its contract: \$: expected string/,
  );
});

/** Returns the compiled routes with another list of the kinds of messages that a route takes. */
function takingOnly(ref: string, kinds: readonly MessageKind[]): typeof compiled {
  const copied = compiled.routes.map((route) => {
    if (route.ref !== ref) return route;
    const { socket } = route;
    return { ...route, socket: { ...socket!, kinds: { in: kinds, out: socket!.kinds?.out ?? ["json"] } } };
  });
  return { ...compiled, routes: copied };
}

test("an application that refuses a kind of messages that the contract allows fails the tests", async () => {
  for (const [ref, kinds, name, reason] of [
    ["WS /mixed", ["json"], "takes a binary message", "expected JSON in a text message"],
    ["WS /text", ["text"], "takes a binary message", "expected a text message"],
    ["WS /text", ["bytes"], "takes a text message", "expected a binary message"],
  ] as const) {
    const { failed } = await runAgainst(application({}, takingOnly(ref, kinds)));
    assert.match(
      failed.get(`${ref}: ${name}`) ?? "passed",
      new RegExp(`${ref} refused a message that its contract allows: \\$: ${reason}`),
    );
  }
});

test("tests of a handler that reads no messages are skipped as not proved", async () => {
  for (const [handler, end] of [
    [async () => {}, "closed the WebSocket itself"],
    [
      ({ ctx }: { ctx: { signal: AbortSignal } }) =>
        new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve())),
      "did not close the WebSocket",
    ],
  ] as const) {
    const { failed, skipped } = await runAgainst(application({ "WS /heartbeat": handler }));
    assert.deepEqual([...failed], []);
    for (const name of [
      "refuses message $: a string",
      "refuses text that is not JSON",
      "refuses a binary message",
    ])
      assert.equal(
        skipped.get(`WS /heartbeat: ${name}`),
        `not proved: the handler of WS /heartbeat ${end}, so it possibly did not read the message`,
      );
    assert.ok([...skipped.keys()].every((name) => name.startsWith("WS /heartbeat: ")));
  }
});

test("one test of each route fails, with advice, if the application refuses the credentials", async () => {
  const { passed, failed, skipped } = await runAgainst(refusing(new UnauthorizedError()));
  const names = [...failed.keys()].filter((name) => name.startsWith("WS /rooms/:id: "));
  assert.deepEqual(names, ["WS /rooms/:id: takes a valid message"]);
  assert.match(
    failed.get("WS /rooms/:id: takes a valid message") ?? "",
    /WS \/rooms\/:id refused the test's credentials. Set headers for all routes with `tests: \{ headers: /,
  );
  // The routes with subprotocols send their first valid handshake earlier.
  assert.ok(failed.has("WS /versions: chooses the subprotocol ping.v1 if the client offers it"));
  assert.equal(
    skipped.get("WS /rooms/:id: refuses text that is not JSON"),
    "the application refuses the headers of the tests",
  );
  const each = new Set(routes.map(({ route }) => route));
  assert.equal(failed.size, each.size, [...failed.keys()].join("\n"));
  assert.ok(
    passed.every((name) =>
      /: (?:refuses (?:PATCH|POST|PUT|DELETE|GET)|answers a request that is no handshake)/.test(name),
    ),
    passed.join("\n"),
  );
});

test("a declared error of a handshake skips the tests of messages, and an undeclared one fails them", async () => {
  const name = "WS /rooms/:id: takes a valid message";
  const declared = routes.map((table): RouteTable =>
    Object.assign({}, table, { errors: ["404 ROOM_NOT_FOUND"] }),
  );
  const missing = refusing(new NotFoundError("ROOM_NOT_FOUND", "There is no room 1"));
  const { failed, skipped } = await runAgainst(missing, declared);
  assert.equal(failed.get(name), undefined);
  assert.equal(skipped.get(name), "the response is an error: add a fixture for the route");
  const other = refusing(new NotFoundError("ROOM_NOT_FOUND", "There is no room 1"));
  assert.match(
    (await runAgainst(other)).failed.get(name) ?? "",
    /Add `@throws ROOM_NOT_FOUND 404` to the route/,
  );
});

test("a handler that throws fails the tests", async () => {
  const wrong = {
    "WS /rooms/:id": async ({ socket }: Input) => {
      for await (const { text } of socket) throw new Error(text);
    },
  };
  const { failed } = await runAgainst(application(wrong));
  assert.match(failed.get("WS /rooms/:id: takes a valid message") ?? "", /its handler failed/);
});

test("a suite returns plain text as it arrived, and parses JSON", async (t) => {
  const project = join(root, "project");
  await cp(directory, join(project, ".kit"), { recursive: true });
  const suite = await createIntegrationSuite({
    app: async () => ({ app: application() }),
    root: project,
    database: false,
    after: (close) => t.after(close),
  });
  const plain = await suite.socket("WS /text");
  for (const text of ["42", `{"a":1}`]) plain.sendText(text);
  assert.equal(await plain.receive(), "42");
  for await (const text of plain) {
    assert.equal(text, `{"a":1}`);
    break;
  }
  plain.close();
  const ping = await suite.socket("WS /heartbeat");
  ping.sendText(`"ping"`);
  assert.equal(await ping.receive(), "ping");
  ping.close();
});

interface Contracts {
  "WS /rooms/:id": Route<{
    params: { id: string };
    query: { name?: string };
    socket: Socket<{ in: { text: string }; out: Message }>;
  }>;
  "WS /versions": Route<{ socket: Socket<{ in: "ping"; out: "ping"; protocols: "ping.v1" | "ping.v2" }> }>;
  "WS /either": Route<{ socket: Socket<{ in: "ping"; out: "ping"; protocols?: "ping.v1" }> }>;
  "WS /text": Route<{ socket: Socket<{ in: Text | Bytes; out: Text }> }>;
  "WS /mixed": Route<{ socket: Socket<{ in: { text: string } | Bytes; out: Message | Bytes }> }>;
}

test("a client of a contract group opens sockets with the option `sockets`, and receives parsed JSON", async () => {
  const app = application();
  const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
  try {
    const api = createPlainClient<Contracts>({ baseUrl: url, sockets: openSocket });
    const room = await api.ws("/rooms/:id", { params: { id: "1" }, query: { name: "Ada" } });
    room.send({ text: "Hello" });
    for await (const message of room) {
      const text: string = message.sentAt;
      assert.deepEqual(message, { text: "Hello", author: "Ada", sentAt: text });
      assert.equal(text, sentAt.toISOString());
      break;
    }
    // @ts-expect-error -- the contract names the messages
    room.send({ content: "Hello" });
    assert.equal((await room.closed).code, 1008);
    // @ts-expect-error -- the path has a parameter
    await assert.rejects(api.ws("/rooms/:id"), /id/);
    await assert.rejects(
      createPlainClient<Contracts>({ baseUrl: url }).ws("/rooms/:id", { params: { id: "1" } }),
      /add `openSocket` of @kit\/client\/sockets to createClient, as its option `sockets`/,
    );
  } finally {
    await app.close({ graceMs: 0 });
  }
});

test("the generated client sends and receives typed messages", async () => {
  const app = application();
  const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
  const api = createClient({ baseUrl: url });
  try {
    const room = await api.ws("/rooms/:id", { params: { id: "1" }, query: { name: "Ada" } });
    room.send({ text: "Hello" });
    for await (const message of room) {
      assert.deepEqual(message, { text: "Hello", author: "Ada", sentAt });
      break;
    }
    assert.equal(room.isOpen, true);
    room.close(3001, "done");
    assert.equal((await room.closed).code, 3001);
    assert.throws(
      () => room.send({ text: "late" }),
      (error) => isApiError(error, "NETWORK_ERROR"),
    );
    await assert.rejects(
      api.ws("/rooms/:id", { params: { id: "1" }, query: { name: ["two", "names"] as never } }),
      (error) => isApiError(error, "NETWORK_ERROR"),
    );
    const controller = new AbortController();
    const heartbeat = await api.ws("/heartbeat", { signal: controller.signal });
    controller.abort();
    assert.equal((await heartbeat.closed).code, 1000);
  } finally {
    await app.close({ graceMs: 0 });
  }
});

test("clients offer the subprotocols of the contract, and receive the chosen one", async () => {
  const app = application();
  const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
  const plain = createPlainClient<Contracts>({ baseUrl: url, sockets: openSocket });
  const generated = createClient({ baseUrl: url });
  try {
    const socket = await plain.ws("/versions", { protocols: ["ping.v2", "ping.v1"] });
    const chosen: "ping.v1" | "ping.v2" = socket.protocol;
    assert.equal(chosen, "ping.v2");
    const either = await plain.ws("/either");
    const none: "ping.v1" | undefined = either.protocol;
    assert.equal(none, undefined);
    const typed = await generated.ws("/versions", { protocols: ["ping.v1"] });
    const first: "ping.v1" | "ping.v2" = typed.protocol;
    assert.equal(first, "ping.v1");
    assert.equal((await generated.ws("/either", { protocols: ["ping.v1"] })).protocol, "ping.v1");
    assert.equal((await generated.ws("/heartbeat")).protocol, undefined);
    // @ts-expect-error -- the contract demands a subprotocol
    await assert.rejects(plain.ws("/versions"), (error) => isApiError(error, "NETWORK_ERROR"));
    // @ts-expect-error -- the contract demands a subprotocol
    await assert.rejects(generated.ws("/versions"), (error) => isApiError(error, "NETWORK_ERROR"));
    await assert.rejects(
      // @ts-expect-error -- the contract does not name this subprotocol
      generated.ws("/versions", { protocols: ["ping.v3"] }),
      (error) => isApiError(error, "NETWORK_ERROR"),
    );
  } finally {
    await app.close({ graceMs: 0 });
  }
});

test("clients send and receive plain text and bytes", async () => {
  const app = application();
  const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
  const plain = createPlainClient<Contracts>({ baseUrl: url, sockets: openSocket });
  const generated = createClient({ baseUrl: url });
  const kinds = { in: ["text", "bytes"], out: ["text"] } as const;
  try {
    for (const socket of [await generated.ws("/text"), await plain.ws("/text", { messages: kinds })]) {
      const received: AsyncIterator<string> = socket[Symbol.asyncIterator]();
      socket.send('{"text":1}');
      assert.equal((await received.next()).value, '{"text":1}');
      socket.send(Uint8Array.of(1, 2, 3));
      assert.equal((await received.next()).value, "3 bytes");
      assert.throws(
        // @ts-expect-error -- the contract has no JSON
        () => socket.send({ text: "Hello" }),
        /WS \/text: the WebSocket has no messages in JSON; send string or Uint8Array/,
      );
      socket.close();
    }
    const mixed = await generated.ws("/mixed");
    const received: AsyncIterator<Message | Uint8Array> = mixed[Symbol.asyncIterator]();
    mixed.send(Uint8Array.of(0, 255));
    assert.deepEqual((await received.next()).value, Uint8Array.of(0, 255));
    mixed.send({ text: "Hello" });
    assert.deepEqual((await received.next()).value, { text: "Hello", author: "nobody", sentAt });
    mixed.close();
    // @ts-expect-error -- the call names the kinds of messages
    const unnamed = await plain.ws("/text");
    unnamed.send("JSON for the client");
    const next = unnamed[Symbol.asyncIterator]().next();
    assert.equal((await next).value, "JSON for the client");
    unnamed.close();
  } finally {
    await app.close({ graceMs: 0 });
  }
});
