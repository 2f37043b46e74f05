import type { CompiledReply } from "@kit/types";

import { ChosenContent } from "../bodies/chosen-content.ts";
import { withoutBody } from "./body-rules.ts";
import { dropResult } from "./handler-result.ts";
import { RawResponse } from "./raw-response.ts";
import type { RequestState } from "./request-state.ts";
import { ResponseHeaders } from "./response-headers.ts";
import type { ExecutableWrapper } from "./executable-wrapper.ts";
import type { AnswerHeaders } from "./wrapper.ts";
import { type StoredAnswer, StoredResult } from "./stored-result.ts";
import { checkReply, DeclaredReply, findReply } from "./reply.ts";

/**
 * Answer that wrappers receive from `next` and return: a result of the handler, or a reply of the handler or
 * a wrapper.
 */
export class Answer {
  readonly status: number;
  /** Value that the handler returned, or the reply. */
  readonly result: unknown;
  /** Functions that write the reply. `null` if `result` is the value of a plain response. */
  readonly declared: CompiledReply | null;
  /** Headers of the declared reply, as a list of name, value, name, value. */
  readonly declaredHeaders: readonly string[];
  readonly #request: RequestState;
  #headers: ResponseHeaders | null = null;
  /** Headers that were set before the wrapped code ran. */
  #before: ResponseHeaders | null = null;
  #view: AnswerHeaders | undefined;

  constructor(
    request: RequestState,
    status: number,
    result: unknown,
    declared: CompiledReply | null,
    declaredHeaders: readonly string[],
  ) {
    this.#request = request;
    this.status = status;
    this.result = result;
    this.declared = declared;
    this.declaredHeaders = declaredHeaders;
  }

  get body(): unknown {
    const body = this.result instanceof DeclaredReply ? this.result.body : this.result;
    return body instanceof ChosenContent ? body.value : body;
  }

  get headers(): AnswerHeaders {
    return (this.#view ??= headersOf(this.#request, () => this.#headers ?? this.#request.responseHeaders));
  }

  /** Keeps the headers of the answer while the wrapper has it. */
  hold(headers: ResponseHeaders, before: ResponseHeaders | null): void {
    this.#headers = headers;
    this.#before = before;
  }

  /**
   * Returns the answer in the form in which it is sent, with the headers of the wrapped code.
   *
   * @throws {TypeError} If the body is a stream or a WebSocket.
   */
  store(): StoredAnswer {
    if (this.result instanceof StoredResult) return this.result.stored;
    const { contentType, defaultType, body: written } = this.#request.writtenBody(this);
    const body = withoutBody.has(this.status) ? null : written;
    const headers = this.#headers ?? this.#request.responseHeaders;
    const own = this.#before === null ? (headers.list ?? []) : headers.listWithout(this.#before);
    const type = body === null ? null : (contentType ?? headers.contentType ?? defaultType);
    return {
      status: this.status,
      contentType: type,
      headers: [...own],
      body: typeof body === "string" ? Buffer.from(body) : body,
    };
  }

  /** Returns the headers of the answer to the request, because the wrapper returned the answer. */
  release(): ResponseHeaders | null {
    const headers = this.#headers;
    this.#headers = null;
    return headers;
  }

  /** Cancels the stream of an answer that is not sent. */
  drop(): void {
    dropResult(this.result, "A wrapper replaced this response");
  }
}

function headersOf(request: RequestState, headers: () => ResponseHeaders): AnswerHeaders {
  const isTooLate = () => request.isTooLate("headers");
  return {
    get: (name) => headers().get(name),
    has: (name) => headers().get(name) !== null,
    set(name, value) {
      if (!isTooLate()) headers().set(name, value);
    },
    delete(name) {
      if (!isTooLate()) headers().delete(name);
    },
  };
}

/**
 * Runs a wrapper around the rest of a request and returns the answer that the wrapper chose.
 *
 * While the wrapper has the answer of `next`, the request has a new, empty list of headers: headers that the
 * wrapper sets with `ctx.header` in this time belong to the answer that the wrapper returns.
 *
 * @param rest - Runs the rest of the request, after `added` was added to `ctx`.
 */
export async function runWrapper(
  request: RequestState,
  wrapper: ExecutableWrapper,
  input: object,
  call: (run: () => unknown) => unknown,
  rest: (added: unknown) => Promise<Answer>,
): Promise<Answer> {
  const { ref, owner } = wrapper;
  let before: ResponseHeaders | null = null;
  let passed: Answer | undefined;
  let failed: ResponseHeaders | null = null;
  let running: Promise<Answer> | undefined;
  let isOver = false;

  const runRest = async (added: unknown): Promise<Answer> => {
    before = request.swapHeaders((current) => current.copy());
    try {
      const answer = await rest(added);
      if (isOver) {
        answer.drop();
        return answer;
      }
      passed = answer;
      answer.hold(
        request.swapHeaders(() => new ResponseHeaders()),
        before,
      );
      return answer;
    } catch (error) {
      if (!isOver) failed = request.swapHeaders(() => new ResponseHeaders());
      throw error;
    }
  };
  const next = (added?: unknown): Promise<Answer> => {
    if (running !== undefined) {
      return Promise.reject(
        new TypeError(`${ref}: ${owner} called next twice, but the rest of a request can run only once`),
      );
    }
    if (isOver) return Promise.reject(new TypeError(`${ref}: ${owner} called next after it had returned`));
    running = runRest(added);
    // A wrapper may return without awaiting `next`. Without this handler, a later error would end the process.
    running.catch((error: unknown) => {
      if (!isOver) return;
      if (request.isAnswered) request.logLateResult(error);
      else
        request.log.warn(`${owner} did not wait for next, which failed; the error is discarded`, { error });
    });
    return running;
  };

  let chosen: unknown;
  try {
    chosen = await call(() => wrapper.run(input, next));
    requireAnswer(wrapper, chosen, passed);
  } catch (error) {
    isOver = true;
    // The error response has the headers that middleware and the handler set, as without a wrapper.
    const inner = passed?.release() ?? failed;
    passed?.drop();
    if (inner !== null) request.swapHeaders((after) => inner.merge(after));
    throw error;
  }
  isOver = true;
  if (chosen instanceof Answer) {
    const inner = chosen.release()!;
    request.swapHeaders((after) => inner.merge(after));
    return chosen;
  }
  passed?.drop();
  // The wrapper answers itself, so the status and the headers of the wrapped code are dropped.
  const outer = before as ResponseHeaders | null;
  if (outer !== null) {
    const isSettled = passed !== undefined || failed !== null;
    request.swapHeaders((current) => (isSettled ? outer.merge(current) : outer));
  }
  request.dropStatus();
  if (chosen instanceof StoredResult) {
    const { status, headers } = chosen.stored;
    request.swapHeaders((current) => current.merge(ResponseHeaders.of(headers)));
    return new Answer(request, status, chosen, null, []);
  }
  const reply = chosen as DeclaredReply;
  const declared = findReply(ref, wrapper.replies, reply.status, owner);
  if (request.settings.checkResponses) checkReply(ref, declared, reply);
  return declaredAnswer(request, reply, declared);
}

/**
 * Checks that a wrapper returned the answer of its own `next`, or a reply.
 *
 * @throws {TypeError} If the wrapper returned anything else.
 */
function requireAnswer(wrapper: ExecutableWrapper, chosen: unknown, passed: Answer | undefined): void {
  if (
    chosen instanceof DeclaredReply ||
    chosen instanceof StoredResult ||
    (chosen instanceof Answer && chosen === passed)
  )
    return;
  if (chosen instanceof RawResponse) chosen.cancel(new Error(`${wrapper.owner} cannot use ctx.send`));
  throw notAnAnswer(wrapper, describe(chosen));
}

/** Returns the answer of a declared reply. The headers of the reply become headers of the response. */
export function declaredAnswer(request: RequestState, reply: DeclaredReply, declared: CompiledReply): Answer {
  const list = declared.headers === null ? [] : declared.headers.write(reply.headers ?? {});
  if (list.length > 0) request.responseHeaders.setDeclared(list);
  return new Answer(request, reply.status, reply, declared, list);
}

function notAnAnswer({ ref, owner }: ExecutableWrapper, found: string): TypeError {
  return new TypeError(
    `${ref}: ${owner} returned ${found}; it must return the answer of next(), or reply(status, …)`,
  );
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (value instanceof Answer) return "the answer of another request or wrapper";
  if (value instanceof RawResponse) return "the result of ctx.send";
  if (value instanceof Response) return "a Response";
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}
