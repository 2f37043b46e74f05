// Runs every case of conformance/security-headers.json on every server, over real connections.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { after, before, describe, test } from "node:test";

import type { AppOptions } from "@kit/core";

import { securityHeaders } from "../../packages/core/src/edge/security-headers.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { edgeApplication, edgeColumns, type EdgeOptions } from "./edge-columns.ts";
import { readResponses, sendBytes } from "./raw-client.ts";
import { isRust } from "./rust.ts";

quietStdout();

interface CaseRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Headers by name. `null` if a response must not have the header. */
type Expected = Readonly<Record<string, string | null>>;

/** Case of `conformance/security-headers.json`. The property `about` of that file explains the properties. */
interface Case {
  readonly name: string;
  readonly option: string;
  readonly request?: CaseRequest;
  readonly raw?: string;
  readonly status: number;
  readonly headers?: Expected;
  readonly code?: string;
}

interface Option {
  readonly value: NonNullable<AppOptions["securityHeaders"]>;
  readonly headers: Expected;
}

const { defaults, options, cases } = JSON.parse(
  readFileSync(new URL("../../conformance/security-headers.json", import.meta.url), "utf8"),
) as {
  defaults: { option: string; name: string; value: string | null }[];
  options: Record<string, Option>;
  cases: Case[];
};

const cors = { origins: ["https://app.example.com"] };

interface Received {
  readonly status: number;
  /** A header that occurs several times has all its values, joined by `, `. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Application that receives the cases. */
interface Target extends AsyncDisposable {
  send(one: Case): Promise<Received>;
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
  const bytes = Buffer.from(raw.replace("{20000}", "a".repeat(20_000)));
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
function canFetch({ request: sent, raw }: Case): boolean {
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

interface Column {
  readonly name: string;
  readonly start: (edge: EdgeOptions) => Promise<Target>;
  readonly cases: readonly Case[];
}

const columns: readonly Column[] = [
  ...edgeColumns.map(([name, serve]) => ({
    name,
    cases,
    start: async (edge: EdgeOptions): Promise<Target> => {
      const app = await serve(edge);
      return {
        send: (one) => (one.raw === undefined ? send(app.port, one.request!) : sendRaw(app.port, one.raw)),
        [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
      };
    },
  })),
  ...(isRust ? [] : [{ name: "fetch", start: startFetch, cases: cases.filter(canFetch) }]),
];

for (const { name, start, cases: own } of columns) {
  describe(name, { concurrency: 2 }, () => {
    for (const [optionName, option] of Object.entries(options)) {
      describe(`securityHeaders: ${optionName}`, { concurrency: 8 }, () => {
        let app: Target;
        before(async () => {
          app = await start({ cors, securityHeaders: option.value });
        });
        after(() => app[Symbol.asyncDispose]());
        for (const one of own.filter((other) => other.option === optionName)) {
          test(one.name, async () => {
            const { status, headers, body } = await app.send(one);
            assert.equal(status, one.status, body);
            const expected: Expected = {
              "x-content-type-options": "nosniff",
              ...option.headers,
              ...one.headers,
            };
            const received = Object.keys(expected).map((header) => [header, headers[header] ?? null]);
            assert.deepEqual(Object.fromEntries(received), expected);
            if (one.code !== undefined)
              assert.equal((JSON.parse(body) as { error: { code: string } }).error.code, one.code);
          });
        }
      });
    }
  });
}

test("each case names an option of the file", () => {
  for (const { name, option } of cases) assert.ok(Object.hasOwn(options, option), name);
});

test("the headers and their defaults are those of the file", () => {
  const own = Object.entries(securityHeaders).map(([option, { name, value }]) => ({ option, name, value }));
  assert.deepEqual(own, defaults);
});
