import type { AppError } from "@kit/errors";
import type { CompiledRoute, ResponseBody, ResponseWriter, RunningSpan, ServerExchange } from "@kit/types";

import type { RequestFailure } from "../app/plugin.ts";
import type { ErrorAnswer, ErrorBody, ErrorFields } from "../error-middleware.ts";
import { messageForLog } from "../logging/database-error.ts";
import type { LogPlace } from "../logging/log.ts";
import type { Logger } from "../logging/log-entry.ts";
import * as phases from "../observe/phases.ts";
import { phaseSpanId, requestIdOfSlot, traceIdOfSlot } from "../observe/read.ts";
import type { Slot } from "../observe/slot.ts";
import { helpOf, missingSchema } from "../missing-schema.ts";
import { normalTarget } from "../router/normal-path.ts";
import { describeBriefly } from "../thrown.ts";
import { errorBodyText, isErrorAnswer } from "./error-text.ts";
import type { ExecutableRoute } from "./executable-route.ts";
import { isDatabaseOutage } from "../database-outage.ts";
import { headerView } from "./header-view.ts";
import { nextRequestId, randomSpanId, randomTraceId, readTraceparent } from "./ids.ts";
import { type TraceHeaders, traceHeadersOf } from "./trace-headers.ts";
import { BodyStream, collect, type StreamEnd } from "./body-stream.ts";
import type { OpenSource, RawResponse } from "./raw-response.ts";
import type { Waiting } from "./in-flight.ts";
import type { PipelineSettings } from "./pipeline-settings.ts";
import { applicationCloses, requestTimeout } from "./refusals.ts";
import type { RequestHeaders } from "./request-context.ts";
import { ResponseHeaders } from "./response-headers.ts";

/** The type of all bodies. JSON is UTF-8 by definition, so it names no charset. */
export const jsonType = "application/json";

const internalError = "INTERNAL_SERVER_ERROR";
/** After how many seconds a client may ask again when the database cannot be reached. */
const retryAfter = "1";

/** Statuses that have no body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A request from its arrival to its one answer: ids, phase, headers, and how it succeeds or fails. Knows nothing of routes
 * beyond their name, so that 404 and its like are answered in the same way.
 */
export class RequestState implements RequestFailure, Waiting {
  readonly exchange: ServerExchange;
  readonly settings: PipelineSettings;
  readonly executable: ExecutableRoute | null;
  previousWaiting: Waiting | null = null;
  nextWaiting: Waiting | null = null;
  /** -1: it does not wait. */
  since = -1;
  #status = 0;
  #responseHeaders: ResponseHeaders | null = null;
  #answered = false;
  #traceId: string | undefined;
  #requestId: string | undefined;
  #path: string | undefined;
  #address: string | undefined;
  #headers: RequestHeaders | undefined;
  #controller: AbortController | undefined;
  #isStreaming = false;
  /** Lets go of the body that is being read. */
  #cancelBody: ((reason: unknown) => void) | undefined;
  /** Why the request was answered before its handler had ended. */
  #cut: AppError | undefined;
  #log: Logger | undefined;
  #phase: number = phases.normalize;
  /** Where the request is noted; after its answer the slot may serve another one, under another number. */
  readonly #slot: Slot | null;
  readonly #sequence: number;

  constructor(settings: PipelineSettings, exchange: ServerExchange, executable: ExecutableRoute | null) {
    this.settings = settings;
    this.exchange = exchange;
    this.executable = executable;
    const { recorder } = settings;
    const slot = recorder === null ? null : recorder.begin(exchange, executable);
    this.#slot = slot;
    this.#sequence = slot === null ? 0 : slot.sequence;
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

  /** Headers by which a request to another service belongs to this trace. */
  get traceHeaders(): TraceHeaders {
    const { span, traceId } = this;
    if (span !== undefined) return traceHeadersOf(span);
    const own = this.#ownSlot;
    const parent = this.#answered ? own?.parent : readTraceparent(this.exchange.header("traceparent"));
    const state = this.#answered ? own?.traceState : this.exchange.header("tracestate");
    // Nothing is recorded here, so what comes next is the child of whoever asked us.
    const next = parent ?? { spanId: randomSpanId(), isSampled: false };
    return traceHeadersOf({ ...next, traceId, traceState: (parent && state) ?? null });
  }

  /** Where the request is, or still is, noted: its ids are there, or made there. */
  get #ownSlot(): Slot | null {
    return this.#slot !== null && this.#slot.sequence === this.#sequence ? this.#slot : null;
  }

  /** The span of the phase under way; nothing where spans are not recorded, and after the answer. */
  get span(): RunningSpan | undefined {
    const slot = this.#ownSlot;
    if (slot === null || !slot.isActive) return undefined;
    const recorder = this.settings.recorder!;
    return recorder.hasSpans ? recorder.spanOf(slot) : undefined;
  }

  /** Of {@link RequestState.span}, which is not made for it. */
  get #spanId(): string | undefined {
    const slot = this.#ownSlot;
    const isThere = slot !== null && slot.isActive && this.settings.recorder!.hasSpans;
    return isThere ? phaseSpanId(slot, slot.phase) : undefined;
  }

  get path(): string {
    // Adapters hand over normal paths; one that somebody else wrote may not.
    return (this.#path ??= pathOf(normalTarget(this.exchange.target)));
  }

  get headers(): RequestHeaders {
    return (this.#headers ??= headerView(this));
  }

  /** The client's address; empty once the server has forgotten the request, unless it was read before. */
  get address(): string {
    if (this.#address !== undefined) return this.#address;
    if (this.isReadTooLate("ip")) return "";
    const { exchange } = this;
    this.#address = this.settings.findAddress(exchange.remoteAddress, (name) => exchange.header(name));
    return this.#address;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#cut !== undefined) controller.abort(this.#cut);
      // Once it was answered nothing can abort the request any more, but a body that is being sent: that is told otherwise.
      else if (!this.#answered)
        this.exchange.onAbort(() =>
          controller.abort(new Error("The client went away before it was answered")),
        );
    }
    return this.#controller.signal;
  }

  /** Whether the answer is out. */
  get isAnswered(): boolean {
    return this.#answered;
  }

  get log(): Logger {
    return (this.#log ??= this.settings.log.at(() => this.#place()));
  }

  /** Enters the next phase. */
  enter(phase: number): void {
    this.#phase = phase;
    if (this.#slot !== null) this.settings.recorder!.enter(this.#slot, phase);
  }

  /** Whether what is called runs within what observers put around it. */
  get isWrapped(): boolean {
    return this.#slot !== null && this.settings.recorder!.wraps(this.#slot);
  }

  /** Runs a middleware or handler so. */
  wrap(run: () => unknown): unknown {
    return this.settings.recorder!.around(this.#slot!, run);
  }

  /** Notes that the request waits for a promise, and so may wait too long. */
  wait(): void {
    if (this.since === -1 && !this.#answered) this.settings.inFlight.add(this);
  }

  timeOut(limitMs: number): void {
    this.#cutShort(requestTimeout(limitMs));
  }

  giveUp(): void {
    if (this.#isStreaming) this.#abandon(applicationCloses());
    else this.#cutShort(applicationCloses());
  }

  /** Notes that a handler or middleware gave what nobody waits for any more: the request was cut short. */
  noteLate(error?: unknown): void {
    const ended = error === undefined ? "ended" : "failed";
    const data = error === undefined || error === this.#cut ? undefined : { error };
    this.log.warn(`What still ran for a request ${ended} after it was answered; it is dropped`, data);
  }

  setStatus(status: number): void {
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new RangeError(`ctx.status takes an integer from 200 to 599, not ${String(status)}`);
    }
    if (this.#isTooLate("status")) return;
    this.#status = status;
  }

  setHeader(name: string, value: string | readonly string[]): void {
    if (this.#isTooLate("header")) return;
    (this.#responseHeaders ??= new ResponseHeaders()).set(name, value);
  }

  /** Answers with a body, which is left out where the status has none. */
  answer(contractStatus: number, body: ResponseBody): void {
    const status = this.#status === 0 ? contractStatus : this.#status;
    if (body === null || withoutBody.has(status)) this.#respond(status, null, null);
    else this.#respond(status, this.#responseHeaders?.contentType ?? jsonType, body);
  }

  /** Answers with what is not JSON. */
  answerRaw(contractStatus: number, raw: RawResponse): void {
    const status = this.#status === 0 ? contractStatus : this.#status;
    const { body } = raw;
    const type = raw.contentType ?? this.#responseHeaders?.contentType ?? raw.defaultType;
    if (withoutBody.has(status)) {
      raw.cancel(new Error(`An answer ${status} has no body`));
      this.#respond(status, null, null);
    } else if (typeof body === "string" || body instanceof Uint8Array) this.#respond(status, type, body);
    else if (this.exchange.respondStream === undefined) void this.#respondCollected(status, type, body);
    else this.#respondStream(status, type, body, raw.length);
  }

  /**
   * Answers with what middleware, a handler or a framework has thrown. It is logged as an error unless `isLogged`; an error below 500 at the
   * level of `logging.clientErrors`. Never throws: whatever the error is and does, the client is answered.
   */
  fail(error: unknown, isLogged = false): void {
    // What is thrown while a slot is validated says that the request is wrong.
    const isRefusal = phases.isValidation(this.#phase);
    this.#answerError(error, isLogged ? "nowhere" : isRefusal ? "as refusal" : "as error");
  }

  /** Answers a request that the router or the validation refuses. Such refusals are logged as warnings, of which there is a limited number a minute. */
  refuse(error: unknown): void {
    this.#answerError(error, "as refusal");
  }

  #answerError(error: unknown, logged: "as error" | "as refusal" | "nowhere"): void {
    if (this.#answered) {
      // The answer is out, and there is only one.
      if (this.#cut === undefined) this.logFailure("Something failed after the answer", error);
      else this.noteLate(error);
      return;
    }
    const { status, code, text } = this.#errorAnswer(error);
    this.#noteFault(code, error);
    if (logged !== "nowhere") this.#logAnswered(error, status, logged === "as refusal");
    this.#tell(this.settings.onError, (listener) => listener(error, this));
    this.#responseHeaders?.dropDescriptionOfBody();
    if (status === 503 && isDatabaseOutage(error)) {
      (this.#responseHeaders ??= new ResponseHeaders()).set("retry-after", retryAfter);
    }
    this.#respond(status, jsonType, text);
  }

  #logAnswered(error: unknown, status: number, isRefusal: boolean): void {
    const { log, clientErrors, refusedRequests } = this.settings;
    if (status >= 500) this.logFailure(textForLog(error), error);
    else if (isRefusal) refusedRequests.count(this, status, () => textForLog(error), error);
    else if (log.makes(clientErrors)) this.log[clientErrors](textForLog(error), { status, error });
  }

  /** Answers at once, and lets whatever still works for the request know that it need not. */
  #cutShort(reason: AppError): void {
    this.fail(reason);
    this.#abandon(reason);
  }

  #abandon(reason: AppError): void {
    this.#cut = reason;
    this.#controller?.abort(reason);
    this.#cancelBody?.(reason);
  }

  #errorAnswer(error: unknown): { status: number; code: string; text: string } {
    try {
      const answer: ErrorAnswer = this.settings.errorMiddleware(error, this);
      if (!isErrorAnswer(answer)) throw new TypeError("The error middleware returned no { status, body }");
      return {
        status: answer.status,
        code: this.#slot === null ? "" : codeOf(answer.body),
        text: errorBodyText(answer.body),
      };
    } catch (failure) {
      this.logFailure("The error middleware failed", failure);
      return { status: 500, code: internalError, text: this.#plainError() };
    }
  }

  #plainError(): string {
    const { traceId } = this;
    return JSON.stringify({
      error: { code: internalError, message: "Internal Server Error", traceId },
    });
  }

  /** Where the server cannot stream. The request may still take too long. */
  async #respondCollected(status: number, contentType: string, source: OpenSource): Promise<void> {
    this.wait();
    this.#cancelBody = (reason) => source.cancel(reason);
    try {
      const body = await collect(source, this.serverAdapter, () => this.#answered);
      if (body !== undefined) this.#respond(status, contentType, body);
    } catch (error) {
      source.cancel(error);
      this.fail(error);
    }
  }

  #respondStream(status: number, contentType: string, source: OpenSource, length: number | null): void {
    this.enter(phases.write);
    // It cannot be read later. Where the request is noted, it was noted too.
    if (this.#slot === null) this.#traceId ??= this.#readTraceId();
    const stream = new BodyStream(source, length, (end) => this.#endStream(status, end));
    let writer: ResponseWriter;
    try {
      writer = this.exchange.respondStream!(
        status,
        contentType,
        length,
        this.#responseHeaders?.list ?? null,
        stream,
      );
    } catch (error) {
      source.cancel(error);
      this.#respondUnwritable(error);
      return;
    }
    this.#noteAnswered();
    this.#isStreaming = true;
    this.#cancelBody = (reason) => stream.cut(reason);
    this.settings.inFlight.addStream(this);
    if (this.exchange.method === "HEAD") stream.startEmpty(writer);
    else stream.start(writer);
  }

  #endStream(status: number, end: StreamEnd): void {
    this.#isStreaming = false;
    this.settings.inFlight.removeStream(this);
    if (!end.isWhole) {
      const { error } = end;
      if (error === undefined) {
        this.#controller?.abort(new Error("The client went away before it had the whole body"));
      } else if (error !== this.#cut) {
        this.logFailure("The body of an answer failed after its head was sent; it was cut", error);
        this.#noteFault(internalError, error);
        this.#tell(this.settings.onError, (listener) => listener(error, this));
        this.#controller?.abort(error);
      }
    }
    this.#finish(status);
  }

  #noteAnswered(): void {
    this.#answered = true;
    if (this.since !== -1) this.settings.inFlight.remove(this);
  }

  #respondUnwritable(error: unknown): void {
    this.#noteAnswered();
    this.logFailure("The answer could not be written", error);
    this.#noteFault(internalError, error);
    this.#respondPlainly();
    this.#finish(500);
  }

  #respond(status: number, contentType: string | null, body: ResponseBody): void {
    this.enter(phases.write);
    // It cannot be read later. Where the request is noted, it was noted too.
    if (this.#slot === null) this.#traceId ??= this.#readTraceId();
    this.#noteAnswered();
    try {
      this.exchange.respond(status, contentType, body, this.#responseHeaders?.list ?? null);
    } catch (error) {
      this.#respondUnwritable(error);
      return;
    }
    this.#finish(status);
  }

  /** Notes why the request fails in the phase that it is in. */
  #noteFault(code: string, error: unknown): void {
    if (this.#slot === null) return;
    const { name } = describeBriefly(error);
    const fault = { code, name, message: this.settings.log.text(textForLog(error)), phase: this.phase };
    this.settings.recorder!.fail(this.#slot, fault);
  }

  /** The answer is out. */
  #finish(written: number): void {
    this.#phase = phases.response;
    if (this.#slot !== null) this.settings.recorder!.finish(this.#slot, written);
  }

  /** In place of an answer that the server does not take (a header that it cannot write, say), so that the client gets one. */
  #respondPlainly(): void {
    try {
      this.exchange.respond(500, jsonType, this.#plainError(), null);
    } catch (error) {
      // Not even that: the server is at its end, and closes the connection.
      this.logFailure("The answer 500 could not be written either", error);
    }
  }

  /** The request's own trace id. It cannot be read once the request was answered, so it is read before, for what is logged late. */
  #readTraceId(): string | undefined {
    return this.#answered ? undefined : readTraceparent(this.exchange.header("traceparent"))?.traceId;
  }

  /** Calls listeners, none of which may harm the request or the others. */
  #tell<TListener>(listeners: readonly TListener[], call: (listener: TListener) => void): void {
    for (const listener of listeners) {
      try {
        call(listener);
      } catch (failure) {
        this.logFailure("A plugin failed", failure);
      }
    }
  }

  /** Logs what went wrong, and what to do if a migration is missing. */
  logFailure(message: string, error: unknown): void {
    const missing = missingSchema(error, this.projectRoot);
    this.log.error(message, missing === undefined ? { error } : { error, help: helpOf(missing) });
  }

  /** Whether the answer is out. It is logged, not thrown: nobody awaits the code that is that late. */
  #isTooLate(method: string): boolean {
    if (this.#answered)
      this.log.warn(`ctx.${method} was called after the request was answered; it has no effect`);
    return this.#answered;
  }

  /** Whether there is nothing left to read. Logged and not thrown as well: it would end the process. */
  isReadTooLate(member: string): boolean {
    if (this.#answered)
      this.log.warn(`ctx.${member} was read after the request was answered; it is empty then`);
    return this.#answered;
  }

  #place(): LogPlace {
    const { traceId, requestId, phase, route } = this;
    return { traceId, spanId: this.#spanId, requestId, phase, route: route?.ref };
  }
}

/** Users may wrap the error middleware and give bodies of their own. */
function codeOf(body: object): string {
  const { code } = ((body as Partial<ErrorBody>).error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}

function textForLog(error: unknown): string {
  return messageForLog(error, describeBriefly(error).message);
}

/** The path of a request target, without its query. */
export function pathOf(target: string): string {
  const end = target.indexOf("?");
  return end === -1 ? target : target.slice(0, end);
}
