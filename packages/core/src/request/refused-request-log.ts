import type { CompiledRoute } from "@kit/types";

import type { Log } from "../logging/log.ts";
import type { Logger } from "../logging/log-entry.ts";
import { Sampler } from "../logging/sampler.ts";
import { shownPath } from "../observe/target.ts";
import type { Redactor } from "../logging/redact.ts";

/** Maximum number of requests that are logged one by one, for each route, status and minute. */
const perMinute = 10;

/** Request that the router or the validation refuses. */
export interface RefusedRequest {
  readonly route: CompiledRoute | null;
  /** Route with the same path and another method. `null` if no route has the path. */
  readonly pathRoute: CompiledRoute | null;
  readonly method: string;
  readonly path: string;
  readonly log: Logger;
}

interface Kind {
  /** Route of the request. `undefined` if no route matches. */
  readonly route: string | undefined;
  readonly status: number;
}

/**
 * Logs requests that the router (400, 404, 405, 413) or the validation (400, 415) refuses, at `warn`. Any client can
 * cause such requests, so the log has at most ten single entries for each route, status and minute. All other requests
 * of that minute become one entry with their number. All requests without a matching route count as one route, so
 * clients cannot increase the number of kinds.
 */
export class RefusedRequestLog {
  readonly #log: Log;
  readonly #redactor: Redactor;
  readonly #sampler: Sampler<Kind>;

  constructor(log: Log, redactor: Redactor) {
    this.#log = log;
    this.#redactor = redactor;
    this.#sampler = new Sampler(perMinute, (_, count, kind) => this.#logRemaining(count, kind));
  }

  /** Counts a request. Logs the request if it is among the first of its route, status and minute. */
  count(request: RefusedRequest, status: number, message: () => string, error: unknown): void {
    if (this.mustLog(request, status)) this.log(request, status, message(), error);
  }

  /** Counts a request. Returns true if the caller must log the request with {@link RefusedRequestLog.log}. */
  mustLog({ route }: Pick<RefusedRequest, "route">, status: number): boolean {
    if (!this.#log.isEnabled("warn")) return false;
    const ref = route?.ref;
    return this.#sampler.shouldLog(`${status} ${ref ?? ""}`, { route: ref, status });
  }

  /** Logs a request that was counted. */
  log(request: RefusedRequest, status: number, message: string, error: unknown): void {
    const { method, log } = request;
    const path = shownPath(request.path, request.pathRoute ?? request.route, this.#redactor);
    log.warn(message, { status, method, path, error });
  }

  /** Logs the counts that are not logged yet. Called when the application closes. */
  flush(): void {
    this.#sampler.flush();
  }

  #logRemaining(count: number, { route, status }: Kind): void {
    const requests = route === undefined ? "requests without a matching route" : `requests of ${route}`;
    const place = route === undefined ? {} : { route };
    this.#log
      .loggerFor(() => place)
      .warn(`${count} more ${requests} were refused with ${status} within a minute`, { status, count });
  }
}
