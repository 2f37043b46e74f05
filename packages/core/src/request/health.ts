import type { ServerExchange } from "@kit/types";

import type { Logger } from "../logging/log-entry.ts";
import { pathOf } from "../router/path-of.ts";

/** Options for the paths with which orchestrators and load balancers check the application. */
export interface HealthOptions {
  /** Path that reports if the process is alive. Default `/healthz`. */
  readonly live?: string;
  /** Path that reports if the application is ready for requests. Default `/readyz`. */
  readonly ready?: string;
  /**
   * Conditions of readiness, by name. A check fails if it throws, rejects, returns `false` or takes longer than 5 s.
   */
  readonly checks?: Readonly<Record<string, HealthCheck>>;
}

/** Condition of readiness, such as `() => pool.query("select 1")`. Any result except `false` is a success. */
export type HealthCheck = () => unknown;

/** Validated option `health`, with its defaults. */
export interface ReadHealth {
  readonly live: string;
  readonly ready: string;
  readonly checks: readonly (readonly [name: string, check: HealthCheck])[];
}

/** Timeout of one check in milliseconds. Most callers of `/readyz` do not wait longer. */
const checkMs = 5_000;
const headers = ["cache-control", "no-store"] as const;

/**
 * Serves `/healthz` and `/readyz`. The two paths are not routes: no middleware runs for their requests, the
 * requests are not logged, and the contract does not contain the paths. If the application has a route with the
 * same path, the route takes precedence.
 */
export class Health {
  readonly #live: string | null;
  readonly #ready: string | null;
  readonly #checks: ReadHealth["checks"];
  readonly #isServing: () => boolean;
  readonly #log: Logger;
  readonly #failing = new Set<string>();
  /** Current run of the checks. Requests that arrive during the run share its result. */
  #round: Promise<Record<string, "ok" | "failed">> | undefined;

  constructor(options: ReadHealth, paths: ReadonlySet<string>, isServing: () => boolean, log: Logger) {
    this.#live = paths.has(options.live) ? null : options.live;
    this.#ready = paths.has(options.ready) ? null : options.ready;
    this.#checks = options.checks;
    this.#isServing = isServing;
    this.#log = log;
  }

  /** Returns the path of a request for one of the two health paths. Returns `undefined` for every other request. */
  find({ target }: ServerExchange): string | undefined {
    const path = pathOf(target);
    const plain = path.endsWith("/") ? path.slice(0, -1) : path;
    return plain === this.#live || plain === this.#ready ? plain : undefined;
  }

  /** Paths of the health routes that the application serves. */
  get paths(): readonly string[] {
    return [this.#live, this.#ready].filter((path) => path !== null);
  }

  /** Responds to a GET or HEAD request for a path that {@link Health.find} returned. Never throws. */
  answer(exchange: ServerExchange, path: string): void {
    if (path === this.#live) this.#respond(exchange, 200, { status: "ok" });
    else if (!this.#isServing()) this.#respond(exchange, 503, { status: "unavailable" });
    else if (this.#checks.length === 0) this.#respond(exchange, 200, { status: "ok" });
    else void this.#answerChecks(exchange);
  }

  async #answerChecks(exchange: ServerExchange): Promise<void> {
    this.#round ??= this.#runChecks().finally(() => (this.#round = undefined));
    const checks = await this.#round;
    // The application may have started to close in the meantime.
    const isReady = this.#isServing() && Object.values(checks).every((result) => result === "ok");
    this.#respond(exchange, isReady ? 200 : 503, { status: isReady ? "ok" : "unavailable", checks });
  }

  async #runChecks(): Promise<Record<string, "ok" | "failed">> {
    const results = this.#checks.map(
      async ([name, check]) => [name, (await this.#holds(name, check)) ? "ok" : "failed"] as const,
    );
    return Object.fromEntries(await Promise.all(results));
  }

  /**
   * Runs one check. Logs only changes of the result, because `/readyz` is requested every few seconds. Only
   * the log shows the reason of a failure.
   */
  async #holds(name: string, check: HealthCheck): Promise<boolean> {
    try {
      if ((await inTime(check)) === false) throw new Error("The check returned false");
      if (this.#failing.delete(name)) this.#log.info(`The health check ${name} succeeded again`);
      return true;
    } catch (error) {
      if (!this.#failing.has(name)) this.#log.warn(`The health check ${name} failed`, { error });
      this.#failing.add(name);
      return false;
    }
  }

  #respond(exchange: ServerExchange, status: number, body: object): void {
    try {
      exchange.respond(status, "application/json", JSON.stringify(body), headers);
    } catch (error) {
      this.#log.error("A health request could not be answered", { error });
    }
  }
}

async function inTime(check: HealthCheck): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`The check took longer than ${checkMs} ms`)), checkMs);
  timer.unref();
  try {
    return await Promise.race([check(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
