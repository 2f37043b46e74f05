import type { PluginHost } from "@kit/core";
import type { ListenAddress, RequestRecord } from "@kit/types";

import type { EventLoopLag } from "./event-loop-lag.ts";
import type { History } from "./history/history.ts";
import type { Redaction } from "./redaction.ts";

/** What answers are made of. */
export interface SidecarState {
  readonly host: PluginHost;
  readonly history: History;
  /** Requests under way in this process. */
  active(): readonly RequestRecord[];
  readonly redaction: Redaction;
  readonly lag: EventLoopLag;
  /** Where the application listens. */
  readonly address: ListenAddress;
  readonly isProduction: boolean;
  /** Whether the application still serves. */
  readonly isStopping: boolean;
}
