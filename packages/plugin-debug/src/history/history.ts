import type { ErrorRecord, LogEntry, RequestRecord } from "@kit/types";

import type { Routes } from "./latency.ts";

/** What every list can be asked for. */
export interface Selection {
  /** Milliseconds since 1970: nothing older. */
  readonly since?: number | undefined;
  /** The newest so many. */
  readonly limit: number;
}

/** What requests can be asked for. */
export interface RequestSelection extends Selection {
  /** `GET /notes/:id`. */
  readonly routes?: ReadonlySet<string> | undefined;
  /** The least status. */
  readonly status?: number | undefined;
}

/** What log entries can be asked for. */
export interface LogSelection extends Selection {
  /** The least severity. */
  readonly severity?: number | undefined;
  readonly requestId?: string | undefined;
}

/** What is known of the past. Lists have the newest first. */
export interface History {
  requests(selection: RequestSelection): RequestRecord[];
  request(requestId: string): RequestRecord | undefined;
  errors(selection: Selection & { readonly requestId?: string | undefined }): ErrorRecord[];
  logs(selection: LogSelection): LogEntry[];
  /** Latencies by route, and from when on. */
  latency(windowMs: number): { readonly since: number; readonly routes: Routes };
  /** The same slice by slice, the oldest first, by the beginning of each. */
  slices(windowMs: number): {
    readonly since: number;
    readonly sliceMs: number;
    readonly slices: ReadonlyMap<number, Routes>;
  };
  /** What was not kept, since there was too much of it. */
  readonly missed: Missed;
}

/** Counts of what was not kept. Latencies count every request. */
export interface Missed {
  readonly requests: number;
  readonly errors: number;
}
