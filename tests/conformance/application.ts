import { Readable } from "node:stream";

import { type AppOptions, createApp, type RequestContext } from "@kit/core";
import type { CompiledRoute, ServerAdapter, TlsOptions } from "@kit/types";

import {
  compiled,
  objectOf,
  paramsOf,
  queryOf,
  responseOf,
  route,
} from "../../packages/core/test/support/compiled.ts";

/** Application that listens on a port. */
export interface Served extends AsyncDisposable {
  readonly port: number;
}

interface Input {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly ctx: RequestContext & { readonly order?: string };
}

const file = responseOf("File", { route: "string", value: "string?" });
const value = responseOf("Value", { value: "string" });
const number = responseOf("Number", { number: "number" });
const text = objectOf("Text", { text: "string" });

/** Creates a route behind the global middleware. `ref` is its method and path. */
function on(ref: string, parts: Parameters<typeof route>[1] = {}): CompiledRoute {
  return route(ref, { middleware: ["global5", "global9"], ...parts });
}

const program = compiled(
  on("GET /files/upload", { response: file }),
  on("GET /files/:name", { params: paramsOf("Name", { name: "string" }), response: file }),
  on("PUT /files/:name", { response: file }),
  on("GET /assets/logo", { response: value }),
  on("GET /assets/*path", { params: paramsOf("Path", { path: "string" }), response: value }),
  on("GET /raw/:top/*path", {
    params: paramsOf("RawPath", { top: "string", path: "string" }),
    response: value,
  }),
  on("GET /numbers/:id", {
    params: paramsOf("Id", { id: "number" }),
    response: number,
    lifecycle: {
      deprecation: "@1767225600",
      sunset: "Thu, 31 Dec 2026 00:00:00 GMT",
      link: '</v2/numbers>; rel="successor-version"',
    },
  }),
  on("GET /search", {
    query: queryOf("Search", { page: "number?" }),
    response: responseOf("Page", { page: "number" }),
  }),
  on("POST /notes", { body: text, response: responseOf("Text", { text: "string" }) }),
  on("DELETE /things/:id"),
  on("GET /headers", { response: value }),
  on("GET /header", { response: value }),
  on("GET /host", { response: value }),
  on("GET /sniffed", { response: value }),
  on("GET /split", { response: value }),
  on("GET /fail", { response: value }),
  on("GET /bug", { response: value }),
  on("GET /reject", { response: value }),
  on("GET /slow", { response: value }),
  on("GET /endless", { response: value }),
  on("GET /text"),
  on("GET /bytes"),
  on("GET /stream"),
  on("GET /stream/:kind", { params: paramsOf("Kind", { kind: "string" }) }),
  on("GET /order", {
    response: responseOf("Order", { order: "string" }),
    middleware: ["global5", "group7", "global9"],
  }),
  on("GET /guarded/:id", {
    params: paramsOf("Id", { id: "number" }),
    response: number,
    middleware: ["global5", "auth", "global9"],
  }),
);

async function* pieces(): AsyncGenerator<string | Uint8Array> {
  yield "a, ";
  await new Promise((resolve) => setTimeout(resolve, 5));
  yield Buffer.from("ä, ");
  yield "€";
}

async function* failing(begin: string): AsyncGenerator<string> {
  yield begin;
  await new Promise((resolve) => setTimeout(resolve, 5));
  throw new Error("secret");
}

const large = Buffer.alloc(64 * 1024, "abcdefg\n");

function* repeated(): Generator<Uint8Array> {
  for (let count = 0; count < 64; count += 1) yield large;
}

/** Bodies that are streams, by the name in the path. */
const streams: Readonly<Record<string, (ctx: RequestContext) => unknown>> = {
  sized: (ctx) => ctx.send(pieces(), { contentType: "text/plain", length: 10 }),
  short: (ctx) => ctx.send(pieces(), { length: 11 }),
  long: (ctx) => ctx.send(pieces(), { length: 9 }),
  empty: (ctx) => ctx.send(Readable.from([])),
  nothing: (ctx) => ctx.status(204).send(pieces()),
  failing: (ctx) => ctx.send(failing("a part")),
  broken: (ctx) => ctx.send(failing("")),
  large: (ctx) => ctx.send(Readable.from(repeated())),
  web: (ctx) => ctx.send(ReadableStream.from(pieces())),
  split: (ctx) => ctx.header("x-own", "1\r\nx-split: 2").send(pieces()),
};

/** Codes of the reasons for which requests to `GET /endless` were aborted. */
export const aborted: string[] = [];

const handlers = {
  "GET /text": ({ ctx }: Input) => ctx.send("ä€"),
  "GET /bytes": ({ ctx }: Input) => ctx.send(new Uint8Array([0, 255, 128, 13, 10])),
  "GET /stream": ({ ctx }: Input) => {
    ctx.header("x-own", "a");
    ctx.header("set-cookie", ["a=1", "b=2"]);
    return ctx.status(202).send(pieces(), { contentType: "text/csv; charset=utf-8" });
  },
  "GET /stream/:kind": ({ params, ctx }: Input) => streams[params["kind"] as string]!(ctx),
  "GET /files/upload": () => ({ route: "upload" }),
  "GET /files/:name": ({ params }: Input) => ({ route: "file", value: params["name"], secret: "inside" }),
  "PUT /files/:name": () => ({ route: "put" }),
  "GET /assets/logo": () => ({ value: "static" }),
  "GET /assets/*path": async ({ params }: Input) => ({ value: params["path"] }),
  "GET /raw/:top/*path": ({ params, ctx }: Input) => ({
    value: `${params["path"]} ${ctx.rawWildcard}`,
  }),
  "GET /numbers/:id": ({ params }: Input) => ({ number: params["id"] }),
  "GET /search": ({ query }: Input) => ({ page: query["page"] ?? 1 }),
  "POST /notes": async ({ body }: Input) => body,
  "DELETE /things/:id": () => undefined,
  "GET /headers": ({ ctx }: Input) => {
    ctx.status(202);
    ctx.header("x-own", ["a", "b"]);
    ctx.header("set-cookie", ["a=1", "b=2"]);
    ctx.header("content-type", "application/vnd.own+json");
    return { value: "set" };
  },
  "GET /header": ({ ctx }: Input) => ({ value: ctx.headers["x-own"] ?? "" }),
  "GET /host": ({ ctx }: Input) => ({ value: ctx.headers["host"] ?? "" }),
  "GET /sniffed": ({ ctx }: Input) => {
    ctx.header("x-content-type-options", "own");
    return { value: "set" };
  },
  "GET /split": ({ ctx }: Input) => {
    ctx.header("x-own", "1\r\nx-split: 2");
    return { value: "never" };
  },
  "GET /fail": ({ ctx }: Input) => ctx.fail(409, "TAKEN", "Taken", { by: "a" }),
  "GET /bug": () => {
    throw new TypeError("secret");
  },
  "GET /reject": () => Promise.reject(new Error("secret")),
  // Waits until the request is aborted, and then records the code of the reason.
  "GET /endless": ({ ctx }: Input) =>
    new Promise((_resolve, reject) => {
      ctx.signal.addEventListener("abort", () => {
        aborted.push((ctx.signal.reason as { code: string }).code);
        reject(ctx.signal.reason as Error);
      });
    }),
  "GET /slow": async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return { value: "slow" };
  },
};

/** Creates middleware that appends its own name to `ctx.order`. */
function noting(name: string): (input: { ctx: RequestContext & { order?: string } }) => { order: string } {
  return ({ ctx }) => ({ order: ctx.order === undefined ? name : `${ctx.order} ${name}` });
}

/** Starts an application with the routes that the cases of `conformance/http.json` need. */
export async function serve(
  server: ServerAdapter,
  bodyLimit: number,
  more: Pick<AppOptions, "plugins" | "requestTimeoutMs"> = {},
  tls?: TlsOptions,
): Promise<Served> {
  const app = createApp({ ...optionsOf(bodyLimit), ...more, server });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1", ...(tls !== undefined && { tls }) });
  return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}

/** Returns the options of the application, without a server. */
export function optionsOf(bodyLimit: number): AppOptions {
  return {
    env: "production",
    signals: false,
    compiled: program,
    limits: { bodyBytes: bodyLimit },
    logging: { level: "fatal" },
    middleware: [
      { name: "global9", middleware: noting("global9"), priority: 9 },
      { name: "global5", middleware: noting("global5"), priority: 5 },
    ],
    routes: [
      { handlers },
      {
        handlers: { "GET /order": ({ ctx }: Input) => ({ order: ctx.order }) },
        middleware: [{ name: "group7", middleware: noting("group7"), priority: 7 }],
      },
      {
        handlers: { "GET /guarded/:id": ({ params }: Input) => ({ number: params["id"] }) },
        middleware: [
          {
            name: "auth",
            middleware: ({
              headers,
              ctx,
            }: {
              headers: Readonly<Record<string, string | undefined>>;
              ctx: RequestContext;
            }) =>
              headers["authorization"] === undefined
                ? ctx.fail(401, "UNAUTHORIZED", "Who are you?")
                : undefined,
            priority: 6,
          },
        ],
      },
    ],
  };
}
