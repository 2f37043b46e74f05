import type { ErrorRecord, LogEntry, RequestRecord } from "@kit/types";

import type { Routes } from "./latency.ts";

/** Filter of every list. */
export interface Selection {
  /** Start of the period in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Maximum number of entries. The newest ones are returned. */
  readonly limit: number;
}

/** Filter of requests. */
export interface RequestSelection extends Selection {
  /** Refs of routes, such as `GET /notes/:id`. */
  readonly routes?: ReadonlySet<string> | undefined;
  /** Minimum status. */
  readonly status?: number | undefined;
}

/** Filter of log entries. */
export interface LogSelection extends Selection {
  /** Minimum severity. */
  readonly severity?: number | undefined;
  readonly requestId?: string | undefined;
}

/** History of requests, errors, log entries and latencies. Lists have the newest entry first. */
export interface History {
  requests(selection: RequestSelection): RequestRecord[];
  request(requestId: string): RequestRecord | undefined;
  errors(selection: Selection & { readonly requestId?: string | undefined }): ErrorRecord[];
  logs(selection: LogSelection): LogEntry[];
  /** Returns latencies by route, and the start of their period. */
  latency(windowMs: number): { readonly since: number; readonly routes: Routes };
  /** Returns latencies slice by slice, the oldest first. The key is the start of the slice. */
  slices(windowMs: number): {
    readonly since: number;
    readonly sliceMs: number;
    readonly slices: ReadonlyMap<number, Routes>;
  };
  /** Numbers of entries that were not stored because there were too many. */
  readonly missed: Missed;
}

/** Numbers of entries that were not stored. Latencies contain every request. */
export interface Missed {
  readonly requests: number;
  readonly errors: number;
}
