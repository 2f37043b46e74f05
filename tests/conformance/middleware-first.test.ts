// Tests that a framework's middleware runs before kit's handlers for every request. Random requests are sent to applications on Express,
// Fastify and Hono whose middleware responds with 401. `KIT_SEED` selects other requests, and `KIT_RUNS` their number.

import assert from "node:assert/strict";
import { test } from "node:test";

import { frameworks, type Guarding, serveGuarded } from "./guarded.ts";
import { chosenRuns, last, Random, randomRequest } from "./hostile.ts";
import { readResponses, sendBytes } from "./raw-client.ts";
import { isRust, notInRust } from "./rust.ts";
import { assertAllowed, isWithoutHandler } from "./verdict.ts";

const { seed, runs } = chosenRuns(300);
/** Number of connections that are open at the same time. */
const clients = 32;

/** Requests that have reached handlers without the middleware in older versions, each in a different way. */
const known: readonly (readonly [name: string, request: string])[] = [
  ["a backslash in the query", "GET /admin/users/7?x=\\ HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["a backslash in the path", "GET /admin\\users\\7 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["an escaped letter", "GET /%61dmin/users/7 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["HTTP/1.0 without a host", "GET /admin/users/7 HTTP/1.0\r\n\r\n"],
  ["dot segments", "GET /open/../admin HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["dot segments for a parameter", "GET /admin/../users/7 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["escaped dot segments", "GET /x/%2e%2E/admin HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["a slash at the end", "GET /exact/page/ HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["the absolute form", "GET http://b/%61dmin HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["an upgrade", "GET /admin HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"],
  ["an escape that is none", "GET /admin/users/%zz HTTP/1.1\r\nHost: a\r\n\r\n"],
  [
    "JSON that a parser of the framework refuses",
    "GET /admin/users/7 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{",
  ],
  [
    "a content type that the framework refuses",
    "DELETE /admin/users/7 HTTP/1.1\r\nHost: a\r\nContent-Type: ;\r\nContent-Length: 1\r\n\r\n{",
  ],
  [
    "a charset that a parser of the framework refuses",
    "GET /admin/users/7 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json; charset=x\r\nContent-Length: 1\r\n\r\n{",
  ],
  ["a path that middleware calls not found", "GET /hidden/7 HTTP/1.1\r\nHost: a\r\n\r\n"],
];

notInRust("middleware of frameworks", "a Rust server has none");

for (const [name, make] of isRust ? [] : frameworks) {
  for (const guarding of ["everything", "late", "prefixes"] satisfies Guarding[]) {
    const isOpenSomewhere = guarding === "prefixes";

    test(`${name} guarding ${guarding}: responds with an error to requests that bypassed the middleware in older versions`, async () => {
      await using served = await serveGuarded(make(guarding), false);
      const check = async ([what, request]: (typeof known)[number]): Promise<void> => {
        const bytes = Buffer.from(request + last, "latin1");
        let received = await sendBytes(served.port, bytes);
        // A busy machine may need longer than the usual second.
        if (received.text === "" && received.timedOut) received = await sendBytes(served.port, bytes, 10_000);
        const [answer] = readResponses(received);
        assert.ok(answer !== undefined && answer.status >= 400, `${what}: ${received.text.slice(0, 300)}`);
      };
      await Promise.all(known.map(check));
    });

    test(`${name} guarding ${guarding}: never writes 100 Continue into a response`, async () => {
      await using served = await serveGuarded(make(guarding), false);
      const expecting = "POST /open/a/b HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n";
      const received = await sendBytes(served.port, Buffer.from(expecting.repeat(4) + last, "latin1"));
      const answers = readResponses(received).filter(({ status }) => status !== 100);
      // Node closes the connection after a response if it has not sent 100 Continue.
      assert.ok(answers.length >= 2, received.text);
      for (const { body } of answers) assert.doesNotThrow(() => JSON.parse(body) as unknown, received.text);
    });

    test(`${name} guarding ${guarding}: the middleware sees every target, or the response is an error`, async () => {
      await using served = await serveGuarded(make(guarding), false);
      let next = 0;
      let open = 0;
      const sendRandomRequests = async (): Promise<void> => {
        while (next < runs) {
          const run = next++;
          const request = randomRequest(new Random(seed * 1_000_003 + run));
          const received = await sendBytes(served.port, Buffer.from(request + last, "latin1"));
          try {
            for (const response of readResponses(received)) {
              if (!isOpenSomewhere) assert.ok(isWithoutHandler(response), received.text);
              assertAllowed(response, true);
              open += Number(response.status === 200);
            }
          } catch (error) {
            throw new Error(`run ${run} of seed ${seed}: ${JSON.stringify(request)}`, { cause: error });
          }
        }
      };
      await Promise.all(Array.from({ length: clients }, sendRandomRequests));
      // A server that refuses all requests would pass the checks above.
      if (isOpenSomewhere) assert.ok(open > runs / 8, `${open} requests were answered`);
    });
  }
}
