import { errorFor } from "@kit/errors";
import type { ServerExchange } from "@kit/types";

import type { CookieOptions } from "../cookies/cookie-options.ts";
import type { Logger } from "../logging/log-entry.ts";
import { certificateOf } from "./certificate-reader.ts";
import type { ClientCertificate } from "./client-certificate.ts";
import type { MiddlewareInput } from "./middleware.ts";
import type { ExecutableRoute } from "./executable-route.ts";
import { type RawBody, RawResponse, type SendOptions } from "./raw-response.ts";
import type { ReplyToStatus } from "./reply.ts";
import type { RequestContext, RequestHeaders, Span } from "./request-context.ts";
import type { RequestState } from "./request-state.ts";
import type { TraceHeaders } from "./trace-headers.ts";

/** Request with its route, from which `ctx` and the argument of middleware read their properties. */
export interface RoutedRequest extends RequestState {
  readonly executable: ExecutableRoute;
  /** Path parameters in the order of the route, percent-decoded. */
  readonly rawParams: readonly string[];
  /** Value of {@link Context.rawWildcard}. */
  readonly rawWildcard: string | undefined;
}

/**
 * Implementation of `ctx`. Expensive values are created when they are first read. Its own enumerable properties are
 * exactly the properties that middleware added, so a spread copies no others.
 */
export class Context implements RequestContext {
  readonly #request: RoutedRequest;

  static {
    // Adapters of frameworks find the request of the framework in the exchange. The symbol is registered, because adapters do not depend on
    // this package.
    Object.defineProperty(Context.prototype, Symbol.for("kit.exchange"), {
      get(this: Context): ServerExchange {
        return this.#request.exchange;
      },
    });
  }

  constructor(request: RoutedRequest) {
    this.#request = request;
  }

  get traceId(): string {
    return this.#request.traceId;
  }

  get requestId(): string {
    return this.#request.requestId;
  }

  get route(): string {
    return this.#request.executable.compiled.ref;
  }

  get method(): string {
    return this.#request.exchange.method;
  }

  get path(): string {
    return this.#request.path;
  }

  get rawWildcard(): string | undefined {
    return this.#request.rawWildcard;
  }

  get ip(): string {
    return this.#request.address;
  }

  get origin(): string {
    return this.#request.origin;
  }

  get clientCertificate(): ClientCertificate | undefined {
    return certificateOf(this.#request);
  }

  get headers(): RequestHeaders {
    return this.#request.headers;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get log(): Logger {
    return this.#request.log;
  }

  get span(): Span | undefined {
    return this.#request.span;
  }

  get traceHeaders(): TraceHeaders {
    return this.#request.traceHeaders;
  }

  status(status: number): this {
    this.#refuseIfReplies("status");
    this.#request.setStatus(status);
    return this;
  }

  header(name: string, value: string | readonly string[]): this {
    this.#request.setHeader(name, value);
    return this;
  }

  cookie(name: string, value: string | null, options: CookieOptions = {}): this {
    const request = this.#request;
    const cookie = request.settings.cookies.write(name, value, options);
    if (!request.isTooLate("cookie")) request.responseHeaders.setCookie(cookie);
    return this;
  }

  signedCookie(name: string): string | undefined {
    const request = this.#request;
    if (request.isReadTooLate("signedCookie")) return undefined;
    return request.settings.cookies.readSigned(name, request.exchange.header("cookie"));
  }

  send(body: RawBody, options: SendOptions = {}): RawResponse {
    this.#refuseIfReplies("send");
    return new RawResponse(body, options);
  }

  fail(status: number, code: string, message: string, details?: object): never {
    throw errorFor(status, code, message, details);
  }

  #refuseIfReplies(member: string): void {
    const { compiled, extras } = this.#request.executable;
    if (extras === null || extras.replies === undefined) return;
    throw new TypeError(
      `ctx.${member} cannot be used in ${compiled.ref}, because its contract declares replies; return reply(status, …) from the handler`,
    );
  }
}

/** Names of properties that middleware must not add: the properties of `ctx` and of every object. */
const reserved: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Context.prototype),
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/**
 * Adds the result of a middleware to `ctx`.
 *
 * @throws {TypeError} If the result is not a plain object. Otherwise kit would silently drop a response or a class
 * instance.
 */
export function addToContext(context: Context, added: unknown, middleware: string): void {
  if (!isPlainObject(added)) throw notAdded(added, middleware);
  for (const name of Object.keys(added)) {
    if (reserved.has(name)) {
      throw new TypeError(
        `The middleware ${middleware} adds \`${name}\`, but ctx already has a property with this name; choose another name`,
      );
    }
    (context as unknown as Record<string, unknown>)[name] = (added as Record<string, unknown>)[name];
  }
}

/** Returns true if a value is an object that no class created. Objects of another realm are accepted. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
}

function notAdded(value: unknown, middleware: string): TypeError {
  if (value instanceof RawResponse)
    value.cancel(new Error(`The middleware ${middleware} cannot send a response`));
  const isAnswer = value instanceof RawResponse || value instanceof Response;
  const rule = isAnswer
    ? "only a handler can return a response. Return the response from the handler"
    : "middleware returns a plain object of properties to add to ctx, or nothing. Return an object or nothing";
  return new TypeError(
    `The middleware ${middleware} returned ${inWords(value)}, which kit cannot add to ctx: ${rule}, or refuse the request with ctx.fail(status, code, message)`,
  );
}

function inWords(value: unknown): string {
  if (value instanceof RawResponse) return "the result of ctx.send";
  if (value instanceof Response) return "a Response";
  if (value instanceof Context) return "ctx itself";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const { constructor } = value;
  return typeof constructor === "function" && constructor.name !== ""
    ? `a value of the class ${constructor.name}`
    : "a value of a class";
}

/** Input of a wrapper. */
export class WrapperArgument implements Omit<MiddlewareInput, "ctx"> {
  readonly ctx: Context;
  readonly reply: ReplyToStatus;
  readonly #input: MiddlewareArgument;

  constructor(input: MiddlewareArgument, reply: ReplyToStatus) {
    this.ctx = input.ctx;
    this.reply = reply;
    this.#input = input;
  }

  get headers(): RequestHeaders {
    return this.#input.headers;
  }

  get method(): string {
    return this.#input.method;
  }

  get path(): string {
    return this.#input.path;
  }

  get params(): Readonly<Record<string, string>> {
    return this.#input.params;
  }
  /** Returns the parts of the request that its fingerprint contains. */
  fingerprinted(): Fingerprinted {
    return this.#input.fingerprinted();
  }
}

/** Parts of a request that its fingerprint contains. */
interface Fingerprinted {
  readonly method: string;
  readonly target: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Input of every middleware of one request. */
export class MiddlewareArgument implements MiddlewareInput {
  readonly ctx: Context;
  readonly #request: RoutedRequest;
  #params: Record<string, string> | undefined;

  constructor(request: RoutedRequest, ctx: Context) {
    this.ctx = ctx;
    this.#request = request;
  }

  get headers(): RequestHeaders {
    return this.#request.headers;
  }

  get method(): string {
    return this.#request.exchange.method;
  }

  get path(): string {
    return this.#request.path;
  }

  /** Returns the parts of the request that its fingerprint contains. */
  fingerprinted(): Fingerprinted {
    const { exchange } = this.#request;
    const { method } = exchange;
    // Adapters of frameworks pass the target without the slash.
    const target = exchange.hadTrailingSlash === true ? withFinalSlash(exchange.target) : exchange.target;
    return { method, target, contentType: exchange.header("content-type") ?? "", body: exchange.bodyBytes() };
  }

  get params(): Readonly<Record<string, string>> {
    if (this.#params === undefined) {
      const { executable, rawParams } = this.#request;
      // The object has no prototype, because a parameter may have any name.
      const params = Object.create(null) as Record<string, string>;
      for (const [index, name] of executable.paramNames.entries()) params[name] = rawParams[index]!;
      this.#params = params;
    }
    return this.#params;
  }
}

/** Returns a target with a slash at the end of its path. */
function withFinalSlash(target: string): string {
  const end = target.indexOf("?");
  return end === -1 ? `${target}/` : `${target.slice(0, end)}/${target.slice(end)}`;
}
