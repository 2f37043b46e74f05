import { cpus } from "node:os";

import type { SidecarState } from "../sidecar-state.ts";

export function serverOf({ host, address, isStopping }: SidecarState): object {
  return {
    adapter: host.serverAdapter,
    platform: host.platform,
    status: isStopping ? "stopping" : "ok",
    port: address.port,
    host: address.host,
    url: address.url,
  };
}

export function healthOf(state: SidecarState): object {
  const { host, lag, history } = state;
  const { heapUsed, heapTotal, rss, external } = process.memoryUsage();
  return {
    ...serverOf(state),
    uptime: Math.round(process.uptime() * 1_000) / 1_000,
    memory: { heapUsed, heapTotal, rss, external },
    connections: host.connections(),
    eventLoopLag: lag.read(),
    requests: {
      active: host.requests?.activeCount ?? 0,
      answered: host.requests?.answeredCount ?? 0,
    },
    // What came too fast to be kept, besides being counted.
    missed: history.missed,
    process: { pid: process.pid, worker: host.worker, node: process.version, cores: cpus().length },
  };
}
