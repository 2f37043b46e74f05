import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

import type { Plugin } from "@kit/core";
import { NotFoundError } from "@kit/errors";
import { type DebugOptions, type DebugPlugin, debugPlugin } from "@kit/plugin-debug";
import {
  compiled,
  objectOf,
  paramsOf,
  queryOf,
  responseOf,
  route,
} from "../../../core/test/support/compiled.ts";
import { json, serve, type Served, type TestRoute } from "../../../core/test/support/serve.ts";

export { json };

const thing = responseOf("Thing", { id: "string" });
export const routes: readonly TestRoute[] = [
  [
    route("GET /things/:id", {
      params: paramsOf("Id", { id: "string" }),
      query: queryOf("Query", { page: "number?", token: "string?" }),
      response: thing,
    }),
    ({ params, ctx }) => {
      if (params["id"] === "none") throw new NotFoundError("THING_NOT_FOUND", "There is no such thing");
      if (params["id"] === "broken") throw new Error("out of order");
      ctx.log.info("Thing read", { id: params["id"], password: "hunter2", apiSecret: "s3cr3t" });
      ctx.log.debug("In detail");
      return { id: params["id"] };
    },
  ],
  [
    route("POST /things", {
      body: objectOf("NewThing", { name: "string", password: "string?", pin: "string?" }),
      response: thing,
    }),
    ({ body }) => ({ id: body["name"] }),
  ],
];

export type App = Parameters<typeof serve>[1];

/** Response that the sidecar sent. */
export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** Options of a request to the sidecar. */
export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

/** Sends a request with exactly these headers to a port of this machine. Uses node:http, which does not change given headers. */
export function sendRequest(port: number, path: string, options: RequestOptions = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { method = "GET", headers = {}, body } = options;
  const sending = request({ port, host: "127.0.0.1", path, method, headers, agent: false }, (response) => {
    const { statusCode: status = 0, headers: received } = response;
    text(response).then(
      (all) =>
        resolve({
          status,
          headers: received,
          text: all,
          get body() {
            return JSON.parse(all) as Record<string, unknown>;
          },
        }),
      reject,
    );
  });
  sending.on("error", reject).end(body);
  return promise;
}

/** Returns the status of a GET request that has exactly these header lines. */
export async function rawStatus(port: number, lines: readonly string[]): Promise<number> {
  const socket = connect(port, "127.0.0.1");
  socket.end(["GET /_debug/health HTTP/1.1", ...lines, "Connection: close", "", ""].join("\r\n"));
  return Number((await text(socket)).split(" ", 2)[1]);
}

/** Application in memory, with its sidecar. */
export interface WithSidecar extends Served {
  readonly plugin: DebugPlugin;
  readonly port: number;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a GET request to the sidecar. Throws an error if the status is not 200. */
  ok<T = Record<string, unknown>>(path: string): Promise<T>;
  close(): Promise<void>;
}

/** Waits until a condition is true. The error on a timeout contains `what`. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < end, `not within half a minute: ${what}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

/** Starts an application in memory whose sidecar listens on a free port. The default mode is development. */
export async function start(
  options: DebugOptions = { mode: "dev" },
  app: App = {},
  plugins: readonly Plugin[] = [],
): Promise<WithSidecar> {
  const plugin = debugPlugin({ port: 0, ...options });
  const served = await serve(routes, {
    compiled: { ...compiled(...routes.map(([made]) => made)), sensitive: ["pin"] },
    logLevel: "trace",
    ...app,
    plugins: [...plugins, plugin],
  });
  await until("the sidecar listens", () => plugin.address !== null);
  const { port } = plugin.address!;
  const get: WithSidecar["get"] = (path, headers = {}) => sendRequest(port, path, { headers });
  return {
    ...served,
    plugin,
    port,
    get,
    async ok<T>(path: string): Promise<T> {
      const answer = await get(path);
      assert.equal(answer.status, 200, answer.text);
      return answer.body as T;
    },
    close: async () => plugin.onStop?.(),
  };
}

/** Returns the error that a response contains. */
export function errorOf({ body }: Answer): { code: string; message: string } {
  return body["error"] as { code: string; message: string };
}
