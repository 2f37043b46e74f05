import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

import { type LimitCount, rateLimit, valkeyLimits } from "@kit/rate-limit";
import { Redis as Valkey } from "iovalkey";
import { createClient } from "redis";

import { start } from "../../auth/test/support/application.ts";
import { Redis, withoutRedis } from "../../core/test/support/redis.ts";

const program = fileURLToPath(new URL("fixtures/limited.ts", import.meta.url));

/** Group of an application with four workers. */
interface Group {
  readonly port: number;
  readonly process: ChildProcess;
}

async function startGroup(store: number, limit: string): Promise<Group> {
  const child = fork(program, [String(store), limit], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [port] = (await once(child, "message")) as [number];
  return { port, process: child };
}

/** Sends requests to the groups in turn. Returns the number of responses by status. */
async function statusesOf(
  groups: readonly Group[],
  requests: number,
  clients: number,
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  let sent = 0;
  const client = async (): Promise<void> => {
    // A connection belongs to one worker, so each client uses several connections.
    const agents = groups.map(() => new Agent({ keepAlive: true, maxSockets: 2 }));
    while (sent < requests) {
      const index = sent % groups.length;
      sent += 1;
      // oxlint-disable-next-line no-await-in-loop -- each client sends one request after the other
      const status = await new Promise<number>((resolve, reject) => {
        const request = get(
          { port: groups[index]!.port, host: "127.0.0.1", path: "/", agent: agents[index]! },
          (response) => {
            response.resume().on("end", () => resolve(response.statusCode ?? 0));
          },
        );
        request.on("error", reject);
      });
      found.set(status, (found.get(status) ?? 0) + 1);
    }
    for (const agent of agents) agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return found;
}

/** Waits until a server answers. */
async function answers(connection: Valkey): Promise<void> {
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- the next attempt follows a failure
      await connection.ping();
      return;
    } catch {
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe("valkeyLimits", { skip: withoutRedis }, () => {
  let redis: Redis;
  let client: Valkey;
  before(async () => {
    redis = await Redis.start();
    client = new Valkey({ port: redis.port, maxRetriesPerRequest: 20 });
    client.on("error", () => undefined);
    await client.ping();
  });
  after(async () => {
    client.disconnect();
    await redis.stop();
  });

  it("counts in windows, and stores no keys after the window", async () => {
    const store = valkeyLimits(client, { prefix: "windows:" });
    const counts: LimitCount[] = [];
    // oxlint-disable-next-line no-await-in-loop -- the requests are counted one after the other
    for (let index = 0; index < 3; index += 1) counts.push(await store.count("ada", 300));
    assert.deepEqual(
      counts.map(({ count }) => count),
      [1, 2, 3],
    );
    assert.ok(counts.every(({ resetMs }) => resetMs > 0 && resetMs <= 300));
    await new Promise((resolve) => setTimeout(resolve, 350));
    assert.deepEqual(await client.keys("windows:*"), []);
    assert.equal((await store.count("ada", 300)).count, 1);
  });

  it("counts on after the server has forgotten the script", async () => {
    const store = valkeyLimits(client, { prefix: "flushed:" });
    assert.equal((await store.count("ada", 60_000)).count, 1);
    await client.script("FLUSH");
    assert.equal((await store.count("ada", 60_000)).count, 2);
  });

  it("shares counts between a client of iovalkey and a client of node-redis", async () => {
    const other = createClient({ socket: { host: "127.0.0.1", port: redis.port } });
    await other.connect();
    await valkeyLimits(client, { prefix: "both:" }).count("ada", 60_000);
    assert.equal((await valkeyLimits(other, { prefix: "both:" }).count("ada", 60_000)).count, 2);
    other.destroy();
  });

  it("sets an expiry on a count without one, so that no client is refused forever", async () => {
    await client.set("stuck:60000:ada", "1000");
    await valkeyLimits(client, { prefix: "stuck:" }).count("ada", 60_000);
    assert.ok((await client.pttl("stuck:60000:ada")) > 0);
  });

  it("accepts exactly as many requests as the limit allows, in two applications with four workers each", async () => {
    const groups = await Promise.all([0, 1].map(() => startGroup(redis.port, "5000/hour")));
    try {
      const statuses = await statusesOf(groups, 10_000, 32);
      assert.deepEqual([statuses.get(200), statuses.get(429), statuses.size], [5000, 5000, 2]);
    } finally {
      await Promise.all(
        groups.map(async ({ process: child }) => {
          child.kill("SIGTERM");
          await once(child, "exit");
        }),
      );
    }
  });

  it("counts in memory while the store is down, and in the store again after it is back", async () => {
    const own = await Redis.start();
    const connection = new Valkey({
      port: own.port,
      maxRetriesPerRequest: 0,
      commandTimeout: 500,
      retryStrategy: () => 50,
    });
    connection.on("error", () => undefined);
    await using app = await start(
      { "GET /": () => ({ text: "ok" }) },
      {
        middleware: [
          {
            name: "limit",
            middleware: rateLimit({ limit: "3/hour", store: valkeyLimits(connection) }),
            priority: 0,
          },
        ],
      },
    );
    try {
      const send = async (): Promise<number> => (await app.send("/")).status;
      await answers(connection);
      const statuses = [];
      // oxlint-disable-next-line no-await-in-loop -- the requests are counted one after the other
      for (let index = 0; index < 4; index += 1) statuses.push(await send());
      assert.deepEqual(statuses, [200, 200, 200, 429]);
      await own.kill();
      const during = [];
      // oxlint-disable-next-line no-await-in-loop
      for (let index = 0; index < 5; index += 1) during.push(await send());
      assert.deepEqual(during, [200, 200, 200, 429, 429]);
      own.restart();
      let state = "";
      const until = Date.now() + 10_000;
      while (!state.startsWith('"3/hour";r=2') && Date.now() < until) {
        // oxlint-disable-next-line no-await-in-loop
        await new Promise((resolve) => setTimeout(resolve, 100));
        // oxlint-disable-next-line no-await-in-loop
        state = (await app.send("/")).headers.get("ratelimit") ?? "";
      }
      // The store has lost its counts, so the first request there has two left.
      assert.match(state, /^"3\/hour";r=2;/);
    } finally {
      connection.disconnect();
      await own.stop();
    }
  });
});
