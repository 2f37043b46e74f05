// Limits of requests in memory, on every server: counts, headers and refusals.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { type AppOptions, createApp } from "@kit/core";
import { rateLimit } from "@kit/rate-limit";
import type { ServerAdapter } from "@kit/types";

import { compiled, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import type { Served } from "./application.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

async function serve(server: ServerAdapter): Promise<Served> {
  const by = "header x-client";
  const middleware = [
    { name: "burst", middleware: rateLimit({ limit: "3/2s", by, name: "burst" }), priority: 0 },
    { name: "hourly", middleware: rateLimit({ limit: "5/hour", by }), priority: 1 },
  ];
  const app = createApp({
    server,
    compiled: compiled(
      route("GET /limited", { response: responseOf("Answer", {}), middleware: ["burst", "hourly"] }),
    ),
    env: "production",
    signals: false,
    logging: { level: "fatal" },
    routes: [{ handlers: { "GET /limited": () => ({}) }, middleware }],
  } as unknown as AppOptions);
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}

interface Answer {
  readonly status: number;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  readonly policy: string | null;
  readonly state: string | null;
  readonly retryAfter: string | null;
}

async function send(port: number, client: string): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}/limited`, { headers: { "x-client": client } });
  const { error } = (await answer.json()) as Partial<Answer>;
  return {
    status: answer.status,
    error,
    policy: answer.headers.get("ratelimit-policy"),
    state: answer.headers.get("ratelimit"),
    retryAfter: answer.headers.get("retry-after"),
  };
}

/** Makes the tests of one server. */
function check(name: string, start: () => Promise<Served>): void {
  describe(name, () => {
    let app: Served;
    before(async () => {
      app = await start();
    });
    after(() => app[Symbol.asyncDispose]());

    test("counts each client, refuses requests above the limit, and begins again after the window", async () => {
      const client = randomUUID();
      for (const left of [2, 1, 0]) {
        // oxlint-disable-next-line no-await-in-loop
        const answer = await send(app.port, client);
        assert.equal(answer.status, 200);
        assert.equal(answer.policy, '"burst";q=3;w=2, "5/hour";q=5;w=3600');
        assert.match(answer.state!, new RegExp(`^"burst";r=${left};t=[12], "5/hour";r=${left + 2};t=3600$`));
        assert.equal(answer.retryAfter, null);
      }
      const refused = await send(app.port, client);
      assert.equal(refused.status, 429);
      assert.equal(refused.error?.code, "RATE_LIMITED");
      assert.match(refused.error.message, /^Too many requests: the limit is 3\/2s\. Try again in [12] s$/);
      assert.equal(refused.policy, '"burst";q=3;w=2');
      assert.match(refused.state!, /^"burst";r=0;t=[12]$/);
      assert.match(refused.retryAfter!, /^[12]$/);
      assert.equal((await send(app.port, randomUUID())).status, 200);
      await sleep(2100);
      assert.match((await send(app.port, client)).state!, /^"burst";r=2;t=2, "5\/hour";r=1;t=36?/);
    });

    test("never lets more requests through than the limit if they arrive at the same time", async () => {
      const client = randomUUID();
      const answers = await Promise.all(Array.from({ length: 40 }, () => send(app.port, client)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 3);
    });

    test("counts by address if the header is missing", async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => send(app.port, "")));
      assert.equal(answers.filter(({ status }) => status === 429).length, 2);
    });
  });
}

for (const [name, make] of servers) check(name, () => serve(make()));
if (isRust) check("rust", () => startRust("rust-server", { bodyBytes: 1024 }));
