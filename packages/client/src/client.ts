import { encode, type Codecs } from "./codec.ts";
import { ApiError } from "./error.ts";
import { cookieText, headerText } from "./header.ts";
import type { ClientOptions, CodecsOption, RequestOptions } from "./options.ts";
import { read } from "./read.ts";
import { addressOf, type Address } from "./request.ts";
import { delayOf, isRetryable, limitOf, wait } from "./retry.ts";
import type { ApiCall, Client, Result } from "./types.ts";

type Call = Omit<RequestOptions, "headers"> &
  Address & {
    headers?: Readonly<Record<string, unknown>>;
    cookies?: Readonly<Record<string, unknown>>;
    body?: unknown;
  };

interface Exchange {
  data: unknown;
  response: Response;
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
  const callers = METHODS.map((method) => [
    method,
    (path: string, call: Call = {}) => toApiCall(send(options, method.toUpperCase(), path, call)),
  ]);
  const operations = Object.entries(options.codecs?.operations ?? {}).map(([name, route]) => {
    const [method, path] = route.split(" ") as [string, string];
    return [name, (call: Call = {}) => toApiCall(send(options, method, path, call))];
  });
  return Object.fromEntries([...operations, ...callers]) as unknown as Client<Routes>;
}

/** Statuses of redirects that `fetch` follows (WHATWG Fetch, section 2.2.3). */
function isRedirect(status: string): boolean {
  return ["301", "302", "303", "307", "308"].includes(status);
}

function toApiCall(answer: Promise<Exchange>): ApiCall<unknown, ApiError> {
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
  return Object.assign(data, { result });
}

async function send(
  options: ClientOptions & { codecs?: Codecs },
  method: string,
  path: string,
  call: Call,
): Promise<Exchange> {
  const url = String(options.baseUrl).replace(/\/$/, "") + addressOf(path, call);
  const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 30_000;
  const timeout = timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined;
  const signals = [call.signal, timeout].filter((signal) => signal !== undefined);
  const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  const shared = typeof options.headers === "function" ? await options.headers() : options.headers;
  const headers = new Headers(shared);
  headers.set("accept", "application/json");
  let body: string | undefined;
  if (call.body !== undefined) {
    body = encode(call.body);
    headers.set("content-type", "application/json");
  }
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    const text = headerText(name, value);
    if (text !== undefined) headers.set(name, text);
  }
  const cookies = cookieText(headers.get("cookie"), call.cookies ?? {});
  if (cookies !== undefined) headers.set("cookie", cookies);
  const init: RequestInit = { method, headers };
  const route = `${method} ${path}`;
  // `fetch` would follow a redirect, and the caller would not see the reply.
  if (Object.keys(options.codecs?.replies?.[route] ?? {}).some(isRedirect)) init.redirect = "manual";
  if (body !== undefined) init.body = body;
  if (signal !== undefined) init.signal = signal;
  if (options.credentials !== undefined) init.credentials = options.credentials;

  try {
    const response = await sendWithRetries(options, call, () => new Request(url, init));
    return { data: await read(response, method, route, options.codecs), response };
  } catch (error) {
    // The error is a timeout only if the timeout aborted the call before the caller's signal did.
    if (timeout?.aborted && signal?.reason === timeout.reason && error === timeout.reason) {
      throw new ApiError("TIMEOUT", 0, `${method} ${url} took longer than ${timeoutMs} ms`, { cause: error });
    }
    throw error;
  }
}

/**
 * Sends a request, with retries. Returns the first response that needs no retry, or the response to the last attempt.
 */
async function sendWithRetries(
  options: ClientOptions,
  call: Call,
  request: () => Request,
): Promise<Response> {
  const retry = call.retry ?? options.retry;
  for (let attempt = 0; ; attempt++) {
    const next = request();
    const isLast = attempt >= limitOf(next.method, retry);
    let delay: number | undefined;
    try {
      const response = await runInterceptors(options, 0, next);
      if (isLast || !isRetryable(response.status)) return response;
      delay = delayOf(attempt, retry, response.headers.get("retry-after"));
      if (delay === undefined) return response;
      await response.body?.cancel();
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
