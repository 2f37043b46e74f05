// Runs every case of conformance/bodies.json on every server over real connections, and through `app.fetch`.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { createApp } from "@kit/core";

import { compiled, headerWriterOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { check, send } from "./answer.ts";
import type { Served } from "./application.ts";
import { bodyOptions, serveBodies } from "./bodies-application.ts";
import { type Case, readCases } from "./case.ts";
import { bytesOf, requestOf } from "./fetch-request.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

const { bodyLimit, cases } = readCases("bodies");

/** Opens a stream of events that stops after its first event, and waits for this event. */
async function waitingFor(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /events HTTP/1.1\r\nhost: a\r\nx-mode: wait\r\n\r\n");
  let text = "";
  while (!text.includes("event: stopped\ndata: null\n\n")) {
    const [bytes] = (await once(socket, "data")) as [Buffer];
    text += bytes.toString();
  }
  return socket;
}

if (isRust) {
  describe("rust", { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      app = await startRust("rust-server", { bodyBytes: bodyLimit });
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) test(one.name, async () => check(one, await send(app.port, one)));

    test("events without data get a ping after 15 seconds", async () => {
      const client = await waitingFor(app.port);
      for await (const bytes of client) if (String(bytes).includes(":\n\n")) break;
    });

    for (const [how, leave] of [
      ["resets the connection", (client: Socket) => client.resetAndDestroy()],
      ["closes the connection", (client: Socket) => client.destroy()],
    ] as const) {
      test(`a silent stream of events ends within a second if its client ${how}`, async () => {
        await using own = await startRust("rust-server", { bodyBytes: bodyLimit });
        const client = await waitingFor(own.port);
        assert.doesNotMatch(own.log!(), /the stream is dropped/);
        leave(client);
        const begun = performance.now();
        while (!own.log!().includes("the stream is dropped")) {
          assert.ok(performance.now() - begun < 1000, "the stream does not end");
          await sleep(5);
        }
      });
    }

    test("a client that closes only its sending side still receives events", async () => {
      const client = connect({ port: app.port, host: "127.0.0.1", allowHalfOpen: true });
      client.end("GET /events HTTP/1.1\r\nhost: a\r\nx-mode: numbers\r\n\r\n");
      let text = "";
      const begun = performance.now();
      for await (const bytes of client) {
        text += String(bytes);
        if (performance.now() - begun > 1500) break;
      }
      assert.match(text, /id: 100\n/);
      client.destroy();
    });
  });
}

for (const [name, make] of servers) {
  describe(name, { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      app = await serveBodies(make());
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) test(one.name, async () => check(one, await send(app.port, one)));

    test("sends a header in Latin-1 unchanged if the body is text", async () => {
      const headers = headerWriterOf("TextHeaders", { "x-city": "string" });
      const content = { format: "text", mediaType: "text/plain" } as const;
      const one = createApp({
        ...bodyOptions(),
        compiled: compiled(route("GET /city", { replies: { 200: { body: null, content, headers } } })),
        routes: [
          {
            handlers: {
              "GET /city": ({ reply }: { reply: (...parts: unknown[]) => unknown }) =>
                reply(200, "Köln", { "x-city": "Köln" }),
            } as never,
          },
        ],
        server: make(),
      });
      const { port } = await one.listen({ port: 0, host: "127.0.0.1" });
      try {
        const request = { method: "GET", target: "/city" };
        const { bytes } = await send(port, { name: "", request, status: 200 });
        assert.match(bytes.toString("latin1"), /x-city: K\u00f6ln\r\n/i);
        assert.ok(bytes.toString().endsWith("\r\n\r\nKöln"));
      } finally {
        await one.close({ graceMs: 0 });
      }
    });
  });
}

describe("app.fetch", { skip: isRust && "the Rust server has no such function" }, () => {
  const app = createApp(bodyOptions());
  after(() => app.close({ graceMs: 0 }));
  const possible = cases.flatMap((one): [Case, Request][] => {
    const request = requestOf(one);
    return request === undefined ? [] : [[one, request]];
  });
  for (const [one, request] of possible) {
    test(one.name, async () => check(one, await bytesOf(await app.fetch(request))));
  }
});
