/**
 * What the dashboard is told. Its page is built apart from the sidecar and knows these shapes alone, so nothing here may import code.
 *
 * @module
 */
import type { CompiledRoute, ReceivedRequest, RequestRecord } from "@kit/types";

/** What the page needs to know before anything else. */
export interface DashboardInfo {
  /** Names the process: another one has forgotten what this one knew. */
  readonly instance: string;
  readonly mode: "development" | "production";
  readonly application: { readonly name: string; readonly url: string; readonly adapter: string };
  /** Where paths of sources start; nothing in production. */
  readonly projectRoot: string | null;
  /** What the page sends along to have a request sent again; nothing in production, where that is not possible. */
  readonly replayToken: string | null;
  /** How long the page waits between two questions, so that the rate limit leaves room for others. */
  readonly pollMs: number;
}

/** A request in a list. */
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
  /** Of the error that the client was answered. */
  readonly code: string | null;
  readonly message: string | null;
}

/** What came since the last question. */
export interface Feed {
  readonly instance: string;
  /** To be given as `after` the next time. */
  readonly next: string;
  /** Those that ended, the newest first. */
  readonly requests: readonly RequestSummary[];
  /** Those under way. */
  readonly active: readonly RequestSummary[];
  /** How many ended since that are not among them. */
  readonly skipped: number;
}

/** Latencies of one slice of time, in milliseconds. */
export interface Slice {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly count: number;
  /** Answered with 500 or above. */
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
  /** Requests a second. */
  readonly throughput: number;
}

/** Latencies, in milliseconds. Percentiles are right within one in a hundred. */
export interface Figures {
  readonly count: number;
  /** Answered with 500 or above. */
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly avgMs: number | null;
  /** Requests a second. */
  readonly throughput: number;
}

/** Of one route; of requests that no route took where it is `null`. */
export interface RouteFigures extends Figures {
  readonly route: string | null;
}

/** Latencies of a window of time: of the route that was asked for and of each that it names, else of all together. */
export interface Performance extends RouteFigures {
  readonly window: string;
  /** ISO 8601. */
  readonly since: string;
  readonly routes?: readonly RouteFigures[];
}

/** A route as it is shown. */
export interface ShownRoute {
  readonly method: string;
  readonly path: string;
  readonly ref: string;
  /** In the order in which they run. */
  readonly middleware: readonly string[];
  /** The type of each slot that is validated: `{ body: "CreateNoteInput" }`. */
  readonly validators: Readonly<Record<string, string>>;
  readonly serializer: string | null;
  readonly status: number;
  readonly group: string;
  readonly handler: CompiledRoute["source"]["handler"];
  readonly contract: CompiledRoute["source"]["contract"];
  readonly tests: readonly string[];
}

/** Latencies over time. Slices in which nothing came are left out. */
export interface Series {
  readonly route: string | null;
  readonly window: string;
  /** ISO 8601. */
  readonly since: string;
  readonly sliceMs: number;
  readonly slices: readonly Slice[];
}

/** Some lines of a source file. */
export interface SourceLines {
  /** Below the project's root. */
  readonly file: string;
  /** The number of the first of `lines`, from 1. */
  readonly from: number;
  readonly lines: readonly string[];
  /** How many lines the file has. */
  readonly count: number;
}

/** What the types are ahead of the committed migrations. */
export interface PendingMigration {
  /** Whether the project has tables at all. */
  readonly hasTables: boolean;
  readonly destructive: boolean;
  readonly changes: readonly PendingChange[];
  /** What cannot be planned. */
  readonly problems: readonly { readonly place: string; readonly message: string; readonly help: string }[];
  readonly sql: string | null;
}

/** One change, as `.kit/migrations/pending.json` has it; besides these names it has what the kind of change needs. */
export interface PendingChange {
  readonly change: string;
  readonly class?: "safe" | "locks" | "needsData" | "destructive";
  readonly reason?: string;
  readonly alternative?: { readonly summary: string; readonly steps: readonly string[] };
  readonly [name: string]: unknown;
}

/** What is to be sent again: the request as it came, but for what is given. */
export interface ReplayQuestion {
  readonly requestId: string;
  readonly target?: string;
  readonly headers?: ReceivedRequest["headers"];
  readonly body?: string | null;
}

/** What the application answered. */
export interface ReplayAnswer {
  readonly status: number;
  /** As they came, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Text, cut after what is shown; nothing where it is no text. */
  readonly body: string | null;
  readonly bodyLength: number;
  readonly isCut: boolean;
  readonly durationMs: number;
  readonly traceId: string;
  /** The request that it became, by which it can be looked at; nothing where that is not known. */
  readonly requestId: string | null;
}
