import { randomBytes } from "node:crypto";

import type { DevelopmentLink, ResponseBody, ServerExchange, ServerService } from "@kit/types";

import { pathOf } from "../router/path-of.ts";
import { serviceAround } from "./service-around.ts";

const name = Symbol.for("kit.development");
const buildPath = "/__kit/build";
const failedBuild = ["x-kit-build", "failed"] as const;

/**
 * Returns the object through which this process communicates with `kit dev`. Returns `undefined` if `kit dev`
 * did not start the process.
 */
export function developmentLink(): DevelopmentLink | undefined {
  const found = (globalThis as { [name]?: DevelopmentLink })[name];
  return found?.version === 1 ? found : undefined;
}

/**
 * Returns a service that reports its responses to `kit dev`, adds a header to each response if the last build failed,
 * and serves `GET /__kit/build` with the state of the last build.
 */
export function watchedService(service: ServerService, link: DevelopmentLink): ServerService {
  return serviceAround(service, (exchange, pass) => {
    if (link.acceptsHost?.(exchange.header("host")) === false) return refuseHost(exchange);
    const isBuild = exchange.target.startsWith(buildPath) && pathOf(exchange.target) === buildPath;
    if (isBuild && !exchange.bodyTooLarge && exchange.method === "GET") {
      const body = JSON.stringify(link.build());
      exchange.respond(200, "application/json", body, ["cache-control", "no-store"]);
      return;
    }
    watch(exchange, link);
    pass();
  });
}

/**
 * Responds with 403 to a request whose `Host` is not allowed. Otherwise a web page could read responses of this server
 * through DNS rebinding.
 */
function refuseHost(exchange: ServerExchange): void {
  const message =
    "kit dev answers only to localhost, to IP addresses and to the names of `--allow-host`, but the `Host` header of this request is none of these";
  const body = JSON.stringify({
    error: { code: "HOST_NOT_ALLOWED", message, traceId: randomBytes(16).toString("hex") },
  });
  exchange.respond(403, "application/json", body, ["cache-control", "no-store"]);
}

type Mutable = { -readonly [Key in keyof ServerExchange]: ServerExchange[Key] };

/** Replaces the functions of an exchange that send responses by functions that also report the response. */
function watch(exchange: Mutable, link: DevelopmentLink): void {
  const { method, target } = exchange;
  const start = performance.now();
  const withBuild = (headers: readonly string[] | null): readonly string[] | null =>
    link.build().status === "failed" ? [...(headers ?? []), ...failedBuild] : headers;
  const tell = (status: number): void =>
    link.onResponse?.({ method, target, status, durationMs: performance.now() - start });
  const respond = exchange.respond.bind(exchange);
  exchange.respond = (status: number, type: string | null, body: ResponseBody, headers) => {
    respond(status, type, body, withBuild(headers));
    tell(status);
  };
  const respondStream = exchange.respondStream?.bind(exchange);
  if (respondStream === undefined) return;
  exchange.respondStream = (status, type, length, headers, events) => {
    const writer = respondStream(status, type, length, withBuild(headers), events);
    tell(status);
    return writer;
  };
}
