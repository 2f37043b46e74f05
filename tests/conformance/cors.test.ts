// Runs every case of conformance/cors.json on every server, over real connections.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { after, before, describe, test } from "node:test";

import type { CorsOptions } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { edgeApplication, edgeColumns } from "./edge-columns.ts";
import { isRust } from "./rust.ts";

quietStdout();

/** Case of `conformance/cors.json`. The property `about` of that file explains the properties. */
interface CorsCase {
  readonly name: string;
  readonly cors: string;
  readonly request: {
    readonly method: string;
    readonly target: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly absent?: readonly string[];
  readonly vary?: readonly string[];
  readonly code?: string;
}

const { options, cases } = JSON.parse(
  readFileSync(new URL("../../conformance/cors.json", import.meta.url), "utf8"),
) as { options: Record<string, CorsOptions>; cases: CorsCase[] };

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function send(port: number, { method, target, headers }: CorsCase["request"]): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const sent = request({ port, host: "127.0.0.1", method, path: target, headers, agent: false });
  sent.on("response", (response) => {
    let body = "";
    response.setEncoding("utf8").on("data", (text: string) => (body += text));
    response.on("end", () => {
      resolve({ status: response.statusCode!, headers: response.headers, body });
      sent.destroy();
    });
  });
  sent.on("error", reject);
  // A body above the limit is refused before the client has sent any of it.
  if (headers["content-length"] === undefined) sent.end();
  else sent.flushHeaders();
  return promise;
}

/** Application that receives the requests of the cases. */
interface Target extends AsyncDisposable {
  send(request: CorsCase["request"]): Promise<Received>;
}

const columns: readonly (readonly [name: string, start: (cors: CorsOptions) => Promise<Target>])[] = [
  ...edgeColumns.map(
    ([name, serve]) =>
      [
        name,
        async (cors: CorsOptions): Promise<Target> => {
          const app = await serve({ cors });
          return {
            send: (one) => send(app.port, one),
            [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
          };
        },
      ] as const,
  ),
  ...(isRust ? [] : [["fetch", startFetch] as const]),
];

/** Starts an application without a server. */
function startFetch(cors: CorsOptions): Promise<Target> {
  const app = edgeApplication({ cors });
  return Promise.resolve({
    async send({ method, target, headers }) {
      const body = headers["content-length"] === undefined ? {} : { body: "" };
      const response = await app.fetch(
        new Request(`http://localhost${target}`, { method, headers, ...body }),
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

for (const [name, start] of columns) {
  describe(name, () => {
    for (const [optionsName, cors] of Object.entries(options)) {
      describe(`cors: ${optionsName}`, { concurrency: 8 }, () => {
        let app: Target;
        before(async () => {
          app = await start(cors);
        });
        after(() => app[Symbol.asyncDispose]());
        for (const one of cases.filter((other) => other.cors === optionsName)) {
          test(one.name, async () => {
            const { status, headers, body } = await app.send(one.request);
            assert.equal(status, one.status, body);
            for (const [header, value] of Object.entries(one.headers ?? {})) {
              assert.equal(headers[header], value, header);
            }
            for (const header of one.absent ?? []) assert.equal(headers[header], undefined, header);
            if (one.vary !== undefined) {
              const members = (headers.vary ?? "").toLowerCase().split(/, */).filter(Boolean).toSorted();
              assert.deepEqual(members, one.vary.toSorted());
            }
            if (one.code !== undefined)
              assert.equal((JSON.parse(body) as { error: { code: string } }).error.code, one.code);
          });
        }
      });
    }
  });
}

test("each case names an option in the conformance file", () => {
  for (const { name, cors } of cases) assert.ok(Object.hasOwn(options, cors), name);
});
