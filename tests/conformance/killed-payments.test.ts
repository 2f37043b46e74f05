// A payment server is killed with SIGKILL at each of ten points of a payment. Its client repeats the request with the same
// idempotency key: the payment is executed exactly once, and all responses are equal.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { idempotencyTableSql } from "@kit/idempotency";

import { Cluster } from "../database/support/cluster.ts";
import { type Point, startKillingProxy } from "./killing-proxy.ts";
import { isRust, startRust } from "./rust.ts";

/** Number of repetitions after each kill. */
const repetitions = Number(process.env["KIT_RUNS"] ?? 5);

/** Number of repetitions at the same time. */
const parallel = 5;

const points: readonly Point[] = [
  { statement: "BEGIN", when: "before" },
  { statement: "SELECT pg_try_advisory_xact_lock", when: "before" },
  { statement: "SELECT fingerprint", when: "before" },
  { statement: "insert into payments", when: "before" },
  { statement: "insert into payments", when: "after" },
  { statement: "update accounts", when: "before" },
  { statement: "INSERT INTO kit_idempotency", when: "before" },
  { statement: "DELETE FROM kit_idempotency", when: "after" },
  { statement: "COMMIT", when: "before" },
  { statement: "COMMIT", when: "after" },
];

interface Running extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
}

const server = new URL("transfers-server.ts", import.meta.url).pathname;

async function startNode(database: string): Promise<Running> {
  const child = spawn(process.execPath, [server], {
    env: { ...process.env, DATABASE_URL: database, LOG_LEVEL: "fatal" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(child.stdout)) {
    const port = /^port (\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    child.stdout.resume();
    return {
      pid: child.pid!,
      port: Number(port),
      [Symbol.asyncDispose]: async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      },
    };
  }
  throw new Error("The server did not start");
}

function start(database: string): Promise<Running> {
  if (!isRust) return startNode(database);
  const variables = { DATABASE_URL: database, LOG_LEVEL: "fatal" };
  return startRust("rust-payments", { bodyBytes: 1024 }, "production", variables);
}

function pay({ port }: Running, key: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/transfers`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ text: key }),
  });
}

/** Sends a request until no other request with its key is running, and returns the body of the answer. */
async function payAtLast(running: Running, key: string): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const response = await pay(running, key);
    if (response.status === 201) return response.text();
    assert.equal(response.status, 409, await response.text());
    await sleep(50);
  }
  throw new Error("The request was refused with 409 for 10 s");
}

describe("a payment with an idempotency key", { timeout: 600_000 }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start();
    await cluster.query(idempotencyTableSql());
    await cluster.query("create table payments (id serial primary key, text text not null)");
    await cluster.query("create table accounts (cents int not null)");
    await cluster.query("insert into accounts values (1000)");
  });
  after(() => cluster?.remove());

  for (const [number, point] of points.entries()) {
    it(`is executed once if the server is killed ${point.when} ${point.statement}`, async () => {
      const key = `payment-${number}`;
      await using proxy = await startKillingProxy(cluster.url);
      await using killed = await start(proxy.url);
      let isKilled = false;
      proxy.killAt(point, () => {
        isKilled = true;
        process.kill(killed.pid, "SIGKILL");
      });
      await assert.rejects(pay(killed, key), "the server is killed before it answers");
      assert.ok(isKilled);

      await using restarted = await start(`${cluster.url}?sslmode=disable`);
      const bodies = new Set<string>();
      for (let done = 0; done < repetitions; done += parallel) {
        const answers = Array.from({ length: Math.min(parallel, repetitions - done) }, () =>
          payAtLast(restarted, key),
        );
        for (const body of await Promise.all(answers)) bodies.add(body);
      }
      assert.equal(bodies.size, 1);
      const paid = await cluster.query(`select id from payments where text = '${key}'`);
      assert.deepEqual([JSON.stringify(paid[0])], [...bodies]);
      assert.equal(paid.length, 1);
      assert.deepEqual(await cluster.query("select cents from accounts"), [{ cents: 1000 - number - 1 }]);
    });
  }
});
