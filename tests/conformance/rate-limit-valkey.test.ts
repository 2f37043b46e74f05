// Limits of requests that are counted in Valkey or Redis, on every server: several servers share one count, and the decided
// behaviour applies while the store cannot be reached.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { type AppOptions, createApp } from "@kit/core";
import { rateLimit, type RateLimitOptions, valkeyLimits } from "@kit/rate-limit";
import { nativeServer } from "@kit/server-native";
import type { ServerAdapter } from "@kit/types";
import { Redis as Valkey } from "iovalkey";

import { compiled, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { Redis, withoutRedis } from "../../packages/core/test/support/redis.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

interface Limited {
  readonly limit: RateLimitOptions["limit"];
  /** Port of the store. */
  readonly store: number;
  readonly ifStoreFails?: NonNullable<RateLimitOptions["ifStoreFails"]>;
}

interface Running extends AsyncDisposable {
  readonly port: number;
}

/** Starts a server. */
type Start = (limited: Limited) => Promise<Running>;

const startNode =
  (make: () => ServerAdapter): Start =>
  async ({ limit, store, ifStoreFails = "memory" }) => {
    const client = new Valkey({
      port: store,
      maxRetriesPerRequest: 0,
      commandTimeout: 500,
      retryStrategy: () => 50,
    });
    client.on("error", () => undefined);
    const limited = rateLimit({ limit, by: "header x-client", store: valkeyLimits(client), ifStoreFails });
    const app = createApp({
      server: make(),
      compiled: compiled(
        route("GET /limited/shared", { response: responseOf("Answer", {}), middleware: ["limited"] }),
      ),
      env: "production",
      signals: false,
      logging: { level: "fatal" },
      routes: [
        {
          handlers: { "GET /limited/shared": () => ({}) },
          middleware: [{ name: "limited", middleware: limited, priority: 0 }],
        },
      ],
    } as unknown as AppOptions);
    const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
    return {
      port,
      [Symbol.asyncDispose]: async () => {
        await app.close({ graceMs: 0 });
        client.disconnect();
      },
    };
  };

const startInRust: Start = ({ limit, store, ifStoreFails = "memory" }) =>
  startRust("rust-server", { bodyBytes: 1024 }, "production", {
    LOG_LEVEL: "fatal",
    VALKEY_URL: `valkey://127.0.0.1:${store}`,
    SHARED_LIMIT: limit,
    IF_STORE_FAILS: ifStoreFails,
  });

const send = ({ port }: Running, client: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/limited/shared`, { headers: { "x-client": client } });

/** Sends requests to the servers in turn, at the same time. Returns the number of those that pass. */
async function passed(running: readonly Running[], requests: number): Promise<number> {
  const client = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: requests }, async (_, index) => {
      const answer = await send(running[index % running.length]!, client);
      await answer.body?.cancel();
      return answer.status;
    }),
  );
  assert.ok(answers.every((status) => status === 200 || status === 429));
  return answers.filter((status) => status === 200).length;
}

/** Clients that send requests without pause, until they are stopped. */
class Load {
  /** Number of answers by status. */
  readonly statuses = new Map<number, number>();
  slowestMs = 0;
  #stopped = false;
  readonly #clients: Promise<unknown>;

  constructor(running: Running, clients: number) {
    this.#clients = Promise.all(Array.from({ length: clients }, () => this.#client(running)));
  }

  answers(status: number): number {
    return this.statuses.get(status) ?? 0;
  }

  /** Waits for a number of answers with the status 200, and then for 200 refused requests. */
  async accepted(count: number): Promise<void> {
    await this.#until(() => this.answers(200) >= count);
    const refused = this.answers(429);
    await this.#until(() => this.answers(429) >= refused + 200);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#clients;
  }

  async #client(running: Running): Promise<void> {
    while (!this.#stopped) {
      const begun = performance.now();
      // oxlint-disable-next-line no-await-in-loop -- a client sends one request after the other
      const answer = await send(running, "ada");
      // oxlint-disable-next-line no-await-in-loop
      await answer.body?.cancel();
      this.slowestMs = Math.max(this.slowestMs, performance.now() - begun);
      this.statuses.set(answer.status, this.answers(answer.status) + 1);
    }
  }

  async #until(isReached: () => boolean): Promise<void> {
    const end = Date.now() + 15_000;
    while (!isReached()) {
      assert.ok(Date.now() < end, `too few answers: ${JSON.stringify([...this.statuses])}`);
      // oxlint-disable-next-line no-await-in-loop
      await sleep(5);
    }
  }
}

/** Makes the tests of one server. */
function check(name: string, start: Start): void {
  describe(name, { skip: withoutRedis, timeout: 60_000 }, () => {
    let redis: Redis;
    before(async () => {
      redis = await Redis.start();
    });
    after(() => redis?.stop());

    test("several servers share one count, and answer with the headers of the limit", async () => {
      await using first = await start({ limit: "30/hour", store: redis.port });
      await using second = await start({ limit: "30/hour", store: redis.port });
      assert.equal(await passed([first, second], 100), 30);
      const client = randomUUID();
      await send(first, client);
      const answer = await send(second, client);
      assert.equal(answer.headers.get("ratelimit-policy"), '"30/hour";q=30;w=3600');
      assert.match(answer.headers.get("ratelimit")!, /^"30\/hour";r=28;t=3(?:600|599)$/);
    });

    test("counts in memory while the store is down, and in the store again after it is back", async () => {
      const own = await Redis.start();
      try {
        await using app = await start({ limit: "3/hour", store: own.port });
        const statuses = async (): Promise<number[]> => {
          const found = [];
          // oxlint-disable-next-line no-await-in-loop -- the requests are counted one after the other
          for (let index = 0; index < 5; index++) found.push((await send(app, "ada")).status);
          return found;
        };
        await sleep(300);
        assert.deepEqual(await statuses(), [200, 200, 200, 429, 429]);
        await own.kill();
        assert.deepEqual(await statuses(), [200, 200, 200, 429, 429]);
        own.restart();
        const end = Date.now() + 10_000;
        let state = "";
        while (!state.startsWith('"3/hour";r=2') && Date.now() < end) {
          // oxlint-disable-next-line no-await-in-loop
          await sleep(100);
          // oxlint-disable-next-line no-await-in-loop
          state = (await send(app, "ada")).headers.get("ratelimit") ?? "";
        }
        // The store has lost its counts, so the first request there has two left.
        assert.match(state, /^"3\/hour";r=2;/);
      } finally {
        await own.stop();
      }
    });

    test("accepts exactly the limit in each store if the store is killed and started again under load", async () => {
      const own = await Redis.start();
      try {
        await using app = await start({ limit: "100/hour", store: own.port });
        await sleep(300);
        const load = new Load(app, 16);
        try {
          await load.accepted(100);
          await own.kill();
          await load.accepted(200); // Another 100 requests are counted in memory.
          own.restart();
          await load.accepted(300); // The store has lost its counts.
        } finally {
          await load.stop();
        }
        assert.deepEqual([...load.statuses.keys()].toSorted(), [200, 429]);
        assert.equal(load.answers(200), 300);
        assert.ok(load.slowestMs < 3000, `a request waited ${load.slowestMs} ms for the store`);
      } finally {
        await own.stop();
      }
    });

    test("refuses requests, or lets them pass, while a store does not answer", async () => {
      // The store accepts connections and never answers.
      const silent = createServer((socket) => void socket.on("error", () => undefined).resume());
      silent.listen(0, "127.0.0.1");
      await once(silent, "listening");
      const { port } = silent.address() as AddressInfo;
      const begun = performance.now();
      try {
        await using refusing = await start({ limit: "1/hour", store: port, ifStoreFails: "refuse" });
        const refused = await send(refusing, "ada");
        assert.equal(refused.status, 503);
        assert.equal(refused.headers.get("retry-after"), "1");
        const { error } = (await refused.json()) as { error: { code: string; message: string } };
        assert.equal(error.code, "SERVICE_UNAVAILABLE");
        assert.equal(error.message, "The rate limit cannot be checked at the moment");

        await using allowing = await start({ limit: "1/hour", store: port, ifStoreFails: "allow" });
        for (let time = 0; time < 3; time++) {
          // oxlint-disable-next-line no-await-in-loop
          const answer = await send(allowing, "ada");
          assert.equal(answer.status, 200);
          assert.equal(answer.headers.get("ratelimit"), null);
        }
        assert.ok(performance.now() - begun < 10_000, "requests do not wait for the store for long");
      } finally {
        silent.close();
      }
    });
  });
}

for (const [name, make] of servers) check(name, startNode(make));

if (isRust) {
  check("rust", startInRust);

  test("Node and Rust share one count", { skip: withoutRedis }, async () => {
    const redis = await Redis.start();
    try {
      await using node = await startNode(nativeServer)({ limit: "40/hour", store: redis.port });
      await using rust = await startInRust({ limit: "40/hour", store: redis.port });
      await sleep(300);
      assert.equal(await passed([node, rust, rust], 200), 40);
    } finally {
      await redis.stop();
    }
  });
}
