import type { ServerExchange } from "@kit/types";

import { util } from "../node-modules.ts";
import type { RequestHeaders } from "./request-context.ts";

/**
 * Returns the request headers as an object that reads a single header from the server on access. Some servers keep the
 * headers outside of JavaScript. Reading all headers would cost more than the rest of the pipeline, and a middleware
 * usually needs a single header.
 */
export function headerView(request: HeaderSource): RequestHeaders {
  return new Proxy<object>(new Target(request), traps) as RequestHeaders;
}

/** Source of the request headers. */
export interface HeaderSource {
  readonly exchange: ServerExchange;
  /**
   * Returns true if the server has released the request. If so, the headers are empty, unless all headers
   * were read before.
   */
  isReadTooLate(member: string): boolean;
}

class Target {
  readonly #request: HeaderSource;
  #all: Record<string, string> | undefined;

  constructor(request: HeaderSource) {
    this.#request = request;
  }

  /**
   * Makes `console.log` print the headers. By default, Node would print the target of the proxy, which is not
   * the headers.
   */
  [util.inspect.custom](): object {
    return { ...this };
  }

  static one(target: object, name: string): string | undefined {
    const view = target as Target;
    if (view.#all !== undefined) return view.#all[name.toLowerCase()];
    const request = view.#request;
    return request.isReadTooLate("headers") ? undefined : request.exchange.header(name.toLowerCase());
  }

  static all(target: object): Record<string, string> {
    const view = target as Target;
    if (view.#all === undefined && view.#request.isReadTooLate("headers")) return {};
    return (view.#all ??= view.#request.exchange.headers());
  }
}

const traps: ProxyHandler<object> = {
  get: (target, name) => (typeof name === "string" ? Target.one(target, name) : undefined),
  has: (target, name) => typeof name === "string" && Target.one(target, name) !== undefined,
  ownKeys: (target) => Object.keys(Target.all(target)),
  getOwnPropertyDescriptor(target, name) {
    const value = typeof name === "string" ? Target.one(target, name) : undefined;
    return value === undefined ? undefined : { value, enumerable: true, configurable: true, writable: false };
  },
  getPrototypeOf: () => null,
  set: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
};

function refuse(_target: object, name: string | symbol): never {
  throw new TypeError(
    `Request headers cannot be changed (${String(name)}); set response headers with ctx.header`,
  );
}
