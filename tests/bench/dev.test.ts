// Tests the benchmark of `kit dev`, except its results: the load must count all failures that a client sees.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";

import { freePort } from "../../packages/core/test/support/free-port.ts";
import { type Counts, Load } from "../../bench/dev/load.ts";
import { rowsOf, table } from "../../bench/dev/report.ts";
import { percentile } from "../../bench/figures.ts";

async function serve(t: TestContext, listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  await once(server, "listening");
  return server;
}

/** Runs the load on a port until the condition is true. Returns its counts. */
async function counted(port: number, isEnough: (counts: Counts) => boolean): Promise<Counts> {
  const load = new Load(port, "/", {}, ({ text }) => text === "right", { clients: 2, perSecond: 100 });
  const end = performance.now() + 20_000;
  while (!isEnough(load.counts) && performance.now() < end) await setTimeout(10);
  return load.stop();
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

test("the load counts all responses, and responses with wrong content as wrong", async (t) => {
  let requests = 0;
  const server = await serve(t, (_, response) => response.end((requests += 1) % 3 === 0 ? "wrong" : "right"));
  const { answered, wrong, refused, reset, closed } = await counted(
    portOf(server),
    (counts) => counts.answered > 5 && counts.wrong > 2,
  );
  assert.ok(answered > 5 && wrong > 2, `${answered} answered, ${wrong} wrong`);
  assert.deepEqual([refused, reset, closed], [0, 0, 0]);
});

test("the load counts refused connections and incomplete responses as failures", async (t) => {
  const { refused } = await counted(await freePort(), (counts) => counts.refused > 5);
  assert.ok(refused > 5, `${refused} refused`);
  const server = await serve(t, (_, response) => {
    response.writeHead(200, { "content-length": "5" });
    response.write("rig", () => response.destroy());
  });
  const { reset, answered } = await counted(portOf(server), (counts) => counts.reset > 5);
  assert.ok(reset > 5, `${reset} reset`);
  assert.equal(answered, 0);
});

test("the load counts keep-alive connections that the server closed separately", async (t) => {
  const resetOnce = new WeakSet<object>();
  const server = await serve(t, ({ socket }, response) => {
    if (resetOnce.has(socket)) socket.resetAndDestroy();
    else response.end("right");
    resetOnce.add(socket);
  });
  const { closed, reset, answered } = await counted(
    portOf(server),
    (counts) => counts.closed > 3 && counts.answered > 3,
  );
  assert.ok(closed > 3 && answered > 3, `${closed} closed, ${answered} answered`);
  assert.equal(reset, 0);
});

test("a percentile is one of the samples", () => {
  assert.deepEqual(
    [0.5, 0.9, 1].map((share) => percentile([5, 1, 4, 2, 3, 6, 9, 8, 7, 10], share)),
    [5, 9, 10],
  );
  assert.ok(Number.isNaN(percentile([], 0.9)));
});

test("the table has a row for each kind of edit and a row for all edits", () => {
  const edit = { kind: "type", total: 200, build: 20, ready: 180 };
  const counts = { answered: 7, refused: 0, reset: 1, closed: 0, wrong: 0 };
  const text = table(rowsOf([edit, { ...edit, kind: "handler", total: 100, ready: 70 }], [30], counts));
  assert.match(text, /^edit +150 +200 +200 +20 +105 +25$/m);
  assert.match(text, /^edit-handler +100 +100 +100 +20 +50 +30$/m);
  assert.match(text, /7 answered, 0 refused, 1 reset/);
});
