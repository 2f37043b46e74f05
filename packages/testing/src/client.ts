import type { App } from "@kit/core";

import { type Recorder, recorderOfProcess } from "./coverage/recorder.ts";
import {
  type CookieValues,
  type HeaderTexts,
  type HeaderValues,
  resolveHeaders,
  type TestHeaders,
  withCookies,
} from "./header-texts.ts";
import { remember, type TestResponse } from "./test-response.ts";
import { openTestSocket, type TestSocket } from "./test-socket.ts";
import { subprotocolHeader } from "./web-socket.ts";
import { jsonOf } from "./values/wire.ts";

/** Options of one test request, besides its method and path. */
export interface TestRequest {
  /** Request headers. Names are case-insensitive. The items of a list are joined by commas. */
  readonly headers?: HeaderValues;
  /**
   * False to leave out the headers of the client, such as its credentials. Default true.
   *
   * @example
   * ```ts
   * const { status } = await client.request("GET", "/notes", { defaultHeaders: false });
   * assert.equal(status, 401);
   * ```
   */
  readonly defaultHeaders?: boolean;
  /** Cookies by name, which are added to the header `cookie`. */
  readonly cookies?: CookieValues;
  /**
   * Query parameters, which are added to the path. A list is sent as a repeated key: `tag=a&tag=b`. A `Date` is sent as an RFC 3339 string
   * in UTC. A parameter that is `undefined` is not sent.
   */
  readonly query?: Readonly<Record<string, unknown>>;
  /**
   * Body, sent as JSON: dates as RFC 3339 strings, bigints as digits, bytes as base64. `FormData`, `URLSearchParams` and
   * `Blob` are sent unchanged, and a `Uint8Array` if the request has the header `content-type`.
   */
  readonly body?: unknown;
  /** Raw text that is sent unchanged in place of `body`. The default `content-type` is `application/json`. */
  readonly text?: string;
  /** Milliseconds after which the client ends a response that has not ended, such as events. No limit by default. */
  readonly readMs?: number;
}

/** Client of an application that runs on its own port for tests. */
export interface TestClient {
  /** Origin of the application, for example `http://127.0.0.1:40123`. */
  readonly url: string;
  /**
   * Sends a request to the application and reads the complete response. Redirects are not followed.
   *
   * @param path - The path as in a URL, with percent escapes: `/notes/a%20b`.
   */
  request(method: string, path: string, request?: TestRequest): Promise<TestResponse>;
  /**
   * Opens a WebSocket to the application.
   *
   * @param path - The path as in a URL, with percent escapes: `/rooms/a%20b`.
   * @throws {HandshakeError} If the application refuses the handshake. The error has the response.
   */
  socket(
    path: string,
    request?: Pick<TestRequest, "headers" | "cookies" | "query" | "defaultHeaders"> &
      SocketOffer & {
        /** True to receive text as it arrives, for routes that send `Text`. Default false: text is parsed as JSON. */
        readonly plainText?: boolean;
      },
  ): Promise<TestSocket<unknown, unknown>>;
  /** Closes the application. */
  close(): Promise<void>;
}

/** Subprotocols that a test offers with a WebSocket. */
export interface SocketOffer {
  /** Names, the preferred one first. Default: those of the header `sec-websocket-protocol`, or none. */
  readonly protocols?: readonly string[];
}

function withOffer(headers: HeaderTexts, protocols: readonly string[] | undefined): HeaderTexts {
  if (protocols === undefined) return headers;
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== subprotocolHeader);
  const offer = protocols.length === 0 ? [] : [[subprotocolHeader, protocols.join(", ")] as const];
  return Object.fromEntries([...others, ...offer]);
}

/**
 * Starts an application on a free port of 127.0.0.1 and returns a client for it.
 *
 * @param options - `headers` are sent with every request, and the headers of a request override them. A function that returns them is called
 * for each request.
 * @example
 * ```ts
 * const client = await createTestClient(app, { headers: { authorization: "Bearer ada:user" } });
 * const { status, body } = await client.request("POST", "/notes", { body: { title: "Groceries" } });
 * await client.close();
 * ```
 * @throws The errors of `app.listen`, for example if the application listens already.
 */
export async function createTestClient(
  app: Pick<App, "listen" | "close">,
  options: { readonly headers?: TestHeaders } = {},
): Promise<TestClient> {
  const recorder = await recorderOfProcess();
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${port}`;
  const headersOf = async (request: TestRequest): Promise<HeaderTexts> => {
    const given = {
      ...(request.defaultHeaders === false ? {} : await resolveHeaders(options.headers)),
      ...(await resolveHeaders(request.headers)),
    };
    return withCookies(given, request.cookies);
  };
  return {
    url,
    socket: async (path, request = {}) => {
      const headers = withOffer(await headersOf(request), request.protocols);
      return openTestSocket(url, path + queryText(request.query ?? {}), headers, request.plainText);
    },
    request: async (method, path, request = {}) => {
      const headers = await headersOf(request);
      return sendRequest({ method, url, path, recorder }, { ...request, headers });
    },
    close: () => app.close({ delayMs: 0, graceMs: 1000 }),
  };
}

interface PendingRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly recorder: Recorder | undefined;
}

async function sendRequest(
  { method, url, path, recorder }: PendingRequest,
  request: TestRequest & { readonly headers: HeaderTexts },
): Promise<TestResponse> {
  const { query = {}, body } = request;
  const unchanged = request.text === undefined ? unchangedBody(body, request.headers) : undefined;
  const json = body === undefined || unchanged !== undefined ? undefined : jsonOf(body);
  const text = request.text ?? json;
  const target = path + queryText(query);
  const headers = {
    ...(text === undefined ? {} : { "content-type": "application/json" }),
    ...request.headers,
  };
  const sent = unchanged ?? text;
  const content = sent === undefined ? {} : { body: sent };
  const response = await fetch(url + target, { method, redirect: "manual", headers, ...content });
  const bytes = await bytesOf(response, request.readMs).catch((cause: unknown) => {
    const what = `the response ${response.status} of ${method} ${target} broke off`;
    throw new Error(`${what}; the log of the application says why`, { cause });
  });
  const received = new TextDecoder().decode(bytes);
  const answer: TestResponse = {
    status: response.status,
    headers: response.headers,
    bytes,
    text: received,
    body: parsed(received),
  };
  remember(answer, { method, target, headers, ...(text === undefined ? {} : { text }) });
  recorder?.add(
    { method, target, headers: withType(headers, unchanged), ...(text === undefined ? {} : { body: text }) },
    answer,
  );
  return answer;
}

/** Returns a body that is sent unchanged. `undefined` if the body is sent as JSON. */
function unchangedBody(body: unknown, headers: HeaderTexts): NonNullable<RequestInit["body"]> | undefined {
  if (body instanceof FormData || body instanceof URLSearchParams || body instanceof Blob) return body;
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return body instanceof Uint8Array && hasType ? new Uint8Array(body) : undefined;
}

/** Returns headers with the content type that `fetch` sets for a body. */
function withType(headers: HeaderTexts, body: RequestInit["body"]): HeaderTexts {
  const type =
    body instanceof FormData
      ? "multipart/form-data"
      : body instanceof URLSearchParams
        ? "application/x-www-form-urlencoded"
        : "";
  return type === "" || "content-type" in headers ? headers : { ...headers, "content-type": type };
}

async function bytesOf({ body }: Response, readMs: number | undefined): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const chunks: Uint8Array[] = [];
  const end = (): void => void reader.cancel().catch(() => {});
  const timer = readMs === undefined ? undefined : setTimeout(end, readMs);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
  } finally {
    clearTimeout(timer);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Returns the query of a URL with its question mark, such as `?page=2&tag=a&tag=b`, or an empty string if no value is sent. */
export function queryText(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? (value as unknown[]) : [value];
    return values
      .filter((item) => item !== undefined)
      .map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(item))}`);
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** Returns the text of a value in a query. An invalid value stays invalid. */
function textOf(value: unknown): string {
  const isTime = value instanceof Date && !Number.isNaN(value.getTime());
  return isTime ? value.toISOString() : String(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
