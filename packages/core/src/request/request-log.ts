import type { CompiledRoute, ServerAnswer, ServerExchange, ServerRefusal } from "@kit/types";

import type { Log, LogContext } from "../logging/log.ts";
import type { Redactor } from "../logging/redact.ts";
import { shownPath } from "../observe/target.ts";
import type { FindAddress } from "./trust-proxy.ts";

/** Options of the request log: one log entry for each request. */
export interface RequestLogOptions {
  /**
   * Paths that are not logged, such as `/internal/ping`. A path is compared in its normal form and without the query.
   * Health checks are never logged. Default: none.
   */
  readonly skipPaths?: readonly string[];
  /**
   * Fraction of the successful requests that kit logs, from 0 to 1. kit always logs requests with a status of 400 or
   * more, and requests whose response was incomplete. Default 1.
   */
  readonly sampleRate?: number;
  /** True to log the header `user-agent`. Default false, because the header helps to identify persons. */
  readonly userAgent?: boolean;
}

/** Validated {@link RequestLogOptions} with their defaults. */
export interface ReadRequestLog {
  readonly skipPaths: ReadonlySet<string>;
  readonly sampleRate: number;
  readonly userAgent: boolean;
}

/** Parts of the application that the request log needs. */
export interface RequestLogParts {
  readonly log: Log;
  readonly redactor: Redactor;
  readonly findAddress: FindAddress;
}

/** Names of a request in the log, and its route. */
export interface RequestInLog {
  readonly traceId: string;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly route: CompiledRoute | null;
  /** Route with the same path and another method. `null` if no route has the path. */
  readonly pathRoute: CompiledRoute | null;
}

/** Data of a request that cannot be read after its response. */
export interface LoggedRequest {
  readonly exchange: ServerExchange;
  readonly address: string;
  readonly userAgent: string | undefined;
}

/** Longest `user-agent` in the log, in characters. */
const longestUserAgent = 256;
const message = "Request completed";

/** Writes one log entry at `info` for each request, with its response. */
export class RequestLog {
  readonly #options: ReadRequestLog;
  readonly #parts: RequestLogParts;
  readonly #states = new WeakMap<ServerExchange, RequestInLog>();

  constructor(options: ReadRequestLog, parts: RequestLogParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Connects a request with its state, which has its trace and route. Requests without a state are not logged. */
  attach(exchange: ServerExchange, state: RequestInLog): void {
    this.#states.set(exchange, state);
  }

  /** Reads the data of a request that is logged after its response. */
  read(exchange: ServerExchange): LoggedRequest {
    const header = (name: string): string | undefined => exchange.header(name);
    return {
      exchange,
      address: this.#parts.findAddress(exchange.remoteAddress, header),
      userAgent: this.#userAgentOf(header),
    };
  }

  /** Logs a request. `isCut` is true if the client did not receive the whole response. */
  write(request: LoggedRequest, status: number, bytes: number, durationMs: number, isCut: boolean): void {
    const state = this.#states.get(request.exchange);
    if (state === undefined || !this.#isLogged(state.path, status, isCut)) return;
    const { traceId, requestId, route, method, path, pathRoute } = state;
    const place = { traceId, requestId, phase: "response", ...(route !== null && { route: route.ref }) };
    this.#write(place, {
      method,
      path: shownPath(path, pathRoute ?? route, this.#parts.redactor),
      status,
      durationMs: rounded(durationMs),
      bytes,
      ...(request.address !== "" && { ip: request.address }),
      ...(request.userAgent !== undefined && { userAgent: request.userAgent }),
      ...(isCut && { cut: true }),
    });
  }

  /** Logs a response that a framework or its middleware sent without kit. */
  answer({ method, target, status, bytes, durationMs, remoteAddress, header, isCut }: ServerAnswer): void {
    const path = target.split("?", 1)[0]!;
    if (!this.#isLogged(path, status, isCut)) return;
    const address = this.#parts.findAddress(remoteAddress, header);
    const userAgent = this.#userAgentOf(header);
    this.#write(
      { phase: "response" },
      {
        method,
        path,
        status,
        durationMs: rounded(durationMs),
        ...(bytes !== undefined && { bytes }),
        ...(address !== "" && { ip: address }),
        ...(userAgent !== undefined && { userAgent }),
        ...(isCut && { cut: true }),
      },
    );
  }

  /** Logs a response that the HTTP engine sent without the pipeline, such as 400 for invalid HTTP. */
  refusal({ status, code, traceId, remoteAddress }: ServerRefusal): void {
    if (status === undefined) return;
    const place = { phase: "received", ...(traceId !== undefined && { traceId }) };
    // The headers were not read. So if the peer is a trusted proxy, the address of the client is not known, as with a
    // malformed header.
    const address = this.#parts.findAddress(remoteAddress ?? "", () => "?");
    this.#write(place, { status, code, ...(address !== "" && { ip: address }) });
  }

  #write(place: LogContext, data: object): void {
    this.#parts.log.loggerFor(() => place).info(message, data);
  }

  #userAgentOf(header: (name: string) => string | undefined): string | undefined {
    return this.#options.userAgent ? header("user-agent")?.slice(0, longestUserAgent) : undefined;
  }

  #isLogged(path: string, status: number, isCut: boolean): boolean {
    const { skipPaths, sampleRate } = this.#options;
    if (!this.#parts.log.isEnabled("info") || skipPaths.has(path)) return false;
    return isCut || status >= 400 || sampleRate === 1 || Math.random() < sampleRate;
  }
}

/** Returns milliseconds with three digits after the point. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
