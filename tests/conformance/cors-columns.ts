// Application for the tests of the option `cors`, on every server. `rust-server/src/bin/cors.rs` has the same routes.

import { type App, type CorsOptions, createApp, defineHandlers, type RequestContext } from "@kit/core";
import { AppError } from "@kit/errors";
import type { ServerAdapter } from "@kit/types";

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

const note = responseOf("Note", { title: "string" });
const program = compiled(
  route("GET /notes", { response: note }),
  route("POST /notes", { body: objectOf("OneText", { text: "string" }), response: note }),
  route("GET /files/:name", { params: paramsOf("Name", { name: "string" }), response: note }),
  route("GET /vary", { response: note }),
  route("GET /fail", { response: note }),
  route("GET /bug", { response: note }),
  route("OPTIONS /own", { response: note }),
);

interface Input {
  readonly ctx: RequestContext;
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
};

/** Creates the application. Without a server, it can be called with `app.fetch` only. */
export function corsApplication(cors: CorsOptions, server?: ServerAdapter): App {
  return createApp({
    ...(server !== undefined && { server }),
    compiled: program,
    routes: [{ handlers: defineHandlers(handlers as never) }],
    limits: { bodyBytes },
    health: true,
    signals: false,
    cors,
  });
}

/** Server that listens on a port. */
export interface Served extends AsyncDisposable {
  readonly port: number;
}

/** Starts an application with a value of the option `cors`. */
export type Serve = (cors: CorsOptions) => Promise<Served>;

/** Servers that this run tests. */
export const corsColumns: readonly (readonly [name: string, serve: Serve])[] = isRust
  ? [["rust", (cors) => startRust("cors", { bodyBytes }, "production", { CORS: JSON.stringify(cors) })]]
  : servers.map(([name, make]) => [
      name,
      async (cors) => {
        const app = corsApplication(cors, make());
        const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
        return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
      },
    ]);
