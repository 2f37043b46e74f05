import type { PluginHost } from "@kit/core";
import type { ListenAddress, RequestRecord } from "@kit/types";

import type { RateLimit } from "./access/rate-limit.ts";
import type { EventLoopLag } from "./event-loop-lag.ts";
import type { History } from "./history/history.ts";
import type { ProcessState } from "./history/stored.ts";
import type { Redaction } from "./redaction.ts";

/** Data that responses are created from. */
export interface SidecarState {
  readonly host: PluginHost;
  readonly history: History;
  /** Returns the requests in progress, of this process and of the other workers. */
  active(): readonly RequestRecord[];
  /** Returns the states that the other workers wrote within the last seconds. */
  others(): readonly ProcessState[];
  readonly redaction: Redaction;
  readonly lag: EventLoopLag;
  /** Address that the application listens on. */
  readonly address: ListenAddress;
  readonly isProduction: boolean;
  /** Identifier of this process. Another process has another history. */
  readonly instance: string;
  /** True if the history is a store, which other processes write to. */
  readonly isShared: boolean;
  /** Token with which the dashboard's page proves that this sidecar served it; null if requests cannot be repeated. */
  readonly replayToken: string | null;
  readonly rateLimit: RateLimit | null;
  /** True if the application is shutting down. */
  readonly isStopping: boolean;
}
