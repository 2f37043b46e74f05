import type { PluginHost } from "@kit/core";
import type { ListenAddress, RequestRecord, StreamRecord } from "@kit/types";

import type { RateLimit } from "../access/rate-limit.ts";
import type { EventLoopLag } from "../health/event-loop-lag.ts";
import type { History } from "../history/history.ts";
import type { ProcessState } from "../history/stored.ts";
import type { Redaction } from "../history/redaction.ts";

/** Data from which the endpoints create their responses. */
export interface SidecarState {
  readonly host: PluginHost;
  readonly history: History;
  /** Returns the requests in progress of this process and of the other workers. */
  active(): readonly RequestRecord[];
  /** Returns the WebSockets and streams of this process and of the other workers. */
  streams(): readonly StreamRecord[];
  /** Returns the states that the other workers wrote within the last seconds. */
  others(): readonly ProcessState[];
  readonly redaction: Redaction;
  readonly lag: EventLoopLag;
  /** Address that the application itself listens on. */
  readonly address: ListenAddress;
  readonly isProduction: boolean;
  /** Identifier of this process, which changes after a restart. */
  readonly instance: string;
  /** True if the history is a file to which other processes write too. */
  readonly isShared: boolean;
  /** Secret that only the page of this sidecar knows. The page sends it to repeat a request. Null if requests cannot be repeated. */
  readonly replayToken: string | null;
  readonly rateLimit: RateLimit | null;
  /** True once the application has begun to shut down. */
  readonly isStopping: boolean;
}
