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

/** Cases that do not apply to the Rust server, with the reason. The key is the start of their names. */
const notRust: Readonly<Record<string, string>> = {
  upload: "a Rust server does not support `Upload` yet",
  "response: text in chunks": "a Rust handler returns a text as a whole",
};

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
    for (const one of cases) {
      const reason = Object.keys(notRust).find((start) => one.name.startsWith(start));
      const skip = reason === undefined ? false : notRust[reason]!;
      test(one.name, { skip }, async () => check(one, await send(app.port, one)));
    }
    test("events without data get a ping after 15 seconds, which ends the stream of a client that has left", async () => {
      await using own = await startRust("rust-server", { bodyBytes: bodyLimit });
      const [staying, leaving] = await Promise.all([waitingFor(own.port), waitingFor(own.port)]);
      const dropped = (): number => own.log!().split("the stream is dropped").length - 1;
      leaving.resetAndDestroy();
      let text = "";
      for await (const bytes of staying) {
        text += String(bytes);
        if (text.includes(":\n\n")) break;
      }
      while (dropped() < 1) await sleep(10);
      assert.equal(dropped(), 1);
    });
    test("the list of skipped cases has only existing cases", () => {
      const unused = Object.keys(notRust).filter(
        (start) => !cases.some(({ name }) => name.startsWith(start)),
      );
      assert.deepEqual(unused, []);
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

    test("sends a header in Latin-1 unchanged beside a text", async () => {
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
