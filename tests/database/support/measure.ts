// Measures the latencies and statuses of requests before, during and after an outage of PostgreSQL.

import { setTimeout as sleep } from "node:timers/promises";

import { type Cluster, until } from "./cluster.ts";
import type { NotesServer } from "./notes-server.ts";

const clients = 8;
/** Pause between two requests of a client, in milliseconds. */
const pauseMs = 10;
const calmSeconds = 2;

/** Results that clients have received in one phase. Latencies are in milliseconds. */
export interface Phase {
  readonly name: string;
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Stops PostgreSQL for some seconds while clients send requests. The phase after the outage begins with the first successful request. */
export async function measureOutage(
  cluster: Cluster,
  server: NotesServer,
  seconds: number,
): Promise<Phase[]> {
  const prior = await load("before", server, () => sleep(calmSeconds * 1_000));
  await cluster.stop("SIGINT");
  const during = await load("during", server, () => sleep(seconds * 1_000));
  await cluster.run();
  const begin = performance.now();
  await until(async () => (await server.get("/notes?pageSize=1")).status === 200, "the server to recover");
  const recovery = Math.round(performance.now() - begin);
  const later = await load(`after (${recovery} ms to the first 200)`, server, () =>
    sleep(calmSeconds * 1_000),
  );
  return [prior, during, later];
}

async function load(name: string, server: NotesServer, run: () => Promise<unknown>): Promise<Phase> {
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  const over = new AbortController();
  const sendRequests = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { status, ms } = await server.get("/notes?pageSize=1");
      times.push(ms);
      statuses[status] = (statuses[status] ?? 0) + 1;
      await sleep(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, sendRequests));
  await run();
  over.abort();
  await all;
  times.sort((left, right) => left - right);
  const at = (part: number): number => Math.round(times[Math.floor((times.length - 1) * part)]! * 10) / 10;
  return { name, count: times.length, p50: at(0.5), p99: at(0.99), statuses };
}
