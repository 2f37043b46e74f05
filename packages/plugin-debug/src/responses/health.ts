import { ownHealth } from "../health/process-health.ts";
import type { SidecarState } from "./sidecar-state.ts";

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
  const own = ownHealth(host, lag);
  const all = [own, ...state.others().map(({ health }) => health)];
  return {
    ...serverOf(state),
    ...own,
    // Numbers of requests and errors that are not in the history, because too many came at once.
    missed: history.missed,
    ...(host.worker !== null && {
      workers: all.toSorted((one, other) => (one.process.worker ?? 0) - (other.process.worker ?? 0)),
    }),
  };
}
