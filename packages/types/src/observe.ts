/**
 * Types with which a plugin observes requests. Without an observer, kit records nothing. With one, the request path
 * writes only numbers into preallocated memory, and kit creates the objects below from these numbers when they are
 * read.
 *
 * @module
 */

/** Phase of a request. */
export interface LifecyclePhase {
  /** Name of the phase: `received`, `server:normalize`, `middleware:<name>`, `validation:params`, …, `response`. */
  readonly phase: string;
  /** Start of the phase, in ISO 8601. */
  readonly timestamp: string;
  /** Duration in milliseconds, with a fraction. */
  readonly durationMs: number;
  /** Result of a validation phase. Absent on other phases. */
  readonly result?: "pass" | "fail";
  /** HTTP status. Present on the phase `response` only. */
  readonly status?: number;
}

/** Course of a request, phase by phase. */
export interface LifecycleTrace {
  /** Trace id: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Route, such as `GET /notes/:id`. `null` if no route matched. */
  readonly route: string | null;
  /** Name of the server adapter. */
  readonly server: string;
  /** Phases in order. */
  readonly lifecycle: readonly LifecyclePhase[];
  /** Duration of the request in milliseconds, with a fraction. */
  readonly totalMs: number;
}

/** Value of a span attribute. */
export type AttributeValue = string | number | boolean;

/** Span: a timed part of a request. The request's own span is the root, and the other spans are its children. */
export interface SpanRecord {
  /** Trace id: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Span id: 16 hexadecimal digits. */
  readonly spanId: string;
  /** Id of the parent span. On a root span, the id of the client's span, as the header `traceparent` specifies it. */
  readonly parentSpanId?: string;
  /**
   * Name of the span. On a root span the route (`GET /notes/:id`), or only the method if no route matched. Otherwise
   * the phase: `middleware:auth`, `handler`.
   */
  readonly name: string;
  /** Kind of the span: `server` for the root, `internal` for phases, and usually `client` for outgoing calls. */
  readonly kind: "server" | "internal" | "client";
  /**
   * Library or instrumentation that reported the span: `undici`, `pg`. Present only on spans of outgoing calls, because
   * kit itself creates all other spans.
   */
  readonly source?: string;
  /** Start time in ISO 8601. */
  readonly startTime: string;
  /** End time in ISO 8601. Absent while the span is active. */
  readonly endTime?: string;
  /** Time from the start of the request to the start of the span, in milliseconds with a fraction. */
  readonly offsetMs: number;
  /** Duration in milliseconds, with a fraction. Absent while the span is active. */
  readonly durationMs?: number;
  /** Result of the span. `unset` while the span is active. */
  readonly status: "ok" | "error" | "unset";
  /** Attributes by name. Values that the log would hide are hidden. */
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

/** Request as received, without redaction. Recorded only if an observer has {@link RequestObserver.captureRequests}. */
export interface ReceivedRequest {
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Body as a string. `null` if there was no body, if the handler reads the body in chunks, if it is not valid UTF-8, or if it is longer than the `bodyBytes` of
   * {@link RequestObserver.captureRequests}.
   */
  readonly body: string | null;
  /** Number of bytes. -1 for a body in chunks whose length the client has not declared. */
  readonly bodyLength: number;
}

/** Reason for an error response. */
export interface RequestFault {
  /** Code of the error in the response: `NOTE_NOT_FOUND`. */
  readonly code: string;
  /** Name of the thrown error: `NotFoundError`. */
  readonly name: string;
  /** Message of the error, as the log contains it. */
  readonly message: string;
  /** Phase in which the error was thrown. */
  readonly phase: string;
}

/**
 * Complete description of a failure: the fields of the error body in development, with time and location. Contains
 * plain data, redacted as in the log.
 */
export interface ErrorRecord {
  /** Time of the failure, in ISO 8601. */
  readonly timestamp: string;
  /** Trace id: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Id of the request in logs. */
  readonly requestId: string;
  /** Method in upper case. */
  readonly method: string;
  /** Path without the query. Values of hidden parameters are hidden. */
  readonly path: string;
  /** Route, such as `GET /notes/:id`. `null` if no route matched. */
  readonly route: string | null;
  /** Phase that failed: `validation:body`, `middleware:auth`, `handler`. */
  readonly phase: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** Code of the error in the response. */
  readonly code: string;
  /** Message of the error, redacted. */
  readonly message: string;
  /**
   * For an `AppError`, its own details. For any other error, `name`, `stack`, `causes`, `handler` and `relatedTests`.
   */
  readonly details?: unknown;
  /** Type that the value does not satisfy, if validation failed: `CreateNoteInput`. */
  readonly schema?: string;
  /** File that declares the type, relative to the project's root. */
  readonly schemaFile?: string;
  /** Location in the source code, relative to the project's root: `src/notes.handlers.ts:21`. */
  readonly sourceFile?: string;
  /** Validation failures, if validation failed. */
  readonly failures?: readonly unknown[];
  /** Test files of the project that mention the route. */
  readonly relatedTests?: readonly string[];
  /** Stack of the error. Absent for requests that the pipeline itself refused. */
  readonly stack?: string;
}

/** Record of one request: plain data that can be kept, sent elsewhere and written as JSON. */
export interface RequestRecord {
  /** Number of the request within its process, in the order of arrival, from 1. */
  readonly sequence: number;
  /** Id of the request in logs. */
  readonly requestId: string;
  /** Trace id: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Method in upper case. */
  readonly method: string;
  /** Path and query. Values are hidden for parameters with names that are redacted in logs. */
  readonly target: string;
  /** Route, such as `GET /notes/:id`. `null` if no route matched. */
  readonly route: string | null;
  /** HTTP status of the response. 0 until there is a response. */
  readonly status: number;
  /** Time of arrival in milliseconds since 1970, with a fraction. */
  readonly startTime: number;
  /** Milliseconds from the arrival to the end of the response, or until now if the request is active. */
  readonly durationMs: number;
  /** True while the request is processed or its response is sent. */
  readonly isActive: boolean;
  /** Current phase of an active request, or the phase that failed. `response` if the request succeeded. */
  readonly phase: string;
  /** Reason for the error response. `null` if there was no error. */
  readonly fault: RequestFault | null;
  /** Completed phases. The last phase of an active request is its current phase. */
  readonly lifecycle: readonly LifecyclePhase[];
  /** Spans in this order: the root, the phases by start time, then the calls inside of the phases. */
  readonly spans: readonly SpanRecord[];
  /**
   * True if the trace is sampled. The observer with `isSampled` decides. Without such an observer, the client decides.
   */
  readonly isSampled: boolean;
  /** Header `tracestate` of the request. `null` if the request had no valid `traceparent`. */
  readonly traceState: string | null;
  /** Request as received. `null` unless an observer has {@link RequestObserver.captureRequests}. */
  readonly received: ReceivedRequest | null;
}

/** Message of a WebSocket, event of a stream of events, or lines of a stream of lines. */
export interface StreamMessage {
  /** Time in milliseconds since 1970, with a fraction. */
  readonly time: number;
  /** `in` for messages of the client, `out` for messages of the handler. */
  readonly direction: "in" | "out";
  /** Number of bytes on the wire, without frames. */
  readonly bytes: number;
  /** Name of the event. `null` for WebSockets and lines. */
  readonly event: string | null;
  /**
   * JSON of the message, or its plain text, without redaction. `null` if the message is binary, or longer than the `messageLength` of
   * {@link RequestObserver.streams}.
   */
  readonly text: string | null;
}

/** Number of messages and their bytes. */
export interface StreamCount {
  readonly messages: number;
  readonly bytes: number;
}

/** End of a WebSocket or streamed response. */
export interface StreamEnd {
  /** Time in milliseconds since 1970, with a fraction. */
  readonly time: number;
  /**
   * `complete` if all messages were sent, `closed` if the application closed a WebSocket or closed itself, `disconnected` if
   * the client left, `failed` if the handler failed.
   */
  readonly result: "complete" | "closed" | "disconnected" | "failed";
  /** Close code of a WebSocket (RFC 6455, 7.4). `null` for other streams. */
  readonly code: number | null;
  /** Close reason of a WebSocket, or the message of the error. Empty if there is none. */
  readonly reason: string;
}

/** Record of a WebSocket, or of a response that is a stream of events or lines. */
export interface StreamRecord {
  /** Id of the request in logs. */
  readonly requestId: string;
  /** Trace id: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Format of the stream. */
  readonly kind: "socket" | "events" | "lines";
  /** Subprotocol of a WebSocket. `null` for none, and for other streams. */
  readonly protocol: string | null;
  /** Route, such as `WS /rooms/:room`. */
  readonly route: string;
  /** Path and query. Values are hidden for parameters with names that are redacted in logs. */
  readonly target: string;
  /** Time at which the stream was opened, in milliseconds since 1970, with a fraction. */
  readonly startTime: number;
  /** Messages from the client. */
  readonly received: StreamCount;
  /** Messages to the client. */
  readonly sent: StreamCount;
  /** Latest messages, oldest first. */
  readonly messages: readonly StreamMessage[];
  /** End of the stream. `null` while the stream is open. */
  readonly end: StreamEnd | null;
}

/**
 * View of a request with its response, for {@link RequestObserver.onResponse}. Valid only during that call, because its
 * memory is reused for other requests afterwards. Numbers are stored. Other properties are computed when they are read.
 */
export interface FinishedRequestView {
  /** Number of the request within its process, from 1. */
  readonly sequence: number;
  /** Index in `CompiledApplication.routes`, or -1 if no route matched. */
  readonly routeNumber: number;
  /** Route, such as `GET /notes/:id`. `null` if no route matched. */
  readonly route: string | null;
  /** Method in upper case. */
  readonly method: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** Time of arrival in milliseconds since 1970, with a fraction. */
  readonly startTime: number;
  /** Milliseconds from the arrival to the end of the response, with a fraction. */
  readonly durationMs: number;
  /** True if the trace is sampled. */
  readonly isSampled: boolean;
  /** Returns a copy of all recorded data, which may be kept. */
  record(): RequestRecord;
  /** Returns only the phases. */
  lifecycle(): LifecycleTrace;
}

/** Span of a middleware or handler that is about to run. */
export interface RunningSpan {
  /** Trace id: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Span id: 16 hexadecimal digits. */
  readonly spanId: string;
  /** Name of the phase: `handler`, `middleware:auth`. */
  readonly name: string;
  /** True if the trace is sampled. */
  readonly isSampled: boolean;
  /** Header `tracestate` of the request. `null` if the request had no valid `traceparent`. */
  readonly traceState: string | null;
  /** Sets an attribute of the span. A request keeps at most 256 attributes. */
  setAttribute(name: string, value: AttributeValue): void;
  /**
   * Starts a span for an outgoing call, as a child of this span. Returns `undefined` if no observer has
   * {@link RequestObserver.calls}, after the response, and after 100 calls of the same request.
   */
  begin(call: CallStart): RunningCall | undefined;
}

/** Start of an outgoing call: a query, or a request to another service. */
export interface CallStart {
  /** Name of the call: `pg SELECT`, `GET api.example.org`. */
  readonly name: string;
  /** Reporter of the call, as in {@link SpanRecord.source}. */
  readonly source: string;
  /** Kind of the call's span. Default `client`. */
  readonly kind?: "internal" | "client";
  /** Span id: 16 hexadecimal digits. The default is a new id of this request. */
  readonly spanId?: string;
  /** Id of the parent span, if it is not the span of the middleware or handler. */
  readonly parentSpanId?: string;
}

/** Outgoing call in progress. */
export interface RunningCall {
  /** Sets an attribute of the call's span. Has no effect after {@link RunningCall.end}. */
  setAttribute(name: string, value: AttributeValue): void;
  /** Ends the call. `failure` is the error of a call that failed. */
  end(failure?: unknown): void;
}

/** Assigns outgoing calls to the middleware or handler that makes them. */
export interface CallObserver {
  /**
   * Runs a middleware or handler and makes its span available, for example through `AsyncLocalStorage`. Code that
   * detects an outgoing call then calls {@link RunningSpan.begin} of this span. Must call `run` exactly once,
   * synchronously, and return its result.
   */
  around(span: RunningSpan, run: () => unknown): unknown;
  /**
   * True if every middleware and handler runs through {@link CallObserver.around}. If false, routes that made no call
   * for a long time run without it, except for an occasional request, until a call is detected or
   * {@link RequestHistory.unassignedCall} reports one. Default false.
   */
  readonly always?: boolean;
}

/** Data for deciding if a trace is sampled. */
export interface SamplingInput {
  /** Trace id: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Sampling flag of the client's `traceparent`. `undefined` if the client sent none. */
  readonly isParentSampled: boolean | undefined;
  /** Method in upper case. */
  readonly method: string;
  /** Route, such as `GET /notes/:id`. `null` if no route matched. */
  readonly route: string | null;
}

/** Maximum numbers of streams and messages that are kept in memory. */
export interface StreamLimits {
  readonly count: number;
  readonly messages: number;
  readonly messageLength: number;
}

/**
 * Options and functions with which a plugin observes requests: the property `observe` of a plugin. All members are
 * optional. With an empty object, kit records requests, and the plugin can read them from `host.requests`. If
 * `onResponse`, `onEnd` or `isSampled` throws an error, kit logs the error, and the request continues. The same applies if
 * `onResponse` or `onEnd` returns a promise that rejects, or if `isSampled` returns a promise.
 */
export interface RequestObserver {
  /** Minimum number of finished requests to keep in memory. Default 256, maximum 65,536. */
  readonly capacity?: number;
  /** True to provide `ctx.span` and to add the span to log entries. Default false. */
  readonly spans?: boolean;
  /**
   * Records the calls that middleware and handlers make as part of their request. Default: not recorded. If several
   * observers have this property, kit uses the first.
   */
  readonly calls?: CallObserver;
  /**
   * Keeps the headers of each request, and its body up to `bodyBytes` bytes. Default: not kept. Intended for
   * development, to show and repeat requests.
   */
  readonly captureRequests?: { readonly bodyBytes: number };
  /**
   * Keeps WebSockets and streams of events and lines, while they are open and after their end: at most `count` of them, each
   * with its latest `messages` messages. A message of more than `messageLength` characters is kept without its text. Default:
   * not kept.
   */
  readonly streams?: StreamLimits;
  /**
   * Called after each response. The call is on the path of the request, so it should only update counters and return.
   */
  onResponse?(request: FinishedRequestView): void;
  /**
   * Called at the end of each request with its route (`null` if no route matched), its method, the status of the
   * response and its duration in milliseconds. The call is on the path of the request. For counters, this function
   * costs less than `onResponse`: if no plugin has `onLifecycle` or other members of `observe`, kit records nothing
   * else about requests, and `host.requests` is `null`.
   */
  onEnd?(route: string | null, method: string, status: number, durationMs: number): void;
  /**
   * Runs each middleware and handler. With this function, a plugin can make the span the current span of another
   * tracing library. Must call `run` exactly once, synchronously, and return its result. An error that this function
   * throws itself fails the request.
   */
  around?(span: RunningSpan, run: () => unknown): unknown;
  /**
   * Returns true if a trace is sampled. Called at most once per request, when the decision is first needed. If several
   * observers have this function, kit uses the first.
   */
  isSampled?(input: SamplingInput): boolean;
}

/** Active and finished requests of the running application. */
export interface RequestHistory {
  /** Number of active requests. */
  readonly activeCount: number;
  /** Number of requests that finished since the start of the application. */
  readonly finishedCount: number;
  /** Maximum number of finished requests that are kept in memory. */
  readonly capacity: number;
  /** Returns the active requests, oldest first. */
  active(): RequestRecord[];
  /**
   * Returns the finished requests, latest first: at most `limit` (default 100), and only requests with a `sequence`
   * greater than `after`.
   */
  recent(options?: { readonly limit?: number; readonly after?: number }): RequestRecord[];
  /**
   * Returns requests that finished since an earlier call, in the order in which they finished. `from` is `next` of the
   * earlier call, or 0 in the first call. `missed` counts requests that were not kept long enough. Returns at most
   * `limit` requests, and only those with a sampled trace if `sampled` is true. `left` is the number of kept requests
   * that remain.
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
  /**
   * Reports an outgoing call for which no span was found. After this, routes of active requests are observed
   * again, because they may make calls.
   */
  unassignedCall(): void;
  /** Returns the kept streams: open ones, then ended ones, each with the newest first. */
  streams(): StreamRecord[];
  /** Number of streams that were not kept, because too many were open. */
  readonly missedStreams: number;
  /** Returns an active or kept request by its id. */
  find(requestId: string): RequestRecord | undefined;
}
