// Tests that typed clients receive each event exactly once while connections are cut at random bytes and the process of
// the server is killed: the handler continues after the header `last-event-id`. `KIT_SEED` selects other moments.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { createClient } from "../../crates/kit-emit/tests/goldens/bodies/client/index.ts";
import { cuttingProxy } from "./cutting-proxy.ts";
import { Random } from "../property/support/random.ts";
import { isRust, startRust } from "./rust.ts";

const clients = 4;
/** Number of events that each client receives. */
const events = process.env["KIT_LONG"] === undefined ? 600 : 10_000;
/** Minimum number of cuts and of killed servers, so that the test cannot pass without them. */
const [leastCuts, leastKills] = [10, 2];

/** Server in its own process. */
interface Running {
  readonly port: number;
  kill(): Promise<void>;
}

const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

async function start(name: string): Promise<Running> {
  if (isRust) {
    const served = await startRust("rust-server", { bodyBytes: 1024 * 1024 });
    return { port: served.port, kill: async () => await served[Symbol.asyncDispose]() };
  }
  const program = fileURLToPath(new URL("bodies-server.ts", import.meta.url));
  const child = spawn(process.execPath, [program, name], { stdio: ["ignore", "pipe", "inherit"] });
  alive.add(child);
  const exited = once(child, "exit");
  void exited.then(() => alive.delete(child));
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^Listening on http:\S+:(\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    return {
      port: Number(port),
      async kill() {
        child.kill("SIGKILL");
        await exited;
      },
    };
  }
  throw new Error(`the server ${name} did not start`);
}

for (const name of isRust ? ["rust"] : ["native", "express"]) {
  test(`${name}: no event is lost or received twice if connections close and the server is killed`, async (t) => {
    const seed = Number(process.env["KIT_SEED"] ?? 1);
    t.diagnostic(`KIT_SEED=${seed}`);
    const source = new Random(seed);
    const random = (): number => source.below(1_000_000) / 1_000_000;
    await using proxy = await cuttingProxy();
    let server = await start(name);
    proxy.to(server.port);
    let kills = 0;
    const received: number[][] = [];
    const stop = new AbortController();
    let startMs = 0;

    const read = async (): Promise<void> => {
      const numbers: number[] = [];
      received.push(numbers);
      const api = createClient({
        baseUrl: `http://127.0.0.1:${proxy.port}`,
        headers: { "x-mode": "numbers" },
        retry: { maxDelayMs: 200, limit: Infinity },
      });
      for await (const event of await api.get("/events", { signal: stop.signal })) {
        assert.ok(event.event === "progress");
        assert.equal(event.id, String(event.data.percent));
        numbers.push(event.data.percent);
        if (numbers.length >= events && proxy.cuts >= leastCuts && kills >= leastKills) break;
      }
    };
    const cutting = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await sleep(10 + random() * 60);
        proxy.cut(random);
      }
    };
    const killing = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await sleep(300 + random() * 500);
        if (stop.signal.aborted) return;
        proxy.to(undefined);
        await server.kill();
        kills += 1;
        const begin = performance.now();
        server = await start(name);
        proxy.to(server.port);
        startMs += performance.now() - begin;
      }
    };
    const from = performance.now();
    const trouble = Promise.all([cutting(), killing()]);
    try {
      await Promise.race([Promise.all(Array.from({ length: clients }, read)), trouble]);
    } finally {
      stop.abort();
      await trouble.finally(() => server.kill());
    }
    const seconds = (performance.now() - from - startMs) / 1000;
    for (const numbers of received) {
      assert.deepEqual(
        numbers,
        numbers.map((_, at) => at + 1),
      );
    }
    const total = received.reduce((sum, numbers) => sum + numbers.length, 0);
    t.diagnostic(
      `${total} events, ${Math.round(total / seconds)} per second with a server, ${proxy.cuts} cuts, ${kills} kills`,
    );
    assert.ok(total / seconds > 100, `${total / seconds} events per second`);
  });
}
