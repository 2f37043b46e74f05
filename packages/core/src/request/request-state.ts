// tidy: long because one object has the whole state of a request
import { AppError } from "@kit/errors";
import type {
  CompiledReply,
  CompiledRoute,
  ResponseBody,
  ResponseWriter,
  RunningSpan,
  ServerExchange,
  ServerSocket,
  SocketEvents,
  SocketOptions,
  StreamRecord,
  ValidationFailure,
  Validator,
} from "@kit/types";

import type { Conditional } from "../edge/conditional.ts";
import { mergeHeaders } from "../edge/merge-headers.ts";
import type { ErrorResponse } from "../error-middleware.ts";
import type { ErrorFields, RequestFailure } from "../failed-request.ts";
import type { LogContext } from "../logging/log.ts";
import type { Logger } from "../logging/log-entry.ts";
import * as phases from "../observe/phases.ts";
import { phaseSpanId, requestIdOfSlot, traceIdOfSlot } from "../observe/slot-records.ts";
import type { Slot } from "../observe/slot.ts";
import type { StreamLog } from "../observe/streams.ts";
import { helpOf, missingSchema } from "../missing-schema.ts";
import { withDeclaredDetails } from "./declared-details.ts";
import { normalTarget } from "../router/normal-path.ts";
import { pathOf } from "../router/path-of.ts";
import { describeWithoutStack } from "../thrown.ts";
import {
  codeOf,
  errorBodyText,
  internalError,
  isErrorResponse,
  plainErrorText,
  textForLog,
} from "../errors/error-text.ts";
import { invalidBody, type PlainError, plainErrorBody } from "../errors/plain-error.ts";
import type { RequestSlot } from "../validation-error.ts";
import type { ExecutableRoute } from "./executable-route.ts";
import { retryAfter, temporaryFailure } from "../database-outage.ts";
import { headerView } from "./header-view.ts";
import { nextRequestId, randomTraceId, readTraceparent } from "../observe/ids.ts";
import { type TraceHeaders, traceHeadersOf, traceHeadersWithoutSpan } from "./trace-headers.ts";
import { jsonType, withoutBody } from "./body-rules.ts";
import { BodyStream, collect, type StreamEnd } from "./body-stream.ts";
import type { OpenSource, RawResponse } from "./raw-response.ts";
import type { LastingRequest, PendingRequest } from "./in-flight.ts";
import type { PipelineSettings } from "./pipeline-settings.ts";
import {
  applicationCloses,
  contentRangeOf,
  invalidSlot,
  preconditionFailed,
  requestTimeout,
} from "./refusals.ts";
import { StartedSource } from "./started-source.ts";
import { isBodyFailure } from "./streamed-body.ts";
import type { RequestHeaders } from "./request-context.ts";
import { ResponseHeaders } from "./response-headers.ts";
import type { StoredAnswer } from "./stored-result.ts";
import type { SocketEnd } from "../sockets/socket-messages.ts";

/** Content type of Server-Sent Events. */
const eventStream = /^text\/event-stream *(?:;|$)/i;

/** Parts of an answer from which its body is written. */
export interface AnswerParts {
  readonly result: unknown;
  readonly declared: CompiledReply | null;
  readonly declaredHeaders: readonly string[];
}

/** Body as it is sent. */
export interface WrittenBody {
  /** Content type that takes precedence over the header. `null` if there is none. */
  readonly contentType: string | null;
  /** Content type if no other is set. */
  readonly defaultType: string;
  readonly body: string | Uint8Array | null;
}

/** Place of an error in the log. `counted` is a refusal that the log of refusals has counted already. */
type Logged = "as error" | "as refusal" | "counted" | "nowhere";

/** Header of responses whose format the header `accept` of the request chooses. */
const varyAccept = ["vary", "accept"] as const;

/**
 * State of a request from its arrival to its response: ids, phase, headers, and its success or failure. Contains
 * nothing about the route except its name, so that 404 and similar responses use the same code.
 */
export class RequestState implements RequestFailure, PendingRequest {
  readonly exchange: ServerExchange;
  readonly settings: PipelineSettings;
  readonly executable: ExecutableRoute | null;
  /**
   * Route with the same path and another method, for a request that no route matches. The route tells which
   * parameters of the path are hidden in the log.
   */
  pathRoute: CompiledRoute | null = null;
  previousPending: PendingRequest | null = null;
  nextPending: PendingRequest | null = null;
  /** Tick of the timeout timer at which the request began to wait for a promise. -1 if it did not wait. */
  tick = -1;
  #status = 0;
  #responseHeaders: ResponseHeaders | null = null;
  #isAnswered = false;
  #traceId: string | undefined;
  #requestId: string | undefined;
  #path: string | undefined;
  #address: string | undefined;
  #headers: RequestHeaders | undefined;
  #controller: AbortController | undefined;
  #isStreaming = false;
  /** True while the head of a stream waits for the first chunk. */
  #isStarting = false;
  /** Cancels the stream from which the response body is read. */
  #cancelBody: ((reason: unknown) => void) | undefined;
  /** Entry of a stream of events in the list of requests that end when the application begins to close. */
  #lasting: LastingRequest | null = null;
  /** Log of the WebSocket or streamed response, for observers. */
  #stream: StreamLog | null = null;
  /** Reason why the response was sent before the handler ended. */
  #abortReason: AppError | undefined;
  #log: Logger | undefined;
  #phase: number = phases.normalize;
  /** Slot that records the request. The slot is reused after the response, which changes its sequence number. */
  readonly #slot: Slot | null;
  readonly #sequence: number;
  /** Time of arrival in monotonic milliseconds. 0 if no observer measures requests. */
  readonly #arrivedAt: number;
  /** Method for the meter, since the server may have released the request before the end. Empty if no observer measures requests. */
  readonly #measuredMethod: string;

  constructor(settings: PipelineSettings, exchange: ServerExchange, executable: ExecutableRoute | null) {
    this.settings = settings;
    this.exchange = exchange;
    this.executable = executable;
    if (settings.requestLog !== null) settings.requestLog.attach(exchange, this);
    const { recorder, meter } = settings;
    this.#arrivedAt = meter === null ? 0 : meter.begin();
    this.#measuredMethod = meter === null ? "" : exchange.method;
    const slot = recorder === null ? null : recorder.begin(exchange, executable);
    this.#slot = slot;
    this.#sequence = slot === null ? 0 : slot.sequence;
    const lifecycle = executable === null ? undefined : executable.compiled.lifecycle;
    if (lifecycle !== undefined) for (const name in lifecycle) this.setHeader(name, lifecycle[name]!);
  }

  get route(): CompiledRoute | null {
    return this.executable === null ? null : this.executable.compiled;
  }

  get method(): string {
    return this.exchange.method;
  }

  get phase(): string {
    return (this.executable?.phases ?? phases.namesOutsideRoutes)[this.#phase]!;
  }

  get serverAdapter(): string {
    return this.settings.serverAdapter;
  }

  get projectRoot(): string {
    return this.settings.projectRoot;
  }

  get errorFields(): ErrorFields {
    return this.settings.errorFields;
  }

  get traceId(): string {
    if (this.#traceId !== undefined) return this.#traceId;
    const slot = this.#ownSlot;
    this.#traceId = slot === null ? (this.#readTraceId() ?? randomTraceId()) : traceIdOfSlot(slot);
    return this.#traceId;
  }

  get requestId(): string {
    if (this.#requestId !== undefined) return this.#requestId;
    const slot = this.#ownSlot;
    this.#requestId = slot === null ? nextRequestId() : requestIdOfSlot(slot);
    return this.#requestId;
  }

  /** Headers for requests to other services, so that they belong to this trace. */
  get traceHeaders(): TraceHeaders {
    const { span, traceId } = this;
    if (span !== undefined) return traceHeadersOf(span);
    const own = this.#ownSlot;
    const parent = this.#isAnswered ? own?.parent : readTraceparent(this.exchange.header("traceparent"));
    const state = this.#isAnswered ? own?.traceState : this.exchange.header("tracestate");
    return traceHeadersWithoutSpan(traceId, parent, state);
  }

  /** Slot of this request. `null` if requests are not recorded, or if the slot already records another request. */
  get #ownSlot(): Slot | null {
    return this.#slot !== null && this.#slot.sequence === this.#sequence ? this.#slot : null;
  }

  /** Span of the current phase. `undefined` if spans are not recorded, and after the response. */
  get span(): RunningSpan | undefined {
    const slot = this.#ownSlot;
    if (slot === null || !slot.isActive) return undefined;
    const recorder = this.settings.recorder!;
    return recorder.hasSpans ? recorder.spanOf(slot) : undefined;
  }

  /** Id of {@link RequestState.span}, without creating the span. */
  get #spanId(): string | undefined {
    const slot = this.#ownSlot;
    const isThere = slot !== null && slot.isActive && this.settings.recorder!.hasSpans;
    return isThere ? phaseSpanId(slot, slot.phase) : undefined;
  }

  get path(): string {
    // kit's adapters pass normal paths, but third-party adapters may not.
    return (this.#path ??= pathOf(normalTarget(this.exchange.target)));
  }

  get headers(): RequestHeaders {
    return (this.#headers ??= headerView(this));
  }

  /** Address of the client. Empty if the server has released the request and the address was not read before. */
  get address(): string {
    if (this.#address !== undefined) return this.#address;
    if (this.isReadTooLate("ip")) return "";
    const { exchange } = this;
    this.#address = this.settings.findAddress(exchange.remoteAddress, (name) => exchange.header(name));
    return this.#address;
  }

  /** Origin of the application as the client knows it. Empty if the server has released the request. */
  get origin(): string {
    return this.isReadTooLate("origin") ? "" : this.settings.origin.of(this.exchange);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
      // After the response, only the body in transfer can be aborted, which `#endStream` reports.
      else if (!this.#isAnswered)
        this.exchange.onAbort(() => {
          // A client that has only closed its sending side still gets a stream. The writer of the stream notices if the
          // client has disconnected.
          if (!this.#isStarting)
            controller.abort(new Error("The client disconnected before the response was sent"));
        });
    }
    return this.#controller.signal;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  get log(): Logger {
    return (this.#log ??= this.settings.log.loggerFor(() => this.#place()));
  }

  enter(phase: number): void {
    this.#phase = phase;
    if (this.#slot !== null) this.settings.recorder!.enter(this.#slot, phase);
  }

  /** True if middleware and handlers of this request must run inside of functions of observers. */
  get isWrapped(): boolean {
    return this.#slot !== null && this.settings.recorder!.wraps(this.#slot);
  }

  /** Runs a middleware or handler inside of the `around` functions of observers. */
  wrap(run: () => unknown): unknown {
    return this.settings.recorder!.around(this.#slot!, run);
  }

  /** Adds the request to the list of requests that wait for a promise and may time out. */
  wait(): void {
    if (this.tick === -1 && !this.#isAnswered) (this.executable ?? this.settings).inFlight.add(this);
  }

  timeOut(limitMs: number): void {
    // The head of a stream is sent soon, and the list removes this request.
    if (this.#isStarting) this.tick = -1;
    else this.#abort(requestTimeout(limitMs));
  }

  abort(): void {
    if (this.#isStreaming) this.#abandon(applicationCloses());
    else this.#abort(applicationCloses());
  }

  /** Logs that a handler or middleware ended after the request had timed out or the application had closed. */
  logLateResult(error?: unknown): void {
    const ended = error === undefined ? "ended" : "failed";
    const data = error === undefined || error === this.#abortReason ? undefined : { error };
    this.log.warn(
      `A handler or middleware ${ended} after the response was sent; its result is discarded`,
      data,
    );
  }

  setStatus(status: number): void {
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new RangeError(`ctx.status takes an integer from 200 to 599, not ${String(status)}`);
    }
    if (this.isTooLate("status")) return;
    this.#status = status;
  }

  setHeader(name: string, value: string | readonly string[]): void {
    if (this.isTooLate("header")) return;
    this.responseHeaders.set(name, value);
  }

  /** Status that `ctx.status` has set. 0 if it was not called. */
  get chosenStatus(): number {
    return this.#status;
  }

  /** Drops the status that `ctx.status` has set, because a wrapper answers with a status of its own. */
  dropStatus(): void {
    this.#status = 0;
  }

  /** Replaces the headers of the response. Returns the previous headers. */
  swapHeaders(change: (current: ResponseHeaders) => ResponseHeaders): ResponseHeaders {
    const previous = this.responseHeaders;
    this.#responseHeaders = change(previous);
    return previous;
  }

  /** Headers of the response, to change them. */
  get responseHeaders(): ResponseHeaders {
    return (this.#responseHeaders ??= new ResponseHeaders());
  }

  /** Sends a response. Omits the body if the status does not allow one. */
  respond(contractStatus: number, body: ResponseBody): void {
    const status = this.#status === 0 ? contractStatus : this.#status;
    if (body === null || withoutBody.has(status)) this.#respond(status, null, null);
    else this.#respond(status, this.#responseHeaders?.contentType ?? jsonType, body);
  }

  /** Sends an answer that a wrapper has stored. */
  respondStored({ status, contentType, body }: StoredAnswer): void {
    this.#respond(status, contentType, body);
  }

  /** Returns the body of an answer as it is sent. Only requests that a route matched have answers. */
  writtenBody(_answer: AnswerParts): WrittenBody {
    throw new TypeError("No route matched the request, so there is no answer to store");
  }

  /** Sends a response that is not JSON. */
  respondRaw(contractStatus: number, raw: RawResponse): void {
    const status = this.#status === 0 ? contractStatus : this.#status;
    const { body } = raw;
    const type = raw.contentType ?? this.#responseHeaders?.contentType ?? raw.defaultType;
    if (withoutBody.has(status)) {
      raw.cancel(new Error(`A response with the status ${status} cannot have a body`));
      this.#respond(status, null, null);
    } else if (typeof body === "string" || body instanceof Uint8Array) this.#respond(status, type, body);
    else if (this.exchange.respondStream === undefined) void this.#respondCollected(status, type, body);
    else void this.#startStream(contractStatus, raw, body);
  }

  /**
   * Reads the first chunk of a body, then sends the response. So code that runs before the first chunk can read the request,
   * set the status and headers, and fail with an error response. Never throws.
   */
  async #startStream(contractStatus: number, raw: RawResponse, body: OpenSource): Promise<void> {
    this.wait();
    const source = new StartedSource(body);
    this.#cancelBody = (reason) => source.cancel(reason);
    this.#isStarting = true;
    this.#stream?.open();
    try {
      const isKnown = await source.began();
      this.#isStarting = false;
      if (this.#isAnswered) return;
      // The handler may read these after the response, when the server has released the request.
      if (!isKnown) this.#keepRequest();
    } catch (error) {
      this.#isStarting = false;
      source.cancel(error);
      this.fail(error);
      return;
    }
    const status = this.#status === 0 ? contractStatus : this.#status;
    if (withoutBody.has(status)) {
      source.cancel(new Error(`A response with the status ${status} cannot have a body`));
      this.#respond(status, null, null);
    } else {
      const type = raw.contentType ?? this.#responseHeaders?.contentType ?? raw.defaultType;
      this.#respondStream(status, type, source, raw.length);
    }
  }

  /** Reads the address and the headers of the request, so that they can still be read after the response. */
  #keepRequest(): void {
    void this.address;
    Object.keys(this.headers);
  }

  /**
   * Sends the response for an error that middleware, a handler or a framework threw. Logs the error unless `isLogged`
   * is true, at the level of `logging.clientErrors` if the status is below 500. Never throws.
   */
  fail(error: unknown, isLogged = false): void {
    // An error that is thrown during the validation of params, query or body means that the request is invalid. So does an
    // error of a body that the handler reads.
    const isRefusal = phases.isValidation(this.#phase) || isBodyFailure(error);
    this.#respondWithError(error, isLogged ? "nowhere" : isRefusal ? "as refusal" : "as error");
  }

  /** Sends the response for an error that a wrapper threw or passed on, possibly after the validation. Never throws. */
  failWrapped(error: unknown, isRefusal: boolean): void {
    this.#respondWithError(error, isRefusal ? "as refusal" : "as error");
  }

  /** Refuses a request for the router or the validation. The number of log entries per minute is limited. */
  refuse(error: unknown): void {
    this.#respondWithError(error, "as refusal");
  }

  /** Refuses a request for the router with an error that has no details. `make` creates the error, if anything can see it. */
  refuseWith(plain: PlainError, make: () => AppError): void {
    if (!this.settings.hasPlainErrors) this.refuse(make());
    else if (this.#mustLog(plain.status)) this.#respondWithError(make(), "counted");
    else this.#respondPlain(plain.status, plainErrorBody(plain, this.traceId));
  }

  /** Refuses a request for the validation. */
  protected refuseInvalid(
    slot: RequestSlot,
    validator: Validator<unknown>,
    failures: readonly ValidationFailure[],
  ): void {
    const status = 400;
    const make = (): AppError => invalidSlot(slot, validator, failures);
    const hasDetails = this.executable?.compiled.details !== undefined;
    if (!this.settings.hasPlainErrors || hasDetails || this.#isAnswered) return this.fail(make());
    if (this.#mustLog(status)) return this.#respondWithError(make(), "counted");
    let text: string;
    try {
      text = invalidBody(slot, failures, this.traceId);
    } catch {
      // The value of a failure has no JSON form. The error middleware and the writer of bodies know what to do.
      return this.#respondWithError(make(), "nowhere");
    }
    return this.#respondPlain(status, text);
  }

  #mustLog(status: number): boolean {
    return this.settings.refusedRequests.mustLog(this, status);
  }

  #respondPlain(status: number, text: string): void {
    this.#responseHeaders?.dropDescriptionOfBody();
    this.#respond(status, jsonType, text);
  }

  #respondWithError(thrown: unknown, logged: Logged): void {
    const shown = withDeclaredDetails(thrown, this.executable, this.settings.checkResponses);
    // The log and plugins get the thrown error, unless its details break the contract.
    const error = AppError.isAppError(shown) ? thrown : shown;
    if (this.#isAnswered) {
      // The response was sent already, and a request has only one.
      if (this.#abortReason === undefined)
        this.logFailure("An error occurred after the response was sent", error);
      else this.logLateResult(error);
      return;
    }
    const { status, code, text } = this.#errorResponse(shown);
    this.#recordFault(code, error);
    if (logged === "counted") this.settings.refusedRequests.log(this, status, textForLog(error), error);
    else if (logged !== "nowhere") this.#logResponseError(error, status, logged === "as refusal");
    this.#notify(this.settings.onError, (listener) => listener(error, this));
    this.#responseHeaders?.dropDescriptionOfBody();
    if (status === 503 && temporaryFailure(error) !== undefined) {
      this.responseHeaders.set("retry-after", retryAfter);
    }
    const contentRange = status === 416 ? contentRangeOf(error) : undefined;
    if (contentRange !== undefined) this.responseHeaders.set("content-range", contentRange);
    this.#respond(status, this.#errorType, text);
  }

  /** Content type of error bodies. */
  get #errorType(): string {
    const { errorWriter } = this.settings;
    return errorWriter === null ? jsonType : errorWriter.contentType;
  }

  #logResponseError(error: unknown, status: number, isRefusal: boolean): void {
    const { log, clientErrors, refusedRequests } = this.settings;
    if (status >= 500) this.logFailure(textForLog(error), error);
    else if (isRefusal) refusedRequests.count(this, status, () => textForLog(error), error);
    else if (log.isEnabled(clientErrors)) this.log[clientErrors](textForLog(error), { status, error });
  }

  /** Sends an error response immediately, and aborts `ctx.signal` for the code that still works on the request. */
  #abort(reason: AppError): void {
    this.fail(reason);
    this.#abandon(reason);
  }

  #abandon(reason: AppError): void {
    this.#abortReason = reason;
    this.#controller?.abort(reason);
    this.#cancelBody?.(reason);
  }

  #errorResponse(error: unknown): { status: number; code: string; text: string } {
    try {
      const answer: ErrorResponse = this.settings.errorMiddleware(error, this);
      if (!isErrorResponse(answer)) throw new TypeError("The error middleware returned no { status, body }");
      const { status, body } = answer;
      const code = this.#slot === null ? "" : codeOf(body);
      const { errorWriter } = this.settings;
      if (errorWriter === null) return { status, code, text: errorBodyText(body) };
      return { code, ...errorWriter.write(status, body) };
    } catch (failure) {
      this.logFailure("The error middleware or the error format failed", failure);
      return { status: 500, code: internalError, text: this.#plainError() };
    }
  }

  #plainError(): string {
    const { traceId } = this;
    return this.settings.errorWriter?.plain(traceId) ?? plainErrorText(traceId);
  }

  /** Collects the body because the server cannot stream. The request can still time out. */
  async #respondCollected(status: number, contentType: string, source: OpenSource): Promise<void> {
    this.wait();
    this.#cancelBody = (reason) => source.cancel(reason);
    try {
      const body = await collect(source, this.serverAdapter, () => this.#isAnswered);
      if (body !== undefined) this.#respond(status, contentType, body);
    } catch (error) {
      source.cancel(error);
      this.fail(error);
    }
  }

  #respondStream(status: number, contentType: string, source: OpenSource, length: number | null): void {
    const { conditional } = this.settings;
    if (status === 200 && conditional !== null && this.#endsConditionally(conditional, undefined)) {
      source.cancel(new Error("The response has no body"));
      return;
    }
    this.enter(phases.write);
    const isEvents = eventStream.test(contentType);
    if (isEvents) this.#preventBuffering();
    // The trace id cannot be read later. If the request is recorded, the recorder has read it already.
    if (this.#slot === null) this.#traceId ??= this.#readTraceId();
    const stream = new BodyStream(source, length, (end) => this.#endStream(status, end));
    let writer: ResponseWriter;
    try {
      writer = this.exchange.respondStream!(status, contentType, length, this.#sentHeaders, stream);
    } catch (error) {
      source.cancel(error);
      this.#respondUnwritable(error);
      return;
    }
    this.#noteAnswered();
    this.#isStreaming = true;
    this.#cancelBody = (reason) => stream.cut(reason);
    const { inFlight } = this.settings;
    inFlight.addStream(this);
    if (this.exchange.method === "HEAD") stream.startEmpty(writer);
    else {
      stream.start(writer);
      if (isEvents) this.#endAtShutdown(stream);
    }
  }

  /** Sets headers without which a cache or a proxy may hold events back until the response ends. */
  #preventBuffering(): void {
    const { responseHeaders } = this;
    if (responseHeaders.get("cache-control") === null) responseHeaders.set("cache-control", "no-store");
    if (responseHeaders.get("x-accel-buffering") === null) responseHeaders.set("x-accel-buffering", "no");
  }

  /**
   * Ends a stream of events as soon as the application begins to close: it would otherwise last until the end of the grace
   * period, and its client reconnects by itself.
   */
  #endAtShutdown(stream: BodyStream): void {
    const request = {
      goAway: () => {
        const reason = applicationCloses();
        this.#stream?.end("closed");
        stream.finish(reason);
        this.#abortReason = reason;
        this.#controller?.abort(reason);
      },
      abort: () => undefined,
    };
    this.#lasting = request;
    this.settings.inFlight.addLasting(request);
  }

  #endStream(status: number, end: StreamEnd): void {
    this.#isStreaming = false;
    this.settings.inFlight.removeStream(this);
    if (this.#lasting !== null) this.settings.inFlight.removeLasting(this.#lasting);
    if (!end.isWhole) {
      const { error } = end;
      if (error === undefined) {
        this.#stream?.end("disconnected");
        this.#controller?.abort(new Error("The client disconnected before the end of the body"));
      } else if (error !== this.#abortReason) {
        this.logFailure("The response body failed after the head was sent; the connection was closed", error);
        this.#recordFault(internalError, error);
        this.#notify(this.settings.onError, (listener) => listener(error, this));
        this.#controller?.abort(error);
      }
      if (error !== undefined) this.#stream?.end("failed", null, this.settings.log.text(textForLog(error)));
    }
    this.#stream?.end("complete");
    this.#finish(status);
  }

  /**
   * Accepts the request as a WebSocket. Returns `undefined` if the server cannot accept it, and responds with 500. The
   * caller must call {@link RequestState.endSocket} after the last event.
   */
  protected acceptSocket(
    options: Omit<SocketOptions, "headers">,
    events: SocketEvents,
  ): ServerSocket | undefined {
    // The handler runs after the response, when the server has released the request. Reading all headers keeps them.
    this.#keepRequest();
    if (this.#slot === null) this.#traceId ??= this.#readTraceId();
    let socket: ServerSocket;
    try {
      const headers = this.#responseHeaders?.list ?? null;
      socket = this.exchange.acceptSocket!({ ...options, headers }, events);
    } catch (error) {
      this.#respondUnwritable(error);
      return undefined;
    }
    this.#noteAnswered();
    this.#stream?.open();
    return socket;
  }

  /** Creates the log of the WebSocket or streamed response. Returns `null` if no observer reads streams. */
  protected startStreamLog(kind: StreamRecord["kind"], protocol: string | null = null): StreamLog | null {
    const recorder = this.#slot === null ? null : this.settings.recorder;
    return (this.#stream = recorder === null ? null : recorder.streamOf(this.#slot!, kind, protocol));
  }

  /** Ends a request whose WebSocket is closed, and aborts `ctx.signal`. */
  protected endSocket({ code, reason, isByApplication }: SocketEnd): void {
    this.#stream?.end(isByApplication ? "closed" : "disconnected", code, reason);
    this.#controller?.abort(new Error("The WebSocket is closed"));
    this.enter(phases.write);
    this.#finish(101);
  }

  /** Reports an error that the handler of a WebSocket threw. */
  protected failSocket(error: unknown): void {
    this.logFailure("The handler of a WebSocket failed; the socket was closed", error);
    this.#recordFault(internalError, error);
    this.#notify(this.settings.onError, (listener) => listener(error, this));
  }

  /** Headers of the response, with `vary` if the header `accept` of the request chooses the format of the response. */
  get #sentHeaders(): readonly string[] | null {
    const list = this.#responseHeaders?.list ?? null;
    return this.executable !== null && this.executable.varies ? mergeHeaders(list, varyAccept) : list;
  }

  #noteAnswered(): void {
    this.#isAnswered = true;
    if (this.tick !== -1) (this.executable ?? this.settings).inFlight.remove(this);
  }

  #respondUnwritable(error: unknown): void {
    this.#stream?.forget();
    this.#noteAnswered();
    this.logFailure("The response could not be sent", error);
    this.#recordFault(internalError, error);
    this.#respondPlainly();
    this.#finish(500);
  }

  /**
   * Adds the entity tag to a 200 response. Returns true if the preconditions of the request demand 304 or 412, which
   * this method then sends.
   */
  #endsConditionally(conditional: Conditional, body: ResponseBody | undefined): boolean {
    const headers = this.#responseHeaders?.list ?? null;
    const { result, tag } = conditional.decide(this.exchange, { headers, body });
    if (result === "failed") {
      this.refuse(preconditionFailed());
      return true;
    }
    if (tag !== null) this.responseHeaders.setGenerated("etag", tag);
    if (result === "passed") return false;
    this.#responseHeaders?.dropDescriptionOfRepresentation();
    this.#respond(304, null, null);
    return true;
  }

  #respond(status: number, contentType: string | null, body: ResponseBody): void {
    const { conditional } = this.settings;
    if (status === 200 && conditional !== null && this.#endsConditionally(conditional, body)) return;
    this.enter(phases.write);
    this.#stream?.forget();
    // The trace id cannot be read later. If the request is recorded, the recorder has read it already.
    if (this.#slot === null) this.#traceId ??= this.#readTraceId();
    this.#noteAnswered();
    try {
      this.exchange.respond(status, contentType, body, this.#sentHeaders);
    } catch (error) {
      this.#respondUnwritable(error);
      return;
    }
    this.#finish(status);
  }

  /** Records why the request failed in its current phase. */
  #recordFault(code: string, error: unknown): void {
    // The handler of a WebSocket may fail after the end of its socket, when the slot already records another request.
    const slot = this.#ownSlot;
    if (slot === null) return;
    const { name } = describeWithoutStack(error);
    const fault = { code, name, message: this.settings.log.text(textForLog(error)), phase: this.phase };
    this.settings.recorder!.fail(slot, fault);
  }

  #finish(written: number): void {
    this.#phase = phases.response;
    if (this.#slot !== null) this.settings.recorder!.finish(this.#slot, written);
    const { meter } = this.settings;
    if (meter !== null) {
      const { route } = this;
      meter.end(this.#arrivedAt, route === null ? null : route.ref, this.#measuredMethod, written);
    }
  }

  /**
   * Sends a 500 response without the headers that the handler set, because the server could not send the
   * actual response.
   */
  #respondPlainly(): void {
    try {
      this.exchange.respond(500, this.#errorType, this.#plainError(), null);
    } catch (error) {
      // The server cannot respond at all, and closes the connection.
      this.logFailure("After an error, the response with the status 500 could not be sent", error);
    }
  }

  /**
   * Returns the trace id from the header `traceparent`. Must be called before the response, for later log
   * entries, because headers cannot be read after the response.
   */
  #readTraceId(): string | undefined {
    return this.#isAnswered ? undefined : readTraceparent(this.exchange.header("traceparent"))?.traceId;
  }

  /** Calls listeners. A failing listener affects neither the request nor the other listeners. */
  #notify<TListener>(listeners: readonly TListener[], call: (listener: TListener) => void): void {
    for (const listener of listeners) {
      try {
        call(listener);
      } catch (failure) {
        this.logFailure("A plugin failed", failure);
      }
    }
  }

  /** Logs a failure, with advice if a migration is missing. */
  logFailure(message: string, error: unknown): void {
    const missing = missingSchema(error, this.projectRoot);
    this.log.error(message, missing === undefined ? { error } : { error, help: helpOf(missing) });
  }

  /**
   * Returns true if the response was sent already. Logs a warning and does not throw, because nothing may
   * catch the error.
   */
  isTooLate(method: string): boolean {
    if (this.#isAnswered)
      this.log.warn(`ctx.${method} was called after the response was sent and has no effect`);
    return this.#isAnswered;
  }

  /** Returns true if the request can no longer be read. Logs a warning, because an uncaught error ends the process. */
  isReadTooLate(member: string): boolean {
    if (this.#isAnswered) this.log.warn(`ctx.${member} was read after the response was sent and is empty`);
    return this.#isAnswered;
  }

  #place(): LogContext {
    const { traceId, requestId, phase, route } = this;
    return { traceId, spanId: this.#spanId, requestId, phase, route: route?.ref };
  }
}
