// Sends the cases of the options `cors`, `securityHeaders` and `errors` to every server, over real connections, and to
// `app.fetch`.

import assert from "node:assert/strict";
import { type IncomingHttpHeaders, request } from "node:http";

import { edgeApplication, edgeColumns, type EdgeOptions } from "./edge-columns.ts";
import { readResponses, sendBytes } from "./raw-client.ts";
import { isRust } from "./rust.ts";

/** Request of a case. */
export interface CaseRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Part of a case that says what is sent: a request, or bytes that are no valid request. */
export interface SentCase {
  readonly request?: CaseRequest;
  readonly raw?: string;
}

/** Response that a case received. */
export interface Received {
  readonly status: number;
  /** A header that occurs several times has all its values, joined by `, `. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Application that receives the cases. */
export interface Target extends AsyncDisposable {
  send(one: SentCase): Promise<Received>;
}

function send(port: number, { method, target, headers, body }: CaseRequest): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const sent = request({ port, host: "127.0.0.1", method, path: target, headers, agent: false });
  sent.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    response.on("end", () => {
      resolve({ status: response.statusCode!, headers: response.headers, body: text });
      sent.destroy();
    });
  });
  sent.on("error", reject);
  // A body above the limit is refused before the client has sent any of it.
  if (headers["content-length"] === undefined) sent.end(body);
  else sent.flushHeaders();
  return promise;
}

async function sendRaw(port: number, raw: string): Promise<Received> {
  const bytes = Buffer.from(raw.replace(/\{(\d+)\}/, (_, count) => "a".repeat(Number(count))));
  const [response] = readResponses(await sendBytes(port, bytes, 10_000));
  assert.ok(response !== undefined, "the server sent no response");
  const headers: Record<string, string> = {};
  for (const line of response.head.trimEnd().split("\r\n").slice(1)) {
    const [name = "", value = ""] = line.split(/: (.*)/);
    const earlier = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = earlier === undefined ? value : `${earlier}, ${value}`;
  }
  return { status: response.status, headers, body: response.body };
}

/** Returns true if `Request` of the Fetch standard can express the case. */
function canFetch({ request: sent, raw }: SentCase): boolean {
  return raw === undefined && sent!.target.startsWith("/") && sent!.headers["content-length"] === undefined;
}

/** Starts an application without a server. */
function startFetch(edge: EdgeOptions): Promise<Target> {
  const app = edgeApplication(edge);
  return Promise.resolve({
    async send({ request: sent }) {
      const { method, target, headers, body } = sent!;
      const response = await app.fetch(
        new Request(`http://localhost${target}`, { method, headers, ...(body !== undefined && { body }) }),
      );
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    },
    [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }),
  });
}

/** Server, or `app.fetch`, that runs the cases. */
interface Column {
  readonly name: string;
  readonly start: (edge: EdgeOptions) => Promise<Target>;
  /** Returns true if a case can be sent to this server. */
  readonly canSend: (one: SentCase) => boolean;
}

/** Servers that this run tests, and `app.fetch`. */
export const targets: readonly Column[] = [
  ...edgeColumns.map(([name, serve]) => ({
    name,
    canSend: () => true,
    start: async (edge: EdgeOptions): Promise<Target> => {
      const app = await serve(edge);
      return {
        send: (one) => (one.raw === undefined ? send(app.port, one.request!) : sendRaw(app.port, one.raw)),
        [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
      };
    },
  })),
  ...(isRust ? [] : [{ name: "fetch", start: startFetch, canSend: canFetch }]),
];
