import type { App } from "@kit/core";

/** What a request has besides its method and path. */
export interface TestRequest {
  /** Names in any case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the path; lists as a repeated key, and what is undefined not at all. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`; with the header `content-type: application/json` where none is given. */
  readonly text?: string;
}

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
 * @param options - `headers` go with every request; those of a request win.
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
  options: { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<TestClient> {
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    request: (method, path, request = {}) =>
      ask(method, url + path, {
        ...request,
        headers: { ...lower(options.headers), ...lower(request.headers) },
      }),
    close: () => app.close({ delayMs: 0, graceMs: 1000 }),
  };
}

async function ask(method: string, url: string, request: TestRequest): Promise<TestAnswer> {
  const { headers, query = {}, body } = request;
  const text = request.text ?? (body === undefined ? undefined : JSON.stringify(body));
  const answer = await fetch(url + queryText(query), {
    method,
    redirect: "manual",
    headers: { ...(text === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(text === undefined ? {} : { body: text }),
  });
  const received = await answer.text();
  return { status: answer.status, headers: answer.headers, text: received, body: parsed(received) };
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

function lower(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
