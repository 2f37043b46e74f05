// A payment server is killed with SIGKILL at each of ten points of a payment. Its client repeats the request with the same
// idempotency key: the payment is executed exactly once, and all responses are equal.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { idempotencyTableSql } from "@kit/idempotency";

import { points } from "./fixtures/payments-server.ts";
import { Cluster } from "./support/cluster.ts";

/** Number of repetitions after each kill. */
const repetitions = Number(process.env["KIT_RUNS"] ?? 5);

/** Number of repetitions at the same time. */
const parallel = 5;

const server = new URL("fixtures/payments-server.ts", import.meta.url).pathname;

interface Running extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly url: string;
}

async function start(database: string, killAt?: number): Promise<Running> {
  const child = spawn(process.execPath, [server], {
    env: {
      ...process.env,
      TEST_DATABASE: database,
      LOG_LEVEL: "fatal",
      ...(killAt !== undefined && { KILL_AT: String(killAt) }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(child.stdout)) {
    const port = /^port (\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    child.stdout.resume();
    return {
      process: child,
      url: `http://127.0.0.1:${port}/payments`,
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

function pay(url: string, key: string): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ text: key }),
  });
}

/** Sends a request until no other request with its key is running, and returns the body of the answer. */
async function payAtLast(url: string, key: string): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const response = await pay(url, key);
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

  for (const [number, [statement, when]] of points.entries()) {
    it(`is executed once if the server is killed ${when} ${statement}`, async () => {
      const key = `payment-${number}`;
      await using killed = await start(cluster.url, number);
      const exited = once(killed.process, "exit");
      await assert.rejects(pay(killed.url, key), "the server is killed before it answers");
      assert.deepEqual(await exited, [null, "SIGKILL"]);

      await using restarted = await start(cluster.url);
      const bodies = new Set<string>();
      for (let done = 0; done < repetitions; done += parallel) {
        const answers = Array.from({ length: Math.min(parallel, repetitions - done) }, () =>
          payAtLast(restarted.url, key),
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
