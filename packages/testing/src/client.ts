import type { App } from "@kit/core";

import { type Recorder, recorderOfProcess } from "./coverage/recorder.ts";
import { remember } from "./curl.ts";
import { jsonOf } from "./values/wire.ts";

/** What a request has besides its method and path. */
export interface TestRequest {
  /** Names in any case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the path; lists as a repeated key, and what is undefined not at all. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON: dates as RFC 3339, bigints as digits, bytes as base64. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`; with the header `content-type: application/json` where none is given. */
  readonly text?: string;
}

/** Headers by their names, in any case. */
export type HeaderTexts = Readonly<Record<string, string>>;

/** Headers, or a function that makes them for each request: a token that is signed when it is needed, for example. */
export type TestHeaders = HeaderTexts | (() => HeaderTexts | Promise<HeaderTexts>);

/** An answer that was read to its end. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed text where it is JSON, else `undefined`. */
  readonly body: unknown;
}

/** An application that runs for tests, on a port of its own. */
export interface TestClient {
  /** `http://127.0.0.1:40123`. */
  readonly url: string;
  /**
   * Asks the application.
   *
   * @param path - As it stands in a URL, escapes included: `/notes/a%20b`.
   */
  request(method: string, path: string, request?: TestRequest): Promise<TestAnswer>;
  /** Closes the application. */
  close(): Promise<void>;
}

/**
 * Starts an application on a free port of this machine and gives a client for it.
 *
 * @param options - `headers` go with every request; those of a request win. A function is called for each request.
 * @example
 * ```ts
 * const client = await createTestClient(app, { headers: { authorization: "Bearer ada:user" } });
 * const { status, body } = await client.request("POST", "/notes", { body: { title: "Groceries" } });
 * await client.close();
 * ```
 * @throws What `app.listen` throws: an application that listens already cannot be started again.
 */
export async function createTestClient(
  app: Pick<App, "listen" | "close">,
  options: { readonly headers?: TestHeaders } = {},
): Promise<TestClient> {
  const recorder = await recorderOfProcess();
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    request: async (method, path, request = {}) => {
      const headers = { ...(await headerTexts(options.headers)), ...(await headerTexts(request.headers)) };
      return ask({ method, url, path, recorder }, { ...request, headers });
    },
    close: () => app.close({ delayMs: 0, graceMs: 1000 }),
  };
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly recorder: Recorder | undefined;
}

async function ask({ method, url, path, recorder }: Asked, request: TestRequest): Promise<TestAnswer> {
  const { query = {}, body } = request;
  const text = request.text ?? (body === undefined ? undefined : jsonOf(body));
  const target = path + queryText(query);
  const headers = {
    ...(text === undefined ? {} : { "content-type": "application/json" }),
    ...request.headers,
  };
  const content = text === undefined ? {} : { body: text };
  const response = await fetch(url + target, { method, redirect: "manual", headers, ...content });
  const received = await response.text();
  const answer: TestAnswer = {
    status: response.status,
    headers: response.headers,
    text: received,
    body: parsed(received),
  };
  const sent = { method, target, headers, ...(text === undefined ? {} : { text }) };
  remember(answer, sent);
  recorder?.add(sent, answer);
  return answer;
}

/** `?page=2&tag=a&tag=b`, or nothing. */
export function queryText(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? (value as unknown[]) : [value];
    return values
      .filter((item) => item !== undefined)
      .map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`);
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/**
 * Returns headers by their names in lower case. A function is called.
 *
 * @throws {TypeError} if a value is no text: `fetch` would send `undefined` as a word.
 */
export async function headerTexts(headers: TestHeaders = {}): Promise<HeaderTexts> {
  const made: unknown = typeof headers === "function" ? await headers() : headers;
  if (typeof made !== "object" || made === null) {
    throw new TypeError(`The function that makes headers returned ${String(made)} and no object`);
  }
  const entries = Object.entries(made).map(([name, value]: [string, unknown]) => {
    if (typeof value === "string") return [name.toLowerCase(), value] as const;
    throw new TypeError(`The header \`${name}\` of a test is ${String(value)} and no text`);
  });
  return Object.fromEntries(entries);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
