import { encode } from "./codec.ts";
import type { ResponseFormat } from "./body-format.ts";
import type { ByteRange } from "./body-types.ts";
import type { Codecs } from "./codecs.ts";
import { warnIfDeprecated } from "./deprecation.ts";
import { ApiError } from "./error.ts";
import { cookieText, headerText } from "./header.ts";
import type { ClientOptions, CodecsOption, RequestOptions, RetryOptions } from "./options.ts";
import { failed, formatOf, read } from "./read.ts";
import { discard } from "./received.ts";
import { addressOf, type Address } from "./request.ts";
import {
  delayOf,
  isRetryable,
  isStillRunning,
  KEY_HEADER,
  limitOf,
  LONGEST_TIMER_MS,
  newKey,
  wait,
} from "./retry.ts";
import type { SocketCall } from "./socket-types.ts";
import type { ApiCall, Client, Result } from "./types.ts";

type Call = Omit<RequestOptions, "headers"> &
  Address & {
    headers?: Readonly<Record<string, unknown>>;
    cookies?: Readonly<Record<string, unknown>>;
    body?: unknown;
    contentType?: string;
    accept?: string;
    range?: ByteRange;
  };

/** Page of a list, with the cursor of the next page. */
interface CursorPage {
  readonly data: readonly unknown[];
  readonly next?: string;
}

interface Exchange {
  data: unknown;
  response: Response;
}

/** Way in which the caller reads the response. */
interface Reading {
  /** True if the caller wants the body as a stream. */
  isStream: boolean;
  /** True after the response has arrived. */
  hasArrived: boolean;
}

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"] as const;

/**
 * Creates a client of an API.
 *
 * `Routes` is a contract group, or several of them joined by `&`. With contract groups, responses are parsed JSON, so a
 * `Date` arrives as a string. The generated `.kit/client/index.ts` exports this function together with its own routes
 * and codecs. With these codecs, dates arrive as `Date`, fields with a default may be left out, and errors are
 * distinguished by the codes that the contract declares.
 *
 * @param options - `baseUrl` is required. The default timeout of a call is 30,000 ms.
 * @example
 * ```ts
 * const api = createClient<NoteRoutes>({ baseUrl: "http://localhost:3000" });
 * const note = await api.get("/notes/:id", { params: { id } });
 * ```
 */
export function createClient<Routes>(options: ClientOptions & CodecsOption<Routes>): Client<Routes> {
  const callers: [string, (path: string, call?: Call) => unknown][] = METHODS.map((method) => [
    method,
    (path: string, call: Call = {}) => start(options, method.toUpperCase(), path, call),
  ]);
  const operations = Object.entries(options.codecs?.operations ?? {}).map(([name, route]) => {
    const [method, path] = route.split(" ") as [string, string];
    return [name, (call: Call = {}) => start(options, method, path, call)];
  });
  const open = options.codecs?.sockets?.open ?? options.sockets;
  if (open ?? options.codecs === undefined)
    callers.push([
      "ws",
      async (path, call) => {
        if (open === undefined)
          throw new TypeError(
            "add `openSocket` of @kit/client/sockets to createClient, as its option `sockets`",
          );
        return open(options, path, call as SocketCall);
      },
    ]);
  return Object.fromEntries([...operations, ...callers]) as unknown as Client<Routes>;
}

type Options = ClientOptions & { codecs?: Codecs };

function start(options: Options, method: string, path: string, call: Call): ApiCall<unknown, ApiError> {
  const reading: Reading = { isStream: false, hasArrived: false };
  const answer = send(options, method, path, call, reading);
  const data = answer.then((ended) => ended.data);
  const result = (): Promise<Result<unknown, ApiError>> => {
    // A caller that uses the result receives the failure there, so the promise must not cause an unhandled rejection.
    data.catch(() => {});
    return answer.then(
      (ended) => ({ ok: true, ...ended }),
      (error: unknown) => {
        if (error instanceof ApiError) return { ok: false, error };
        throw error;
      },
    );
  };
  const stream = (): Promise<ReadableStream<Uint8Array>> => {
    if (reading.hasArrived) throw new TypeError("call `stream()` at once, before the response arrives");
    reading.isStream = true;
    return data as Promise<ReadableStream<Uint8Array>>;
  };
  async function* items(): AsyncGenerator<unknown> {
    let page = (await data) as CursorPage;
    for (;;) {
      yield* page.data;
      const { next } = page;
      if (next === undefined) return;
      const query = { ...call.query, cursor: next };
      // oxlint-disable-next-line no-await-in-loop -- each page has the cursor of the next page
      page = (await start(options, method, path, { ...call, query })) as CursorPage;
      if (page.next === next) throw new ApiError("UNEXPECTED_RESPONSE", 200, `${path} repeats a cursor`);
    }
  }
  return Object.assign(data, { result, stream, items: items as ApiCall<unknown, ApiError>["items"] });
}

async function send(
  options: Options,
  method: string,
  path: string,
  call: Call,
  reading: Reading,
): Promise<Exchange> {
  const url = String(options.baseUrl).replace(/\/$/, "") + addressOf(path, call);
  const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 30_000;
  const { codecs } = options;
  const route = `${method} ${path}`;
  const shared = typeof options.headers === "function" ? await options.headers() : options.headers;
  const headers = new Headers(shared);
  headers.set("accept", call.accept ?? acceptOf(codecs, route));
  const requestFormat = codecs?.requestFormats?.[route];
  let body: NonNullable<RequestInit["body"]> | undefined;
  if (requestFormat !== undefined && call.body !== undefined) {
    const encoded = await codecs!.bodyFormats!.encode(requestFormat, call.body, call.contentType);
    ({ body } = encoded);
    if (encoded.contentType !== undefined) headers.set("content-type", encoded.contentType);
  } else if (call.body instanceof FormData || call.body instanceof URLSearchParams) {
    body = call.body;
  } else if (call.contentType !== undefined) {
    body = call.body as NonNullable<RequestInit["body"]>;
    headers.set("content-type", call.contentType);
  } else if (call.body !== undefined) {
    body = encode(call.body);
    headers.set("content-type", "application/json");
  }
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    const text = headerText(name, value);
    if (text !== undefined) headers.set(name, text);
  }
  const { range } = call;
  if (range !== undefined) {
    headers.set("range", `bytes=${range.first}-${range.last ?? ""}`);
    if (range.tag !== undefined) headers.set("if-range", range.tag);
  }
  const isKeyed = codecs?.idempotencyKeys?.includes(route) === true;
  if (isKeyed && !headers.has(KEY_HEADER)) headers.set(KEY_HEADER, newKey());
  const cookies = cookieText(headers.get("cookie"), call.cookies ?? {});
  if (cookies !== undefined) headers.set("cookie", cookies);
  // `fetch` would send the headers to the other server, except `authorization` and cookies, and would send a POST as a GET.
  const init: RequestInit & { duplex?: "half" } = { method, headers, redirect: "manual" };
  if (body !== undefined) init.body = body;
  // `fetch` sends a stream only with this property.
  const isOnce = body instanceof ReadableStream;
  if (isOnce) init.duplex = "half";
  if (options.credentials !== undefined) init.credentials = options.credentials;

  const retry = isOnce ? false : (call.retry ?? options.retry);
  /** Runs an exchange with a timeout, which ends when `finish` is called or the exchange ends. */
  const within = async <T>(exchange: (signal: AbortSignal, finish: () => void) => Promise<T>): Promise<T> => {
    const timeout = new AbortController();
    const signal =
      call.signal === undefined ? timeout.signal : AbortSignal.any([call.signal, timeout.signal]);
    const reason = new DOMException("The call took too long", "TimeoutError");
    const timerMs = Math.min(timeoutMs, LONGEST_TIMER_MS);
    const timer = timerMs > 0 ? setTimeout(() => timeout.abort(reason), timerMs) : undefined;
    const finish = (): void => clearTimeout(timer);
    try {
      return await exchange(signal, finish);
    } catch (error) {
      // An aborted call fails with the reason, also if the connection is reported as lost.
      const failure: unknown = signal.aborted ? signal.reason : error;
      // The error is a timeout only if the timeout aborted the call before the caller's signal did.
      if (failure === reason) {
        throw new ApiError("TIMEOUT", 0, `${method} ${url} took longer than ${timeoutMs} ms`, {
          cause: reason,
        });
      }
      throw failure;
    } finally {
      finish();
    }
  };
  const sendOnce = (signal: AbortSignal, more: Readonly<Record<string, string>>, tries: typeof retry) =>
    sendWithRetries(options, tries, isKeyed, () => {
      const request = new Request(url, { ...init, signal });
      for (const [name, value] of Object.entries(more)) request.headers.set(name, value);
      return request;
    });
  return within(async (signal, finish) => {
    const response = await sendOnce(signal, {}, retry);
    reading.hasArrived = true;
    warnIfDeprecated(route, response.headers);
    // The timeout covers the wait for a stream, and the caller reads the stream for as long as the caller wishes.
    const format = formatOf(codecs, route, response.status);
    if (
      response.status < 400 &&
      (reading.isStream || (format && codecs!.bodyFormats!.isEndless(format, response)))
    )
      finish();
    const data = await read(response, {
      method,
      route,
      codecs,
      isStream: reading.isStream,
      signal: call.signal,
      retry,
      again: (more) =>
        within(async (next) => {
          const again = await sendOnce(next, more, false);
          return again.status < 400 ? again : await failed(again, route, codecs);
        }),
    });
    return { data, response };
  });
}

/** Returns the header `accept` of a call: the media types of the responses that are not JSON, then JSON for errors. */
function acceptOf(codecs: Codecs | undefined, route: string): string {
  const replies = Object.values(codecs?.replies?.[route] ?? {});
  const formats = [codecs?.responseFormats?.[route], ...replies.map(({ format }) => format)];
  const types = formats
    .flatMap((format): readonly ResponseFormat[] => format?.choices ?? (format ? [format] : []))
    .map(({ type }) => type);
  return [...new Set([...types, "application/json"])].join(", ");
}

/**
 * Sends a request, with retries. Returns the first response that needs no retry, or the response to the last attempt.
 */
async function sendWithRetries(
  options: ClientOptions,
  retry: RetryOptions | false | undefined,
  isKeyed: boolean,
  request: () => Request,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const next = request();
    const isLast = attempt >= limitOf(next.method, isKeyed, retry);
    let delay: number | undefined;
    try {
      const response = await runInterceptors(options, 0, next);
      if (isLast || !(isRetryable(response.status) || (isKeyed && isStillRunning(response)))) return response;
      delay = delayOf(attempt, retry, response.headers.get("retry-after"));
      if (delay === undefined) return response;
      await discard(response);
    } catch (error) {
      if (isLast || !(error instanceof ApiError) || error.code !== "NETWORK_ERROR") throw error;
      delay = delayOf(attempt, retry, null);
    }
    await wait(delay ?? 0, next.signal);
  }
}

async function runInterceptors(
  options: ClientOptions,
  position: number,
  request: Request,
): Promise<Response> {
  const interceptor = options.interceptors?.[position];
  if (interceptor !== undefined)
    return interceptor(request, (next) => runInterceptors(options, position + 1, next));
  try {
    // Not called as a method of `options`, because browsers refuse their own `fetch` with another receiver.
    const { fetch = globalThis.fetch } = options;
    return await fetch(request);
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    throw new ApiError("NETWORK_ERROR", 0, `${request.method} ${request.url} received no response`, {
      cause,
    });
  }
}
