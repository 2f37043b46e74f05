/**
 * Types of the responses that the sidecar sends to the dashboard. The page is built separately and imports only types from here, so this
 * module must not import code.
 *
 * @module
 */
import type { CompiledRoute, ReceivedRequest, RequestRecord, StreamRecord } from "@kit/types";

/** Information that the dashboard requests first. */
export interface DashboardInfo {
  /** Identifier of the process. If it changes, the page drops the requests of the earlier process. */
  readonly instance: string;
  readonly mode: "development" | "production";
  readonly application: { readonly name: string; readonly url: string; readonly adapter: string };
  /** Absolute path of the project. Paths of sources are relative to it. Null in production. */
  readonly projectRoot: string | null;
  /** Secret that the page sends to repeat a request. Null in production, because requests cannot be repeated there. */
  readonly replayToken: string | null;
  /**
   * Milliseconds between two polls of the page. With a rate limit, the time is longer, so that other clients can send requests
   * too.
   */
  readonly pollMs: number;
  /** Views that this server does not have, by their name, each with the reason in a sentence. Empty for applications on Node. */
  readonly absent: Readonly<Record<string, string>>;
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
  /** Value of the query parameter `after` for the next poll. */
  readonly next: string;
  /** Finished requests, the newest first. */
  readonly requests: readonly RequestSummary[];
  /** Requests in progress. */
  readonly active: readonly RequestSummary[];
  /** Number of finished requests since the last poll that are not in the list. */
  readonly skipped: number;
}

/** WebSocket, or stream of events or lines, in a list. */
export type StreamSummary = Omit<StreamRecord, "messages">;

/** WebSockets and streams. */
export interface StreamList {
  /** Number of open streams. */
  readonly open: number;
  /** Number of streams that were not kept, because too many were open. */
  readonly missed: number;
  /** Open streams, then ended ones, each with the newest first. */
  readonly streams: readonly StreamSummary[];
}

/** Latencies of one slice of time, in milliseconds. */
export interface Slice {
  /** Start of the slice in milliseconds since 1970. */
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

/** Latencies in milliseconds, and counts. Percentiles have an error of at most one percent. */
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

/** Latencies of one route. The route is null for requests without a route. */
export interface RouteFigures extends Figures {
  readonly route: string | null;
}

/**
 * Latencies of a time window. If the query names a route, these are the latencies of the route, otherwise of all requests
 * together and of each route.
 */
export interface Performance extends RouteFigures {
  readonly window: string;
  /** Start of the window (ISO 8601). */
  readonly since: string;
  readonly routes?: readonly RouteFigures[];
}

/** Reply that a contract declares, with the names of its types. */
export interface ShownReply {
  readonly status: number;
  readonly body: string | null;
  readonly headers: string | null;
}

/** Route as the sidecar's responses contain it. */
export interface ShownRoute {
  readonly method: string;
  readonly path: string;
  readonly ref: string;
  /** Names of the middleware in the order in which they run. */
  readonly middleware: readonly string[];
  /**
   * Name of the type of each part of the request: `{ body: "CreateNoteInput" }`. A body that is not JSON has its format, too:
   * `Form<Login>`.
   */
  readonly validators: Readonly<Record<string, string>>;
  /** Name of the type of the response, with its format if the response is not JSON: `Lines<Book>`. */
  readonly serializer: string | null;
  /** Replies that the contract declares. Empty if its response is a plain type. */
  readonly replies: readonly ShownReply[];
  /** Name of the type of each error's declared details: `{ SOLD_OUT: "SoldOutDetails" }`. */
  readonly details: Readonly<Record<string, string>>;
  /** Scopes that the caller must have: all scopes of at least one list. Empty if the contract requires none. */
  readonly scopes: readonly (readonly string[])[];
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
  /** Changes for which kit cannot plan a migration. */
  readonly problems: readonly { readonly place: string; readonly message: string; readonly help: string }[];
  readonly sql: string | null;
}

/** Change of a migration, as in `.kit/migrations/pending.json`. Its other properties depend on the kind of change. */
export interface PendingChange {
  readonly change: string;
  readonly class?: "safe" | "locks" | "needsData" | "destructive";
  readonly reason?: string;
  readonly alternative?: { readonly summary: string; readonly steps: readonly string[] };
  readonly [name: string]: unknown;
}

/** Request to send a recorded request again. Each property that is present replaces that part of the recorded request. */
export interface ReplayRequest {
  readonly requestId: string;
  readonly target?: string;
  readonly headers?: ReceivedRequest["headers"];
  readonly body?: string | null;
}

/** Response of the application to the request that was sent again. */
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
  /** Id of the new request in the history. Null if it is not known. */
  readonly requestId: string | null;
}
