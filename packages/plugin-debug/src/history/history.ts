import type { ErrorRecord, LogEntry, RequestRecord } from "@kit/types";

import type { Routes } from "./latency.ts";

/** Conditions that entries of any list must meet. */
export interface Selection {
  /** Start of the period in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Maximum number of entries. If there are more, the newest entries are returned. */
  readonly limit: number;
}

/** Conditions that requests must meet. */
export interface RequestSelection extends Selection {
  /** Names of routes, such as `GET /notes/:id`. */
  readonly routes?: ReadonlySet<string> | undefined;
  /** Selects only requests whose response has at least this HTTP status. */
  readonly status?: number | undefined;
}

/** Conditions that log entries must meet. */
export interface LogSelection extends Selection {
  /** Minimum severity. */
  readonly severity?: number | undefined;
  readonly requestId?: string | undefined;
}

/** History of requests, errors, log entries and latencies. Its lists begin with the newest entry. */
export interface History {
  requests(selection: RequestSelection): RequestRecord[];
  request(requestId: string): RequestRecord | undefined;
  errors(selection: Selection & { readonly requestId?: string | undefined }): ErrorRecord[];
  logs(selection: LogSelection): LogEntry[];
  /** Returns latencies by route in the last `windowMs` milliseconds. `since` is the start of the first slice. */
  latency(windowMs: number): { readonly since: number; readonly routes: Routes };
  /** Returns the latencies of the last `windowMs` milliseconds in slices of time, the oldest first. The key of the map is the start of the slice. */
  slices(windowMs: number): {
    readonly since: number;
    readonly sliceMs: number;
    readonly slices: ReadonlyMap<number, Routes>;
  };
  /** Numbers of entries that were not stored because there were too many. */
  readonly missed: Missed;
}

/**
 * Numbers of entries that were not stored because too many came at once. Latencies are complete: they include
 * requests that were not stored.
 */
export interface Missed {
  readonly requests: number;
  readonly errors: number;
}
