/**
 * How a plugin looks at requests. While nobody looks nothing is recorded; while somebody does, numbers are written into memory
 * that is there already, and everything below is made of them when it is read.
 *
 * @module
 */

/** One phase of a request. */
export interface LifecyclePhase {
  /** `received`, `server:normalize`, `middleware:<name>`, `validation:params`, …, `response`. */
  readonly phase: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly durationMs: number;
  /** Of the validation phases. */
  readonly result?: "pass" | "fail";
  /** Of the phase `response`. */
  readonly status?: number;
}

/** What became of a request, phase by phase. */
export interface LifecycleTrace {
  readonly traceId: string;
  /** `GET /notes/:id`; nothing where no route matched. */
  readonly route: string | null;
  /** The server adapter's name. */
  readonly server: string;
  readonly lifecycle: readonly LifecyclePhase[];
  readonly totalMs: number;
}

/** What a span's attribute may be. */
export type AttributeValue = string | number | boolean;

/** One timed part of a request. The request's own span is its root; the others are its children. */
export interface SpanRecord {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Of a root: the span of the client, as its `traceparent` names it. */
  readonly parentSpanId?: string;
  /** Of a root `GET /notes/:id`, or the method alone where no route matched; otherwise the phase: `middleware:auth`, `handler`. */
  readonly name: string;
  readonly kind: "server" | "internal" | "client";
  /** Who told of it, where that was not kit: `undici`, `pg`, the name of an instrumentation. Present on spans within those of phases only. */
  readonly source?: string;
  /** ISO 8601. */
  readonly startTime: string;
  /** ISO 8601; absent while the span lasts. */
  readonly endTime?: string;
  /** From the request's beginning to the span's, in milliseconds with a fraction. */
  readonly offsetMs: number;
  readonly durationMs?: number;
  readonly status: "ok" | "error" | "unset";
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

/** A request as it came in, kept only where an observer asks for it. Nothing of it is redacted. */
export interface ReceivedRequest {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text; nothing where there was none, where it is not UTF-8, or where it is longer than what is kept. */
  readonly body: string | null;
  /** Bytes that came. */
  readonly bodyLength: number;
}

/** Why a request was answered with an error. */
export interface RequestFault {
  /** Of the error that the client was answered: `NOTE_NOT_FOUND`. */
  readonly code: string;
  /** The name of what was thrown: `NotFoundError`. */
  readonly name: string;
  /** As the log has it. */
  readonly message: string;
  /** In which phase. */
  readonly phase: string;
}

/** A failure in full: what the error body says in development, and when and where it was. Plain data, redacted as the log is. */
export interface ErrorRecord {
  /** ISO 8601. */
  readonly timestamp: string;
  readonly traceId: string;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** `GET /notes/:id`; nothing where no route matched. */
  readonly route: string | null;
  readonly phase: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Of an application error its own; of any other `name`, `stack`, `causes`, `handler`, `relatedTests`. */
  readonly details?: unknown;
  /** The type that was not kept, where validation failed: `CreateNoteInput`. */
  readonly schema?: string;
  readonly schemaFile?: string;
  /** `src/notes.handlers.ts:21`, below the project's root. */
  readonly sourceFile?: string;
  readonly failures?: readonly unknown[];
  readonly relatedTests?: readonly string[];
  /** Where the program threw it, the pipeline's own refusals have none. */
  readonly stack?: string;
}

/** What is known of one request: plain data, which can be kept, sent elsewhere and written as JSON. */
export interface RequestRecord {
  /** Ascending in the order of arrival, from 1. Names the request within its process. */
  readonly sequence: number;
  readonly requestId: string;
  readonly traceId: string;
  readonly method: string;
  /** Path and query, with the values of parameters hidden whose names are redacted in logs. */
  readonly target: string;
  /** `GET /notes/:id`; nothing where no route matched. */
  readonly route: string | null;
  /** Of the answer; 0 while there is none. */
  readonly status: number;
  /** Milliseconds since 1970, with a fraction. */
  readonly startTime: number;
  /** From its arrival to the end of its answer; until now where it is active. */
  readonly durationMs: number;
  /** Whether it is still being worked on, or its answer being sent. */
  readonly isActive: boolean;
  /** The phase that it is in, or the one that failed; `response` where all went well. */
  readonly phase: string;
  readonly fault: RequestFault | null;
  /** The phases that it passed, of an active request the current one last. */
  readonly lifecycle: readonly LifecyclePhase[];
  /** The root first, then its phases in the order of their beginning, then what was called within them. */
  readonly spans: readonly SpanRecord[];
  /** Whether the trace is sampled: by whoever decides here, else by the client. */
  readonly isSampled: boolean;
  /** The request's `tracestate`, where it came with a valid `traceparent`. */
  readonly traceState: string | null;
  readonly received: ReceivedRequest | null;
}

/**
 * A request that was just answered, as {@link RequestObserver.onAnswer} sees it. It is valid during that call only: the memory behind it serves other
 * requests afterwards. The numbers are there; what has to be made is made when it is read.
 */
export interface AnsweredView {
  readonly sequence: number;
  /** Index in `CompiledApplication.routes`; -1 where no route matched. */
  readonly routeNumber: number;
  readonly route: string | null;
  readonly method: string;
  readonly status: number;
  /** Milliseconds since 1970, with a fraction. */
  readonly startTime: number;
  readonly durationMs: number;
  readonly isSampled: boolean;
  /** A copy of all that is known, to keep. */
  record(): RequestRecord;
  /** The phases alone. */
  lifecycle(): LifecycleTrace;
}

/** The span of a middleware or handler that is about to run. */
export interface RunningSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** `handler`, `middleware:auth`. */
  readonly name: string;
  readonly isSampled: boolean;
  /** The request's `tracestate`, where it came with a valid `traceparent`. */
  readonly traceState: string | null;
  setAttribute(name: string, value: AttributeValue): void;
  /**
   * Notes that a call to something else begins, as a span within this one. Nothing where no observer has {@link RequestObserver.calls}, once the request is answered, and where it has
   * made a hundred already.
   */
  begin(call: CallStart): RunningCall | undefined;
}

/** A call to something else as it begins: a query, a request to another service. */
export interface CallStart {
  /** `pg SELECT`, `GET api.example.org`. */
  readonly name: string;
  /** As {@link SpanRecord.source}. */
  readonly source: string;
  /** Default `client`. */
  readonly kind?: "internal" | "client";
  /** Of 16 hexadecimal digits; default one that belongs to the request. */
  readonly spanId?: string;
  /** Where it is not the span of the middleware or handler. */
  readonly parentSpanId?: string;
}

/** A call that was begun. */
export interface RunningCall {
  setAttribute(name: string, value: AttributeValue): void;
  /** Notes its end, and where it failed, of what. */
  end(failure?: unknown): void;
}

/** Finds out which middleware or handler makes a call to something else. */
export interface CallObserver {
  /** Runs a middleware or handler so that whoever sees a call of it finds its span, on which to {@link RunningSpan.begin} it. Must call `run` once, at once, and give what it gives. */
  around(span: RunningSpan, run: () => unknown): unknown;
  /**
   * Whether all requests run so. Otherwise those of routes that have long made no call run without, besides one now and then, until one is seen or {@link RequestHistory.callOfUnknown} tells of
   * one; default false.
   */
  readonly always?: boolean;
}

/** What decides whether a trace is sampled. */
export interface SamplingQuestion {
  readonly traceId: string;
  /** What the client's `traceparent` says; nothing where it sent none. */
  readonly isParentSampled: boolean | undefined;
  readonly method: string;
  readonly route: string | null;
}

/**
 * What a plugin wants to see of requests, as its `observe`. Everything is optional; an empty object has the requests recorded for
 * the plugin to read with `host.requests`. What `onAnswer` and `isSampled` throw is logged and harms no request.
 */
export interface RequestObserver {
  /** How many finished requests are kept at least; default 256, at most 65,536. */
  readonly keep?: number;
  /** Whether `ctx.span` is there, and log entries name their span; default false. */
  readonly spans?: boolean;
  /** Has calls that middleware and handlers make kept with their request; default they are not. The first observer that has it is asked. */
  readonly calls?: CallObserver;
  /** Keeps the headers of each request, and its body up to that many bytes; default nothing. For showing and repeating requests in development. */
  readonly received?: { readonly bodyBytes: number };
  /** After each answer, on the path of the request: count, and leave. */
  onAnswer?(request: AnsweredView): void;
  /**
   * Runs each middleware and handler, so that its span can be made the current one for whatever else traces. Must call `run` once, at once, and
   * give what it gives: what it throws instead fails the request.
   */
  around?(span: RunningSpan, run: () => unknown): unknown;
  /** Whether a trace is sampled; asked when it first matters, at most once a request. The first observer that has it decides. */
  isSampled?(question: SamplingQuestion): boolean;
}

/** The requests of the running application. */
export interface RequestHistory {
  /** How many are being worked on. */
  readonly activeCount: number;
  /** How many were answered since the start. */
  readonly answeredCount: number;
  /** How many finished requests are kept. */
  readonly capacity: number;
  /** Those that are being worked on, the oldest first. */
  active(): RequestRecord[];
  /** Those that are finished, the latest first; at most `limit` (default 100), and only those after the `sequence` number `after`. */
  recent(options?: { readonly limit?: number; readonly after?: number }): RequestRecord[];
  /**
   * Those that finished since an earlier call, in the order in which they did: `from` is what that call gave as `next`, and 0 at first. What was no longer kept is
   * counted in `missed`. At most `limit` are given, and only those whose trace is sampled where `sampled` says so; `left` is how many more of them are kept.
   */
  finished(
    from: number,
    options: { readonly limit: number; readonly sampled?: boolean },
  ): {
    readonly records: RequestRecord[];
    readonly next: number;
    readonly missed: number;
    readonly left: number;
  };
  /** A call was seen that no span was found for: routes that requests under way are of may make calls. */
  callOfUnknown(): void;
  /** One of those that are kept or active. */
  find(requestId: string): RequestRecord | undefined;
}
