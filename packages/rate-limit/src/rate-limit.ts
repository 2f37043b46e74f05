import { AppError } from "@kit/errors";
import { type BaseContext, defineMiddleware, type Middleware } from "@kit/core";

import { keyReader, type LimitKey, unknownAddress } from "./limit-key.ts";
import type { LimitCount, LimitStore } from "./limit-store.ts";
import { type LimitText, readLimit } from "./limit-text.ts";
import { memoryLimits } from "./memory-limits.ts";

/** Options of {@link rateLimit}. */
export interface RateLimitOptions {
  /** Number of requests in a time: `100/min`, `5/10s`, `1000/day`. */
  readonly limit: LimitText;
  /** Property that identifies a client. Default `ip`. */
  readonly by?: LimitKey;
  /**
   * Name of the limit in the headers and in the store. Limits with the same name, limit and store share their counts.
   * Default: the text of the limit.
   */
  readonly name?: string;
  /** Store of the counts. Default: the memory of this process. */
  readonly store?: LimitStore;
  /**
   * Behavior while the store cannot be reached: `memory` counts in the memory of each process, `refuse` answers 503,
   * and `allow` lets all requests through. Default `memory`.
   */
  readonly ifStoreFails?: "memory" | "refuse" | "allow";
}

const knownOptions: Readonly<Record<keyof RateLimitOptions, true>> = {
  limit: true,
  by: true,
  name: true,
  store: true,
  ifStoreFails: true,
};

/** Form of the name of a limit, which headers contain as a quoted string. */
const nameForm = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;

/** Milliseconds between two entries in the log about the same problem. */
const logEveryMs = 60_000;

/** Milliseconds for which the store is not asked again after it has failed. */
const pauseMs = 1000;

/**
 * Property of `ctx` with the values of the headers `ratelimit-policy` and `ratelimit`, for requests with several limits. A
 * `WeakMap` would cost more than the count.
 */
const announced = Symbol("kit.rate-limit");

interface Announced {
  [announced]?: { readonly policies: string; readonly states: string };
}

/**
 * Creates middleware that limits the number of requests of a client to the routes for which the middleware runs. A
 * client above the limit gets 429 `RATE_LIMITED` with the header `retry-after`. Each response has the headers
 * `ratelimit-policy` and `ratelimit` (draft-ietf-httpapi-ratelimit-headers-10).
 *
 * The first request of a client begins a window, and each window has its own count. A client can send all its requests
 * at the end of one window and at the beginning of the next: up to twice the limit in a short time.
 *
 * @param options - The limit, and options with defaults.
 * @throws RATE_LIMITED 429 The client has sent too many requests.
 * @example
 * ```ts
 * export const limited = rateLimit({ limit: "100/min", by: "ip" });
 * ```
 * @throws {TypeError} If an option is unknown or invalid, or if this process is one of several workers and has no store
 * that they share.
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(knownOptions, name));
  if (unknown !== undefined) {
    throw new TypeError(
      `rateLimit: there is no option \`${unknown}\`; the options are ${Object.keys(knownOptions).join(", ")}`,
    );
  }
  const { limit, by = "ip", name = limit, ifStoreFails = "memory" } = options;
  const { requests, windowMs } = readLimit(limit);
  if (!nameForm.test(name)) {
    throw new TypeError(
      `rateLimit: \`name\` must have 1 to 64 printable ASCII characters without blanks, quotes and backslashes, not ${JSON.stringify(name)}`,
    );
  }
  if (!["memory", "refuse", "allow"].includes(ifStoreFails)) {
    throw new TypeError(`rateLimit: \`ifStoreFails\` must be memory, refuse or allow, not ${ifStoreFails}`);
  }
  const keyOf = keyReader(by);
  const counts = new Counts(options.store ?? memoryLimits(), ifStoreFails);
  const policy = `"${name}";q=${requests};w=${Math.ceil(windowMs / 1000)}`;
  const unknownAddressLog = new Occasional();
  const check = (ctx: BaseContext, counted: LimitCount | undefined): void => {
    if (counted === undefined) return;
    const { count, resetMs } = counted;
    const seconds = Math.max(1, Math.ceil(resetMs / 1000));
    announce(ctx, policy, `"${name}";r=${Math.max(0, requests - count)};t=${seconds}`);
    if (count <= requests) return;
    ctx.header("retry-after", String(seconds));
    throw new AppError(
      "RATE_LIMITED",
      429,
      `Too many requests: the limit is ${limit}. Try again in ${seconds} s`,
    );
  };
  return defineMiddleware((input) => {
    const { ctx } = input;
    const key = keyOf(input);
    if (key === unknownAddress && unknownAddressLog.isDue()) {
      ctx.log.warn("The addresses of some clients are unknown, so these clients share one rate limit", {
        limit,
      });
    }
    const found = counts.count(`${name}:${key}`, windowMs, ctx);
    // The memory answers at once, and a promise would cost more than the count.
    if (found instanceof Promise) return found.then((counted) => check(ctx, counted));
    check(ctx, found);
  });
}

/** Adds an item to the headers about limits. A request may have several limits. */
function announce(ctx: BaseContext & Announced, policy: string, state: string): void {
  const earlier = ctx[announced];
  const policies = earlier === undefined ? policy : `${earlier.policies}, ${policy}`;
  const states = earlier === undefined ? state : `${earlier.states}, ${state}`;
  ctx[announced] = { policies, states };
  ctx.header("ratelimit-policy", policies);
  ctx.header("ratelimit", states);
}

/** Counts requests in a store. While the store cannot be reached, the option `ifStoreFails` decides. */
class Counts {
  readonly #store: LimitStore;
  readonly #ifStoreFails: NonNullable<RateLimitOptions["ifStoreFails"]>;
  readonly #replacement: LimitStore = memoryLimits({ perProcess: true });
  readonly #failureLog = new Occasional();
  /** Time until which the store is not asked. */
  #pausedUntil = 0;

  constructor(store: LimitStore, ifStoreFails: NonNullable<RateLimitOptions["ifStoreFails"]>) {
    this.#store = store;
    this.#ifStoreFails = ifStoreFails;
  }

  /** Returns the count, or `undefined` if the request is not limited. */
  count(
    key: string,
    windowMs: number,
    ctx: BaseContext,
  ): Promise<LimitCount | undefined> | LimitCount | undefined {
    if (this.#pausedUntil > 0 && performance.now() < this.#pausedUntil)
      return this.#withoutStore(key, windowMs, ctx);
    const found = this.#store.count(key, windowMs);
    if (!(found instanceof Promise)) return found;
    return found.catch((error: unknown) => {
      this.#pausedUntil = performance.now() + pauseMs;
      if (this.#failureLog.isDue()) {
        ctx.log.error("The store of rate limits cannot be reached", {
          error,
          ifStoreFails: this.#ifStoreFails,
        });
      }
      return this.#withoutStore(key, windowMs, ctx);
    });
  }

  #withoutStore(
    key: string,
    windowMs: number,
    ctx: BaseContext,
  ): Promise<LimitCount> | LimitCount | undefined {
    if (this.#ifStoreFails === "allow") return undefined;
    if (this.#ifStoreFails === "memory") return this.#replacement.count(key, windowMs);
    ctx.header("retry-after", "1");
    throw new AppError("SERVICE_UNAVAILABLE", 503, "The rate limit cannot be checked at the moment");
  }
}

/** Limits how often the same problem is logged. */
class Occasional {
  #nextAt = -Infinity;

  isDue(): boolean {
    const now = performance.now();
    if (now < this.#nextAt) return false;
    this.#nextAt = now + logEveryMs;
    return true;
  }
}
