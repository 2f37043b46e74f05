// Disturbances of the cluster under load.

import { setTimeout as sleep } from "node:timers/promises";

import type { Part } from "./part.ts";

/** Parts of the cluster. */
export interface Parts {
  readonly balancer: Part;
  readonly bouncer: Part;
  readonly primary: Part;
  readonly standby: Part;
  readonly valkey: Part;
  readonly receiver: Part;
  readonly nodes: readonly Part[];
  readonly rusts: readonly Part[];
  readonly workers: readonly Part[];
}

/** A disturbance, after which the cluster works as before. */
export interface Disturbance {
  readonly name: string;
  /** Maximum of the 99th percentile of the times that clients wait, in milliseconds. */
  readonly mostMs: number;
  /** Disturbs the cluster, and resolves when all parts run again. */
  readonly act: () => Promise<void>;
}

/** Duration of a pause. */
const pauseMs = 3_000;
/** Bound without a disturbance, and for parts that no request waits for. */
const calmMs = 3_000;
/** Bound if clients have to repeat requests, or wait until a part is there again. */
const disturbedMs = 15_000;

/** Returns the disturbance that kills a part and starts it again. */
function kill(part: Part, mostMs: number): Disturbance {
  return {
    name: `kill ${part.name}`,
    mostMs,
    act: async () => {
      await part.kill();
      await sleep(500);
      await part.start();
    },
  };
}

/** Returns the disturbance that stops the processes of a part for a time. */
function pause(part: Part, mostMs: number): Disturbance {
  return {
    name: `pause ${part.name}`,
    mostMs,
    act: async () => {
      part.pause();
      await sleep(pauseMs);
      part.resume();
    },
  };
}

/** Name of the last disturbance, after which the standby is the primary. */
export const failoverName = "failover to the standby";

/** Returns all disturbances. `deploy` is a rolling deployment with a migration, and `failover` makes the standby the primary. */
export function disturbances(
  parts: Parts,
  deploy: () => Promise<void>,
  failover: () => Promise<void>,
): Disturbance[] {
  const { balancer, bouncer, primary, standby, valkey, receiver } = parts;
  const [node] = parts.nodes;
  const [rust] = parts.rusts;
  const [worker] = parts.workers;
  return [
    { name: "none", mostMs: calmMs, act: async () => undefined },
    { name: "deploy with a migration", mostMs: disturbedMs, act: deploy },
    kill(node!, disturbedMs),
    pause(node!, disturbedMs),
    kill(rust!, disturbedMs),
    pause(rust!, disturbedMs),
    kill(worker!, calmMs),
    pause(worker!, calmMs),
    kill(balancer, disturbedMs),
    pause(balancer, disturbedMs),
    kill(bouncer, disturbedMs),
    pause(bouncer, disturbedMs),
    kill(primary, disturbedMs),
    pause(primary, disturbedMs),
    // Commits wait for the standby.
    kill(standby, disturbedMs),
    pause(standby, disturbedMs),
    kill(valkey, disturbedMs),
    pause(valkey, disturbedMs),
    kill(receiver, calmMs),
    pause(receiver, calmMs),
    { name: failoverName, mostMs: disturbedMs, act: failover },
  ];
}
