import type { PluginHost } from "@kit/core";
import type { ListenAddress, RequestRecord } from "@kit/types";

import type { RateLimit } from "./access/rate-limit.ts";
import type { EventLoopLag } from "./event-loop-lag.ts";
import type { History } from "./history/history.ts";
import type { Present } from "./history/stored.ts";
import type { Redaction } from "./redaction.ts";

/** What answers are made of. */
export interface SidecarState {
  readonly host: PluginHost;
  readonly history: History;
  /** Requests under way, in this process and in its fellow workers. */
  active(): readonly RequestRecord[];
  /** What the other workers told of themselves within the last seconds. */
  others(): readonly Present[];
  readonly redaction: Redaction;
  readonly lag: EventLoopLag;
  /** Where the application listens. */
  readonly address: ListenAddress;
  readonly isProduction: boolean;
  /** Names this process: another one has another history. */
  readonly instance: string;
  /** Whether the history is a store, which other processes write into. */
  readonly isShared: boolean;
  /** What the dashboard proves by that it is the page that was served here; nothing where no request is sent again. */
  readonly replayToken: string | null;
  readonly rateLimit: RateLimit | null;
  /** Whether the application still serves. */
  readonly isStopping: boolean;
}
