import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage } from "node:http";

import type { RunningCall } from "@kit/types";

import type { CurrentSpan } from "./current-span.ts";

/** Properties of undici's request that this module reads. */
interface UndiciRequest {
  readonly method: string;
  readonly origin?: string | URL;
  readonly path: string;
}

interface HttpMessage {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
  readonly error?: unknown;
}

interface UndiciMessage {
  readonly request: UndiciRequest;
  readonly response: { readonly statusCode: number };
  readonly error?: unknown;
}

/** Records the requests that a middleware or handler sends with `fetch` or `node:http`. Returns a function that stops recording. */
export function watchHttp(current: CurrentSpan): () => void {
  const calls = new WeakMap<object, RunningCall>();
  const begin = (key: object, source: string, method: string, origin: string, path: string): void => {
    const span = current.ofCall();
    if (span === undefined) return;
    const call = span.begin({ name: `${method} ${hostOf(origin)}`, source });
    if (call === undefined) return;
    call.setAttribute("http.request.method", method);
    // Without the query, because its values may be secrets whose names only the other service knows.
    call.setAttribute("url.full", withoutQuery(`${origin}${path}`));
    calls.set(key, call);
  };
  const answered = (key: object, status: number): void => {
    calls.get(key)?.setAttribute("http.response.status_code", status);
  };
  const end = (key: object, failure?: unknown): void => {
    calls.get(key)?.end(failure);
    calls.delete(key);
  };
  return listen({
    "undici:request:create": ({ request }: UndiciMessage) =>
      begin(request, "undici", request.method, String(request.origin ?? ""), request.path),
    "undici:request:headers": ({ request, response }: UndiciMessage) =>
      answered(request, response.statusCode),
    // The body of the response has arrived completely.
    "undici:request:trailers": ({ request }: UndiciMessage) => end(request),
    "undici:request:error": ({ request, error }: UndiciMessage) => end(request, error),
    "http.client.request.created": ({ request }: HttpMessage) =>
      begin(request, "http", request.method, originOf(request), request.path),
    "http.client.response.finish": ({ request, response }: HttpMessage) => {
      answered(request, response.statusCode ?? 0);
      end(request);
    },
    "http.client.request.error": ({ request, error }: HttpMessage) => end(request, error),
  });
}

/** Subscribes to channels of `node:diagnostics_channel`, by name. Returns a function that unsubscribes. */
function listen(listeners: Readonly<Record<string, (message: never) => void>>): () => void {
  const all = Object.entries(listeners) as [string, (message: unknown) => void][];
  for (const [channel, listener] of all) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of all) unsubscribe(channel, listener);
  };
}

/** Returns the origin of a request with its port, which `request.host` does not contain. */
function originOf(request: ClientRequest): string {
  const host = request.getHeader("host");
  return `${request.protocol}//${typeof host === "string" ? host : request.host}`;
}

function hostOf(origin: string): string {
  return origin.slice(origin.indexOf("//") + 2) || origin;
}

/** Removes the query, the user name and the password from a URL. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#][^]*$/, "").replace(/^([a-z][a-z\d+.-]*:\/\/)[^/@]*@/i, "$1");
}
