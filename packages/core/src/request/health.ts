import type { ServerExchange } from "@kit/types";

import type { Logger } from "../logging/log-entry.ts";
import { pathOf } from "./request-state.ts";

/** Whether the application is alive and ready, for those who start and watch it. */
export interface HealthOptions {
  /** Where it is asked whether the process is alive; default `/healthz`. */
  readonly live?: string;
  /** Where it is asked whether requests may be sent; default `/readyz`. */
  readonly ready?: string;
  /**
   * What must hold for the application to be ready, by name. A check that throws, rejects, gives `false` or takes longer than 5 s fails.
   */
  readonly checks?: Readonly<Record<string, HealthCheck>>;
}

/** A condition of readiness: `() => pool.query("select 1")`. */
export type HealthCheck = () => unknown;

/** Options with their defaults. */
export interface ReadHealth {
  readonly live: string;
  readonly ready: string;
  readonly checks: readonly (readonly [name: string, check: HealthCheck])[];
}

/** Whoever asks has given up by then. */
const checkMs = 5_000;
const headers = ["cache-control", "no-store"] as const;

/**
 * Answers `/healthz` and `/readyz`. They are no routes: no middleware runs for them, nothing is logged of them and the contract does not
 * name them. A route of the application with the same path goes before.
 */
export class Health {
  readonly #live: string | null;
  readonly #ready: string | null;
  readonly #checks: ReadHealth["checks"];
  readonly #isServing: () => boolean;
  readonly #log: Logger;
  readonly #failing = new Set<string>();
  /** Those who ask at the same time share one round of checks. */
  #round: Promise<Record<string, "ok" | "failed">> | undefined;

  constructor(options: ReadHealth, paths: ReadonlySet<string>, isServing: () => boolean, log: Logger) {
    this.#live = paths.has(options.live) ? null : options.live;
    this.#ready = paths.has(options.ready) ? null : options.ready;
    this.#checks = options.checks;
    this.#isServing = isServing;
    this.#log = log;
  }

  /** The path that is asked for, if it is one of these. */
  find({ target }: ServerExchange): string | undefined {
    const path = pathOf(target);
    const plain = path.endsWith("/") ? path.slice(0, -1) : path;
    return plain === this.#live || plain === this.#ready ? plain : undefined;
  }

  /** Answers a GET or HEAD of a path that {@link Health.find} gave. Never throws. */
  answer(exchange: ServerExchange, path: string): void {
    if (path === this.#live) this.#respond(exchange, 200, { status: "ok" });
    else if (!this.#isServing()) this.#respond(exchange, 503, { status: "unavailable" });
    else if (this.#checks.length === 0) this.#respond(exchange, 200, { status: "ok" });
    else void this.#answerChecks(exchange);
  }

  async #answerChecks(exchange: ServerExchange): Promise<void> {
    this.#round ??= this.#runChecks().finally(() => (this.#round = undefined));
    const checks = await this.#round;
    // It may have begun to close meanwhile.
    const isReady = this.#isServing() && Object.values(checks).every((result) => result === "ok");
    this.#respond(exchange, isReady ? 200 : 503, { status: isReady ? "ok" : "unavailable", checks });
  }

  async #runChecks(): Promise<Record<string, "ok" | "failed">> {
    const results = this.#checks.map(
      async ([name, check]) => [name, (await this.#holds(name, check)) ? "ok" : "failed"] as const,
    );
    return Object.fromEntries(await Promise.all(results));
  }

  /** Logged when it changes: it is asked every few seconds. Why it fails is for the log alone. */
  async #holds(name: string, check: HealthCheck): Promise<boolean> {
    try {
      if ((await inTime(check)) === false) throw new Error("It gave false");
      if (this.#failing.delete(name)) this.#log.info(`The health check ${name} holds again`);
      return true;
    } catch (error) {
      if (!this.#failing.has(name)) this.#log.warn(`The health check ${name} fails`, { error });
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
  const timer = setTimeout(() => reject(new Error(`It takes longer than ${checkMs} ms`)), checkMs);
  timer.unref();
  try {
    return await Promise.race([check(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
