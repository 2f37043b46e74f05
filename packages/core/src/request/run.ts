// tidy: long because one object runs all steps of a request, which use its private state
import type { AppError } from "@kit/errors";
import type {
  CompiledBody,
  CompiledContent,
  CompiledRoute,
  CompiledSocket,
  ServerExchange,
  ValidationFailure,
  Validator,
} from "@kit/types";

import type { BodyResult } from "../bodies/body-result.ts";
import { ChosenContent } from "../bodies/chosen-content.ts";
import { parseJsonText, readJsonText } from "./body.ts";
import { jsonType } from "./body-rules.ts";
import { isThenable } from "../thenable.ts";
import { describeThrown } from "../thrown.ts";
import * as phases from "../observe/phases.ts";
import { addToContext, Context, MiddlewareArgument, type RoutedRequest, WrapperArgument } from "./context.ts";
import type { ChainStep, ExecutableRoute, HandlerArgument, RouteExtras } from "./executable-route.ts";
import { readFormattedInput } from "./formatted-input.ts";
import { hideValues } from "./hidden-failure.ts";
import type { IgnoredInput } from "./ignored-input.ts";
import { dropResult, isUnwrappedStream, notAReply, unexpectedResponse } from "./handler-result.ts";
import { queryOf, wildcardOf } from "./request-target.ts";
import { invalidSlot, undeclaredBody, unsupportedMediaType } from "./refusals.ts";
import { OpenDownload } from "./open-download.ts";
import { RawResponse } from "./raw-response.ts";
import { checkReply, DeclaredReply, findReply, type Replies } from "./reply.ts";
import type { PipelineSettings } from "./pipeline-settings.ts";
import { isAscii, notWhole, responseContent, statusOfResult, wholeBody } from "./response-content.ts";
import { type AnswerParts, RequestState, type WrittenBody } from "./request-state.ts";
import { sendDownload } from "./send-download.ts";
import { StoredResult } from "./stored-result.ts";
import { subprotocolOf } from "../sockets/handshake.ts";
import { PendingSocket, reasonOf, SocketClosedError, SocketMessages } from "../sockets/socket-messages.ts";
import { Answer, declaredAnswer, runWrapper } from "./wrapped-answer.ts";
import {
  findUnstorable,
  mayContainUnstorable,
  targetMayContainUnstorable,
} from "../unstorable-characters.ts";
import { type RequestSlot, ResponseContractError } from "../validation-error.ts";

/** Returned in place of the handler's input if the input is invalid and the error response was sent. */
const REFUSED: unique symbol = Symbol("refused");

/** Result of reading the input of a handler. */
type ReadInput = HandlerArgument | typeof REFUSED;

/**
 * Run of a request through its route: middleware, validation, handler, serialization. If all functions return
 * synchronously, {@link RequestRun.start} does all work before it returns. The run waits only for functions that
 * return a promise.
 */
export class RequestRun extends RequestState implements RoutedRequest {
  declare readonly executable: ExecutableRoute;
  readonly rawParams: readonly string[];
  readonly #context: Context;

  constructor(
    settings: PipelineSettings,
    exchange: ServerExchange,
    executable: ExecutableRoute,
    rawParams: readonly string[],
  ) {
    super(settings, exchange, executable);
    this.rawParams = rawParams;
    this.#context = new Context(this);
  }

  get rawWildcard(): string | undefined {
    const raw = wildcardOf(this.executable.compiled.path, this.path);
    return raw !== undefined && this.exchange.hadTrailingSlash === true ? `${raw}/` : raw;
  }

  /** Runs the pipeline. Never throws. */
  start(): void {
    try {
      const { chain } = this.executable;
      if (chain.length === 0) this.#handle();
      else if (this.executable.hasWrappers)
        void this.#startWrapped(new MiddlewareArgument(this, this.#context));
      else this.#runChain(0, new MiddlewareArgument(this, this.#context));
    } catch (error) {
      this.fail(error);
    }
  }

  #runChain(first: number, argument: MiddlewareArgument): void {
    const { chain } = this.executable;
    for (let index = first; index < chain.length; index += 1) {
      const step = chain[index]!;
      this.enter(phases.firstMiddleware + index);
      const added: unknown = this.isWrapped ? this.#wrapStep(step, argument) : step.run(argument);
      if (isThenable(added)) {
        this.wait();
        void this.#continueAsync(added, index, argument);
        return;
      }
      this.#add(added, step.name);
    }
    this.#handle();
  }

  /**
   * Continues a request after the first promise of a middleware. Uses one asynchronous function for
   * everything that is awaited, which costs half as much as a callback for each promise.
   */
  async #continueAsync(first: PromiseLike<unknown>, at: number, argument: MiddlewareArgument): Promise<void> {
    try {
      const { chain } = this.executable;
      let added: unknown = await first;
      for (let index = at; ;) {
        if (this.isAnswered) return this.#dropLate(added);
        this.#add(added, chain[index]!.name);
        index += 1;
        if (index === chain.length) break;
        const step = chain[index]!;
        this.enter(phases.firstMiddleware + index);
        added = this.isWrapped ? this.#wrapStep(step, argument) : step.run(argument);
        if (isThenable(added)) added = await added;
      }
      let input = this.#readInput();
      if (input instanceof Promise) {
        input = await input;
        if (this.isAnswered) return;
      }
      if (input === REFUSED) return;
      let result = this.#callHandler(input);
      if (isThenable(result)) {
        result = await result;
        if (this.isAnswered) return this.#dropLate(result);
      }
      this.#succeed(result);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Runs a chain with wrappers, and sends the answer that the outermost wrapper returns. Never throws. */
  async #startWrapped(argument: MiddlewareArgument): Promise<void> {
    this.wait();
    let refused: unknown;
    const readInput = async (): Promise<HandlerArgument> => {
      try {
        const input = this.#readInput();
        return (input instanceof Promise ? await input : input) as HandlerArgument;
      } catch (error) {
        refused = error;
        throw error;
      }
    };
    try {
      const answer = await this.#passOn(0, argument, readInput);
      if (this.isAnswered) this.#dropLate(answer.result);
      else this.#send(answer);
    } catch (error) {
      this.failWrapped(error, error !== undefined && error === refused);
    }
  }

  /** Runs the chain from a middleware on, then the handler. Wrappers run the rest of the chain by `next`. */
  async #passOn(
    first: number,
    argument: MiddlewareArgument,
    readInput: () => Promise<HandlerArgument>,
  ): Promise<Answer> {
    const { chain, extras, compiled } = this.executable;
    for (let index = first; index < chain.length; index += 1) {
      const step = chain[index]!;
      this.enter(phases.firstMiddleware + index);
      const { wrapper } = step;
      if (wrapper !== null) {
        const input = new WrapperArgument(argument, wrapper.reply);
        const call = (run: () => unknown) => (this.isWrapped ? this.wrap(run) : run());
        return runWrapper(this, wrapper, input, call, async (added) => {
          this.#add(added, step.name);
          return this.#passOn(index + 1, argument, readInput);
        });
      }
      const added: unknown = this.isWrapped ? this.#wrapStep(step, argument) : step.run(argument);
      this.#add(isThenable(added) ? await added : added, step.name);
      this.#stopIfAnswered();
    }
    this.#stopIfAnswered();
    const handlerInput = await readInput();
    this.#stopIfAnswered();
    const result: unknown = await this.#callHandler(handlerInput);
    if (this.isAnswered) {
      dropResult(result, "The response was already sent");
      this.#stopIfAnswered();
    }
    if (extras !== null && extras.replies !== undefined) {
      const declared = this.#declaredReply(result, extras.replies);
      return declaredAnswer(this, result as DeclaredReply, declared);
    }
    const status = this.chosenStatus === 0 ? statusOfResult(compiled, result) : this.chosenStatus;
    return new Answer(this, status, result, null, []);
  }

  /** Ends the wrapped code after the timeout or the closing of the application: `next` rejects with the reason. */
  #stopIfAnswered(): void {
    if (this.isAnswered) throw this.signal.reason;
  }

  /** Sends the answer that wrappers passed on. */
  #send({ result, declared, declaredHeaders }: Answer): void {
    if (result instanceof StoredResult) {
      this.enter(phases.serialization);
      this.respondStored(result.stored);
      return;
    }
    if (declared === null) return this.#succeed(result);
    this.enter(phases.serialization);
    const { status, body } = result as DeclaredReply;
    if (declared.content !== undefined)
      return this.respondRaw(status, this.#content(declared.content, body, declaredHeaders));
    let text: string | null;
    try {
      text = declared.body === null ? null : declared.body.serialize(body);
    } catch (error) {
      this.#failToWrite(error);
      return;
    }
    this.respond(status, text === null || declaredHeaders.every(isAscii) ? text : Buffer.from(text));
  }

  override writtenBody({ result, declared, declaredHeaders }: AnswerParts): WrittenBody {
    const { extras, compiled } = this.executable;
    const { ref, response } = compiled;
    if (declared !== null) {
      const { body } = result as DeclaredReply;
      if (declared.content !== undefined)
        return wholeBody(ref, this.#content(declared.content, body, declaredHeaders));
      return jsonBody(declared.body === null ? null : declared.body.serialize(body));
    }
    if (result instanceof RawResponse) return wholeBody(ref, result);
    if (result instanceof PendingSocket || result instanceof OpenDownload || isUnwrappedStream(result))
      throw notWhole(ref);
    if (extras !== null && extras.responseFormat !== undefined)
      return wholeBody(ref, this.#content(extras.responseFormat, result));
    if (response === null) {
      if (result !== undefined && this.settings.checkResponses) throw unexpectedResponse(ref);
      return jsonBody(null);
    }
    if (this.settings.checkResponses) {
      const failures = response.failures(result);
      if (failures.length > 0) throw new ResponseContractError(ref, response.name, failures);
    }
    return jsonBody(response.serialize(result));
  }

  #add(added: unknown, middleware: string): void {
    if (added !== undefined) addToContext(this.#context, added, middleware);
  }

  #handle(): void {
    const input = this.#readInput();
    if (input === REFUSED) return;
    if (input instanceof Promise) {
      this.wait();
      void this.#handleLater(input);
      return;
    }
    const result = this.#callHandler(input);
    if (isThenable(result)) {
      this.wait();
      void this.#awaitResult(result);
    } else this.#succeed(result);
  }

  /** Calls the handler after the parts of the body that it needs have arrived. Never throws. */
  async #handleLater(arriving: Promise<HandlerArgument | typeof REFUSED>): Promise<void> {
    try {
      const input = await arriving;
      if (this.isAnswered || input === REFUSED) return;
      const result = this.#callHandler(input);
      if (isThenable(result)) await this.#awaitResult(result);
      else this.#succeed(result);
    } catch (error) {
      this.fail(error);
    }
  }

  #callHandler(input: HandlerArgument): unknown {
    const { handler, extras } = this.executable;
    // Wrappers run before the handshake is accepted, so that they can refuse it.
    if (extras !== null && extras.socket !== undefined) return new PendingSocket(input);
    this.enter(phases.handler);
    return this.isWrapped ? this.#wrapHandler(input) : handler(input);
  }

  // Separate functions, because variables that a closure captures cost memory in every call of the enclosing function.
  #wrapStep(step: ChainStep, argument: MiddlewareArgument): unknown {
    return this.wrap(() => step.run(argument));
  }

  #wrapHandler(input: HandlerArgument): unknown {
    return this.wrap(() => this.executable.handler(input));
  }

  /**
   * Reads and validates the input of the handler. Returns {@link REFUSED} if the input is invalid. Returns a promise only if
   * parts of the body must arrive before the handler starts.
   */
  #readInput(): ReadInput | Promise<ReadInput> {
    const params = this.#readParams();
    if (params === REFUSED) return REFUSED;
    const query = this.#readQuery();
    if (query === REFUSED) return REFUSED;
    const { extras } = this.executable;
    if (extras !== null) return this.#readWithExtras(extras, params, query);
    const body = this.#readBody();
    if (body === REFUSED) return REFUSED;
    return { params, query, body, ctx: this.#context };
  }

  /** Reads the remaining input of a handler whose contract declares headers, cookies or replies. */
  #readWithExtras(extras: RouteExtras, params: unknown, query: unknown): ReadInput | Promise<ReadInput> {
    const { negotiation } = extras;
    if (negotiation === undefined) return this.#readSlots(extras, params, query);
    this.enter(phases.headersValidation);
    const accept = this.exchange.header("accept");
    negotiation.check(accept);
    const input = this.#readSlots(extras, params, query);
    if (input instanceof Promise)
      return input.then((later) => (later === REFUSED ? REFUSED : { ...later, accept }));
    return input === REFUSED ? REFUSED : { ...input, accept };
  }

  #readSlots(extras: RouteExtras, params: unknown, query: unknown): ReadInput | Promise<ReadInput> {
    const headers = extras.headers === undefined ? undefined : this.#readHeaders(extras.headers);
    if (headers === REFUSED) return REFUSED;
    const cookies = extras.cookies === undefined ? undefined : this.#readCookies(extras.cookies);
    if (cookies === REFUSED) return REFUSED;
    const body =
      extras.bodyFormat === undefined ? this.#readBody() : this.#readFormattedBody(extras.bodyFormat);
    if (body instanceof Promise) return this.#withBody({ params, query, headers, cookies }, extras, body);
    if (body === REFUSED) return REFUSED;
    return { params, query, headers, cookies, body, reply: extras.reply, ctx: this.#context };
  }

  async #withBody(
    slots: Pick<HandlerArgument, "params" | "query" | "headers" | "cookies">,
    { reply }: RouteExtras,
    arriving: Promise<unknown>,
  ): Promise<ReadInput> {
    const body = await arriving;
    return body === REFUSED ? REFUSED : { ...slots, body, reply, ctx: this.#context };
  }

  #readParams(): unknown {
    const { params } = this.executable.compiled;
    if (params === null) return undefined;
    this.enter(phases.paramsValidation);
    const value = params.params(this.rawParams);
    if (!params.is(value)) return this.#refuse("params", params, params.failures(value));
    return this.#decoded("params", params, value, targetMayContainUnstorable(this.exchange.target));
  }

  #readQuery(): unknown {
    const { query } = this.executable.compiled;
    if (this.settings.ignoredInput !== null) this.#warnOfQuery(this.settings.ignoredInput);
    if (query === null) return undefined;
    this.enter(phases.queryValidation);
    const { target } = this.exchange;
    const value = query.query(queryOf(target));
    if (!query.is(value)) return this.#refuse("query", query, query.failures(value));
    return this.#decoded("query", query, value, targetMayContainUnstorable(target));
  }

  #readHeaders(headers: NonNullable<CompiledRoute["headers"]>): unknown {
    this.enter(phases.headersValidation);
    const { exchange } = this;
    const value = headers.headers((name) => exchange.header(name));
    if (headers.is(value)) return headers.decode(value);
    return this.#refuse("headers", headers, hideValues("headers", headers.failures(value)));
  }

  #readCookies(cookies: NonNullable<CompiledRoute["cookies"]>): unknown {
    this.enter(phases.cookiesValidation);
    const text = this.exchange.header("cookie");
    const value = cookies.cookies(text);
    if (!cookies.is(value))
      return this.#refuse("cookies", cookies, hideValues("cookies", cookies.failures(value)));
    return this.#decoded("cookies", cookies, value, text !== undefined && targetMayContainUnstorable(text));
  }

  #readBody(): unknown {
    const { body } = this.executable.compiled;
    if (body === null) return this.exchange.bodyLength === 0 ? undefined : this.#readUndeclaredBody();
    this.enter(phases.bodyValidation);
    const text = readJsonText(this.exchange, body);
    const value = parseJsonText(this.exchange, body, text);
    if (!body.is(value)) return this.#refuse("body", body, body.failures(value));
    return this.#decoded("body", body, value, mayContainUnstorable(text));
  }

  /** Reads a body that is not JSON. Returns a promise only if the body has an upload. */
  #readFormattedBody(format: CompiledBody): unknown {
    this.enter(phases.bodyValidation);
    const declared = format.validator ?? { name: format.format };
    const result = readFormattedInput(this.exchange, this.executable.bodyBytes, format, declared);
    return result instanceof Promise
      ? result.then((arrived) => this.#checkedBody(declared, arrived))
      : this.#checkedBody(declared, result);
  }

  #checkedBody(declared: Pick<Validator<unknown>, "name">, result: BodyResult): unknown {
    if ("unsupported" in result) throw unsupportedMediaType(result.unsupported);
    // The client was answered while parts of the body arrived.
    if (this.isAnswered) return REFUSED;
    if ("failures" in result) {
      const { type = declared.name, failures } = result;
      return this.#refuseWith(invalidSlot("body", { name: type }, failures));
    }
    const failure = result.mayBeUnstorable ? findUnstorable(result.value) : undefined;
    return failure === undefined ? result.value : this.#refuseWith(invalidSlot("body", declared, [failure]));
  }

  #warnOfQuery(ignoredInput: IgnoredInput): void {
    const text = queryOf(this.exchange.target);
    if (text === "") return;
    this.enter(phases.queryValidation);
    ignoredInput.query(this.executable.compiled, text, this.log);
  }

  /**
   * Handles a body that the contract does not declare. GET and HEAD requests with a body have no defined meaning (RFC
   * 9110, 9.3.1), and intermediaries treat them differently, so they are refused.
   */
  #readUndeclaredBody(): unknown {
    const { method, bodyLength } = this.exchange;
    this.enter(phases.bodyValidation);
    if (method !== "GET" && method !== "HEAD") {
      this.settings.ignoredInput?.body(this.executable.compiled, this.log);
      return undefined;
    }
    return this.#refuseWith(undeclaredBody(method, bodyLength));
  }

  /** Returns the decoded slot. Refuses a value with characters that databases cannot store. */
  #decoded(slot: RequestSlot, validator: Validator<unknown>, value: unknown, suspicious: boolean): unknown {
    const decoded = validator.decode(value);
    const failure = suspicious ? findUnstorable(decoded) : undefined;
    return failure === undefined ? decoded : this.#refuse(slot, validator, [failure]);
  }

  #refuse(slot: RequestSlot, validator: Validator<unknown>, failures: readonly ValidationFailure[]): unknown {
    if (this.executable.hasWrappers) throw invalidSlot(slot, validator, failures);
    this.refuseInvalid(slot, validator, failures);
    return REFUSED;
  }

  /**
   * Sends the error response without throwing, because `throw` costs more than the rest of the refusal. If the route has
   * wrappers, the method throws the error, because wrappers receive errors from `next`.
   */
  #refuseWith(error: AppError): typeof REFUSED {
    if (this.executable.hasWrappers) throw error;
    this.fail(error);
    return REFUSED;
  }

  #succeed(result: unknown): void {
    this.enter(phases.serialization);
    const { extras } = this.executable;
    if (extras !== null) {
      if (result instanceof PendingSocket)
        return this.#openSocket(result.input as HandlerArgument, extras.socket!);
      if (extras.replies !== undefined) return this.#reply(result, extras.replies);
      if (result instanceof OpenDownload) {
        void sendDownload(this, result, extras.responseFormat!.mediaType);
        return;
      }
      if (extras.responseFormat !== undefined && !(result instanceof RawResponse))
        return this.respondRaw(this.executable.compiled.status, this.#content(extras.responseFormat, result));
    }
    const { response, status, ref } = this.executable.compiled;
    if (result instanceof RawResponse) {
      this.respondRaw(statusOfResult(this.executable.compiled, result), result);
      return;
    }
    if (isUnwrappedStream(result)) {
      throw new TypeError(
        `The handler of ${ref} returned a stream or another async iterable; wrap it in ctx.send(…)`,
      );
    }
    if (response === null) {
      if (result !== undefined && this.settings.checkResponses) throw unexpectedResponse(ref);
      this.respond(status, null);
      return;
    }
    if (this.settings.checkResponses) {
      const failures = response.failures(result);
      if (failures.length > 0) throw new ResponseContractError(ref, response.name, failures);
    }
    let text: string;
    try {
      text = response.serialize(result);
    } catch (error) {
      this.#failToWrite(error);
      return;
    }
    this.respond(status, text);
  }

  /** Accepts a WebSocket, then calls the handler. */
  #openSocket(input: HandlerArgument, compiled: CompiledSocket): void {
    const { ref } = this.executable.compiled;
    if (this.chosenStatus !== 0)
      throw new TypeError(`${ref} accepts a WebSocket, so ctx.status cannot change its status`);
    this.enter(phases.handler);
    const request = {
      goAway: () => messages.close(1001, "The server is closing"),
      abort: () => messages.terminate(),
    };
    const { inFlight } = this.settings;
    const protocol = subprotocolOf(this.exchange, compiled.protocols);
    const messages = new SocketMessages({
      protocol,
      compiled,
      ref,
      isChecked: this.settings.checkResponses,
      refused: (failures) => {
        const error = invalidSlot("body", compiled.in ?? { name: "message" }, failures);
        this.settings.refusedRequests.count(this, 400, () => error.message, error);
      },
      log: this.startStreamLog("socket", protocol),
      ended: (end) => {
        inFlight.removeLasting(request);
        this.endSocket(end);
      },
    });
    const socket = this.acceptSocket(
      {
        messageBytes: this.executable.bodyBytes,
        ...this.settings.sockets,
        ...this.executable.sockets,
        protocol,
      },
      messages,
    );
    if (socket === undefined) return;
    messages.attach(socket);
    inFlight.addLasting(request);
    void this.#runSocket({ ...input, socket: messages }, messages);
  }

  async #runSocket(input: HandlerArgument, messages: SocketMessages): Promise<void> {
    try {
      const { handler } = this.executable;
      const result: unknown = await (this.isWrapped ? this.wrap(() => handler(input)) : handler(input));
      if (result !== undefined && this.settings.checkResponses)
        throw unexpectedResponse(this.executable.compiled.ref);
      messages.close();
    } catch (error) {
      // A handler that only sends learns from `send` that the client has disconnected.
      if (error instanceof SocketClosedError && !messages.isOpen) return;
      this.failSocket(error);
      // Messages are checked only in development. Contract tests show the reason.
      const isBreach = error instanceof ResponseContractError && this.settings.checkResponses;
      messages.close(1011, isBreach ? reasonOf(error.failures) : "Internal error");
    }
  }

  /** Sends the reply that the handler of a contract with replies returned. */
  #reply(result: unknown, replies: Replies): void {
    const declared = this.#declaredReply(result, replies);
    const { status, body, headers } = result as DeclaredReply;
    let text: string | null;
    let list: readonly string[] = [];
    try {
      text = declared.body === null ? null : declared.body.serialize(body);
      if (declared.headers !== null) list = declared.headers.write(headers ?? {});
      if (list.length > 0) this.responseHeaders.setDeclared(list);
    } catch (error) {
      this.#failToWrite(error);
      return;
    }
    if (declared.content !== undefined)
      return this.respondRaw(status, this.#content(declared.content, body, list));
    // node:http encodes the head like the body if the body is a string, so it would send other bytes for Latin-1.
    this.respond(status, text === null || list.every(isAscii) ? text : Buffer.from(text));
  }

  /** Returns the body of a response that is not JSON. `declaredHeaders` are the headers of a declared reply. */
  #content(content: CompiledContent, value: unknown, declaredHeaders: readonly string[] = []): RawResponse {
    if (value instanceof ChosenContent) return this.#content(value.content, value.value, declaredHeaders);
    const { ref } = this.executable.compiled;
    const { checkResponses } = this.settings;
    const { format } = content;
    const log = format === "events" || format === "lines" ? this.startStreamLog(format) : null;
    return responseContent(ref, content, value, {
      isChecked: checkResponses,
      declaredHeaders,
      log,
    });
  }

  /**
   * Returns the functions that write a reply.
   *
   * @throws {Error} If the value is not a reply that the contract declares.
   */
  #declaredReply(result: unknown, replies: Replies): Replies[number] {
    const { ref } = this.executable.compiled;
    if (!(result instanceof DeclaredReply)) throw notAReply(ref, result);
    const declared = findReply(ref, replies, result.status);
    if (this.settings.checkResponses) checkReply(ref, declared, result);
    return declared;
  }

  /** Responds with 500 because the result of the handler cannot be written as its contract requires. */
  #failToWrite(error: unknown): void {
    // The error is not sent unchanged, and not logged each time, because a faulty handler fails for every request.
    const { ref } = this.executable.compiled;
    this.settings.breaches.count(ref, error, () => this.logFailure(describeThrown(error).message, error));
    this.fail(error, true);
  }

  /** Responds with the result of a handler's promise. */
  async #awaitResult(promise: PromiseLike<unknown>): Promise<void> {
    try {
      const result = await promise;
      if (this.isAnswered) this.#dropLate(result);
      else this.#succeed(result);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Discards a result that arrives after the response. */
  #dropLate(value: unknown): void {
    dropResult(value, "The response was already sent");
    this.logLateResult();
  }
}

function jsonBody(body: string | null): WrittenBody {
  return { contentType: null, defaultType: jsonType, body };
}
