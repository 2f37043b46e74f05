/**
 * Types of the responses to the dashboard. Its page is built separately from the sidecar and imports only these types, so this module must
 * not import code.
 *
 * @module
 */
import type { CompiledRoute, ReceivedRequest, RequestRecord } from "@kit/types";

/** First information that the page needs. */
export interface DashboardInfo {
  /** Identifier of the process. Another process has another history. */
  readonly instance: string;
  readonly mode: "development" | "production";
  readonly application: { readonly name: string; readonly url: string; readonly adapter: string };
  /** Directory that the paths of sources are relative to; null in production. */
  readonly projectRoot: string | null;
  /** Token that the page sends to repeat a request; null in production, where that is not possible. */
  readonly replayToken: string | null;
  /** Milliseconds between two polls of the page. The rate limit must leave requests for other clients. */
  readonly pollMs: number;
}

/** Request in a list. */
export interface RequestSummary extends Pick<
  RequestRecord,
  | "requestId"
  | "traceId"
  | "method"
  | "target"
  | "route"
  | "status"
  | "startTime"
  | "durationMs"
  | "isActive"
  | "phase"
> {
  /** Code of the error in the response. */
  readonly code: string | null;
  readonly message: string | null;
}

/** Requests since the last poll. */
export interface Feed {
  readonly instance: string;
  /** Value of `after` for the next poll. */
  readonly next: string;
  /** Finished requests, the newest first. */
  readonly requests: readonly RequestSummary[];
  /** Requests in progress. */
  readonly active: readonly RequestSummary[];
  /** Number of finished requests since the last poll that are not in the list. */
  readonly skipped: number;
}

/** Latencies of one slice of time, in milliseconds. */
export interface Slice {
  /** Start in milliseconds since 1970. */
  readonly start: number;
  readonly count: number;
  /** Number of responses with a status of 500 or above. */
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
  /** Requests per second. */
  readonly throughput: number;
}

/** Latencies in milliseconds. Percentiles have an error of at most one percent. */
export interface Figures {
  readonly count: number;
  /** Number of responses with a status of 500 or above. */
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly avgMs: number | null;
  /** Requests per second. */
  readonly throughput: number;
}

/** Latencies of one route; `null` stands for requests without a route. */
export interface RouteFigures extends Figures {
  readonly route: string | null;
}

/** Latencies of a window of time: of the requested route, or of all routes together and of each route. */
export interface Performance extends RouteFigures {
  readonly window: string;
  /** Start of the window (ISO 8601). */
  readonly since: string;
  readonly routes?: readonly RouteFigures[];
}

/** Route in a response. */
export interface ShownRoute {
  readonly method: string;
  readonly path: string;
  readonly ref: string;
  /** Names of the middleware in the order in which they run. */
  readonly middleware: readonly string[];
  /** Type of each validated slot: `{ body: "CreateNoteInput" }`. */
  readonly validators: Readonly<Record<string, string>>;
  readonly serializer: string | null;
  readonly status: number;
  readonly group: string;
  readonly handler: CompiledRoute["source"]["handler"];
  readonly contract: CompiledRoute["source"]["contract"];
  readonly tests: readonly string[];
}

/** Latencies over time. Slices without requests are left out. */
export interface Series {
  readonly route: string | null;
  readonly window: string;
  /** Start of the window (ISO 8601). */
  readonly since: string;
  readonly sliceMs: number;
  readonly slices: readonly Slice[];
}

/** Lines of a source file. */
export interface SourceLines {
  /** Path relative to the project's root. */
  readonly file: string;
  /** Number of the first line in `lines`, from 1. */
  readonly from: number;
  readonly lines: readonly string[];
  /** Number of lines of the file. */
  readonly count: number;
}

/** Differences between the types and the committed migrations. */
export interface PendingMigration {
  /** True if the project has tables. */
  readonly hasTables: boolean;
  readonly destructive: boolean;
  readonly changes: readonly PendingChange[];
  /** Changes that cannot be planned. */
  readonly problems: readonly { readonly place: string; readonly message: string; readonly help: string }[];
  readonly sql: string | null;
}

/** Change in the form of `.kit/migrations/pending.json`. Other members depend on the kind of change. */
export interface PendingChange {
  readonly change: string;
  readonly class?: "safe" | "locks" | "needsData" | "destructive";
  readonly reason?: string;
  readonly alternative?: { readonly summary: string; readonly steps: readonly string[] };
  readonly [name: string]: unknown;
}

/** Request that is to be sent again. The given parts replace those of the original request. */
export interface ReplayRequest {
  readonly requestId: string;
  readonly target?: string;
  readonly headers?: ReceivedRequest["headers"];
  readonly body?: string | null;
}

/** Response of the application. */
export interface ReplayAnswer {
  readonly status: number;
  /** Headers as received, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Body as a string, possibly truncated; null if it is binary. */
  readonly body: string | null;
  readonly bodyLength: number;
  readonly isCut: boolean;
  readonly durationMs: number;
  readonly traceId: string;
  /** Id of the new request in the history; null if unknown. */
  readonly requestId: string | null;
}
