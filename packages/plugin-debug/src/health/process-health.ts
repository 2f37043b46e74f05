import { cpus } from "node:os";

import type { PluginHost } from "@kit/core";

import type { EventLoopLag } from "./event-loop-lag.ts";

/** State of one process of the application. */
export interface ProcessHealth {
  /** Uptime in seconds. */
  readonly uptime: number;
  readonly memory: Readonly<Record<"heapUsed" | "heapTotal" | "rss" | "external", number>>;
  readonly connections: number | null;
  readonly eventLoopLag: object | null;
  readonly requests: { readonly active: number; readonly answered: number };
  readonly process: {
    readonly pid: number;
    readonly worker: number | null;
    readonly node: string;
    readonly cores: number;
  };
}

/** Returns the state of this process. */
export function ownHealth(host: PluginHost, lag: EventLoopLag): ProcessHealth {
  const { heapUsed, heapTotal, rss, external } = process.memoryUsage();
  return {
    uptime: Math.round(process.uptime() * 1_000) / 1_000,
    memory: { heapUsed, heapTotal, rss, external },
    connections: host.connections(),
    eventLoopLag: lag.read(),
    requests: {
      active: host.requests?.activeCount ?? 0,
      answered: host.requests?.finishedCount ?? 0,
    },
    process: { pid: process.pid, worker: host.worker, node: process.version, cores: cpus().length },
  };
}
