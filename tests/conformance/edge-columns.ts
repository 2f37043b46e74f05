// Application for the tests of options such as `cors` and `compression`, on every server.
// `rust-server/src/bin/edge.rs` has the same routes.

import { Readable } from "node:stream";

import {
  type App,
  type AppOptions,
  createApp,
  defineErrorFormat,
  defineHandlers,
  type ErrorFormat,
  type RequestContext,
} from "@kit/core";
import { AppError } from "@kit/errors";
import type { ServerAdapter } from "@kit/types";

import { readSecurityHeaders } from "../../packages/core/src/app/security-headers-option.ts";
import {
  compiled,
  objectOf,
  paramsOf,
  responseOf,
  route,
} from "../../packages/core/test/support/compiled.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

const bodyBytes = 64 * 1024;
/** Times after which the servers refuse a request: long enough for all requests of a busy machine that should succeed. */
const [requestTimeoutMs, headersTimeoutMs] = [2000, 2000];

const note = responseOf("Note", { title: "string" });
const answer = paramsOf("Answer", { status: "number", port: "number" });
const program = compiled(
  route("GET /notes", { response: note }),
  route("POST /notes", { body: objectOf("OneText", { text: "string" }), response: note }),
  route("GET /files/:name", { params: paramsOf("Name", { name: "string" }), response: note }),
  route("GET /vary", { response: note }),
  route("GET /fail", { response: note }),
  route("GET /bug", { response: note }),
  route("OPTIONS /own", { response: note }),
  route("GET /policy", { response: note }),
  route("GET /stream"),
  route("GET /slow", { response: note }),
  route("GET /reset/:token", { params: paramsOf("Token", { token: "string" }), response: note }),
  route("GET /sized/:bytes", { params: paramsOf("Sized", { bytes: "number" }) }),
  route("POST /sized/:bytes", { params: paramsOf("Sized", { bytes: "number" }) }),
  route("GET /received", { response: note }),
  route("PUT /received", { response: note }),
  route("PATCH /received", { response: note }),
  route("DELETE /received", { response: note }),
  route("GET /answer/:status/:port", { params: answer }),
  route("POST /answer/:status/:port", { params: answer }),
);

interface Input {
  readonly ctx: RequestContext;
}

/** Returns the text of a body of this length. */
export function textOf(bytes: number): string {
  return "abcdefghij".repeat(Math.ceil(bytes / 10)).slice(0, bytes);
}

/**
 * Responds with a text of the length in the path. Headers of the request choose the status (`x-status`), headers
 * (`x-headers`, as JSON) and content type (`x-type`) of the response. `x-stream` sends the text in chunks: `yes`,
 * `length` with a known length, `open` without an end.
 */
function sized({ ctx, params: { bytes } }: Input & { params: { bytes: number } }): unknown {
  const { "x-status": status, "x-headers": headers, "x-type": contentType, "x-stream": stream } = ctx.headers;
  if (status !== undefined) ctx.status(Number(status));
  const given = JSON.parse(headers ?? "{}") as Record<string, string>;
  for (const [name, value] of Object.entries(given)) ctx.header(name, value);
  const type = { contentType: contentType ?? "text/plain; charset=utf-8" };
  const text = textOf(bytes);
  if (stream === undefined) return ctx.send(text, type);
  const chunks = async function* (): AsyncGenerator<string> {
    for (let start = 0; start < bytes; start += 1000) yield text.slice(start, start + 1000);
    if (stream === "open") await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
  };
  return ctx.send(chunks(), stream === "length" ? { ...type, length: bytes } : type);
}

/** Responds with the headers of the request, as JSON in the title of a note. */
function received({ ctx }: Input): unknown {
  return { title: JSON.stringify(ctx.headers) };
}

/** Responds with the status in the path. A port other than 0 redirects to `/received` on this port. */
function answered({ ctx, params }: Input & { params: { status: number; port: number } }): unknown {
  ctx.status(params.status);
  if (params.port !== 0) ctx.header("location", `http://127.0.0.1:${params.port}/received`);
  return ctx.send("answered", { contentType: "text/plain; charset=utf-8" });
}

const handlers = {
  "GET /notes": ({ ctx }: Input) => {
    ctx.header("x-total", "1");
    return { title: "a" };
  },
  "POST /notes": ({ ctx }: Input) => {
    ctx.header("x-total", "1");
    return { title: "a" };
  },
  "GET /files/:name": () => ({ title: "a" }),
  "GET /vary": ({ ctx }: Input) => {
    ctx.header("vary", "Accept").header("access-control-allow-origin", "https://own.example");
    return { title: "a" };
  },
  "GET /fail": () => {
    throw new AppError("TAKEN", 409, "The title is taken");
  },
  "GET /bug": () => {
    throw new Error("a bug");
  },
  "OPTIONS /own": ({ ctx }: Input) => {
    ctx.header("x-own", "handled");
    return { title: "a" };
  },
  "GET /policy": ({ ctx }: Input) => {
    ctx.header("Content-Security-Policy", "default-src 'self'");
    return { title: "a" };
  },
  "GET /stream": ({ ctx }: Input) => ctx.send(Readable.from([Buffer.from("a"), Buffer.from("b")])),
  "GET /slow": () => new Promise(() => undefined),
  "GET /reset/:token": () => ({ title: "a" }),
  "GET /sized/:bytes": sized,
  "POST /sized/:bytes": sized,
  "GET /received": received,
  "PUT /received": received,
  "PATCH /received": received,
  "DELETE /received": received,
  "GET /answer/:status/:port": answered,
  "POST /answer/:status/:port": answered,
};

/** Error body of the format `own` in `conformance/error-formats.json`. */
interface OwnError {
  readonly failed: {
    readonly kind: string;
    readonly text: string;
    readonly invalid: readonly string[];
    readonly request: string;
  };
  readonly status: number;
}

/** Format `own` in `conformance/error-formats.json`. */
export const ownFormat: ErrorFormat<OwnError> = defineErrorFormat<OwnError>({
  contentType: "application/vnd.own+json",
  body: ({ status, code, message, fields, traceId }) => ({
    failed: {
      kind: code,
      text: message,
      invalid: fields.map(({ path, rule }) => `${path}: ${rule}`),
      request: traceId,
    },
    status,
  }),
});

/** Options of the application. */
export type EdgeOptions = Pick<
  AppOptions,
  | "cors"
  | "securityHeaders"
  | "errors"
  | "compression"
  | "etag"
  | "requestLog"
  | "csrf"
  | "trustProxy"
  | "staticFiles"
>;

/** Creates the application. Without a server, it can be called with `app.fetch` only. */
export function edgeApplication(options: EdgeOptions, server?: ServerAdapter): App {
  return createApp({
    ...(server !== undefined && { server }),
    compiled: program,
    routes: [{ handlers: defineHandlers(handlers as never) }],
    limits: { bodyBytes },
    health: true,
    requestTimeoutMs,
    signals: false,
    ...options,
  });
}

/** Server that listens on a port. */
export interface Served extends AsyncDisposable {
  readonly port: number;
  /** Returns the log of a server in its own process. The log of other servers is the standard output of the test. */
  log?(): string;
}

/** Starts an application with these options. */
export type Serve = (options: EdgeOptions) => Promise<Served>;

/** Servers that this run tests. */
export const edgeColumns: readonly (readonly [name: string, serve: Serve])[] = isRust
  ? [
      [
        "rust",
        ({
          cors,
          securityHeaders,
          compression,
          etag,
          requestLog,
          csrf,
          staticFiles,
          errors: { format, validationStatus } = {},
        }) =>
          startRust("edge", { bodyBytes, requestTimeoutMs, headersTimeoutMs }, "production", {
            CORS: JSON.stringify(cors ?? null),
            COMPRESSION: JSON.stringify(compression ?? false),
            ETAG: JSON.stringify(etag ?? false),
            REQUEST_LOG: JSON.stringify(requestLog ?? false),
            STATIC_FILES: JSON.stringify(staticFiles ?? []),
            CSRF: JSON.stringify(csrf ?? false),
            ...(requestLog !== undefined && { LOG_LEVEL: "info" }),
            ERRORS: JSON.stringify({ format: format === ownFormat ? "own" : format, validationStatus }),
            SECURITY_HEADERS: JSON.stringify(readSecurityHeaders(securityHeaders)),
          }),
      ],
    ]
  : servers.map(([name, make]) => [
      name,
      async (options) => {
        const app = edgeApplication(options, make({ headersTimeoutMs }));
        const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
        return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
      },
    ]);
