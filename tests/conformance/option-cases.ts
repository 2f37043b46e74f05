// Runs cases of options such as `compression` and `etag` on every server, over real connections, and with `app.fetch`.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

import type { App } from "@kit/core";

import { edgeApplication, edgeColumns, type EdgeOptions, textOf } from "./edge-columns.ts";
import { isRust } from "./rust.ts";

/** Request of a case. */
export interface CaseRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Case of a file in `conformance/`. The property `about` of the file explains the properties. */
export interface EdgeCase {
  readonly name: string;
  readonly request: CaseRequest;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly absent?: readonly string[];
  readonly vary?: readonly string[];
  readonly size?: number;
  readonly code?: string;
  /** Body as it is sent, without decoding. */
  readonly text?: string;
  /** Parts of a multipart body: content-range and text. */
  readonly parts?: readonly (readonly [range: string, text: string])[];
  /** True if `Request` of the Fetch standard would change the target. */
  readonly raw?: boolean;
}

/** Response to a case. */
export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Application that receives the requests of the cases. */
interface Target extends AsyncDisposable {
  send(request: CaseRequest): Promise<Received>;
}

/** Reads a file in `conformance/`. */
export function readConformance<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../conformance/${name}`, import.meta.url), "utf8")) as T;
}

/** Sends a request and returns the response when its head has arrived. */
export async function open(port: number, { method, target, headers }: CaseRequest): Promise<IncomingMessage> {
  const sent = request({ port, host: "127.0.0.1", method, path: target, headers, agent: false });
  // A body above the limit is refused before the client has sent any of it.
  if (headers["content-length"] === undefined) sent.end();
  else sent.flushHeaders();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}

/** Sends a request and returns the complete response. */
export async function send(port: number, one: CaseRequest): Promise<Received> {
  const response = await open(port, one);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  response.destroy();
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Passes a request to an application without a server. */
export async function fetched(
  app: Pick<App, "fetch">,
  { method, target, headers }: CaseRequest,
): Promise<Received> {
  const body = headers["content-length"] === undefined ? {} : { body: "" };
  const response = await app.fetch(new Request(`http://localhost${target}`, { method, headers, ...body }));
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** Starts an application without a server. */
function startFetch(options: EdgeOptions): Promise<Target> {
  const app = edgeApplication(options);
  return Promise.resolve({
    send: (one) => fetched(app, one),
    [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }),
  });
}

const targets: readonly (readonly [name: string, start: (options: EdgeOptions) => Promise<Target>])[] = [
  ...edgeColumns.map(
    ([name, serve]) =>
      [
        name,
        async (options: EdgeOptions): Promise<Target> => {
          const app = await serve(options);
          return {
            send: (one) => send(app.port, one),
            [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
          };
        },
      ] as const,
  ),
  ...(isRust ? [] : [["fetch", startFetch] as const]),
];

function decode(body: Buffer, coding: string | undefined): Buffer {
  if (body.length === 0) return body;
  if (coding === "br") return brotliDecompressSync(body);
  return coding === "gzip" ? gunzipSync(body) : body;
}

/**
 * Registers a test for each case, server and value of the option. `options` are the values by their names, and `cases`
 * has the cases of each name.
 */
export function testEdgeCases<TValue>(
  option: keyof EdgeOptions,
  options: Readonly<Record<string, TValue>>,
  cases: readonly EdgeCase[],
): void {
  const nameOf = (one: EdgeCase): string => (one as unknown as Record<string, string>)[option]!;
  for (const [server, start] of targets) {
    describe(server, () => {
      for (const [name, value] of Object.entries(options)) {
        describe(`${option}: ${name}`, { concurrency: 8 }, () => {
          let app: Target;
          before(async () => {
            app = await start({ [option]: value });
          });
          after(() => app[Symbol.asyncDispose]());
          for (const one of cases.filter((other) => nameOf(other) === name)) {
            const skip = one.raw === true && server === "fetch";
            test(one.name, { skip }, async () => check(one, await app.send(one.request)));
          }
        });
      }
    });
  }
  test("each case names an option in the conformance file", () => {
    for (const one of cases) assert.ok(Object.hasOwn(options, nameOf(one)), one.name);
  });
}

/** Reads a body of the type multipart/byteranges (RFC 9110, 14.6). */
function partsOf(body: Buffer, contentType: string): [range: string, text: string][] {
  const boundary = /^multipart\/byteranges; boundary=([0-9a-f]{32})$/.exec(contentType)?.[1];
  assert.ok(boundary !== undefined, contentType);
  const pieces = body.toString().split(`\r\n--${boundary}`);
  assert.equal(pieces.shift(), "");
  assert.equal(pieces.pop(), "--\r\n");
  return pieces.map((piece) => {
    const [head = "", text = ""] = piece.split("\r\n\r\n");
    const range = /^\r\ncontent-type: [^\r]+\r\ncontent-range: ([^\r]+)$/.exec(head)?.[1];
    assert.ok(range !== undefined, head);
    return [range, text];
  });
}

/** Checks a response against its case. */
export function check(one: EdgeCase, { status, headers, body }: Received): void {
  assert.equal(status, one.status, body.toString());
  for (const [header, value] of Object.entries(one.headers ?? {}))
    assert.equal(headers[header], value, header);
  for (const header of one.absent ?? []) assert.equal(headers[header], undefined, header);
  if (one.vary !== undefined) {
    const members = (headers.vary ?? "").toLowerCase().split(/, */).filter(Boolean).toSorted();
    assert.deepEqual(members, one.vary.toSorted());
  }
  if (one.request.method === "HEAD" || status === 204 || status === 304) {
    assert.equal(body.length, 0);
    return;
  }
  const length = headers["content-length"];
  if (length !== undefined) assert.equal(length, `${body.length}`, "content-length");
  if (one.text !== undefined) assert.equal(body.toString(), one.text);
  if (one.parts !== undefined) assert.deepEqual(partsOf(body, headers["content-type"] ?? ""), one.parts);
  if (one.size === undefined && one.code === undefined) return;
  const text = decode(body, headers["content-encoding"]).toString();
  if (one.size !== undefined) assert.equal(text, textOf(one.size));
  if (one.code !== undefined)
    assert.equal((JSON.parse(text) as { error: { code: string } }).error.code, one.code);
}
