import type { RouteMatch } from "@kit/types";

/**
 * Codes that the addon passes in place of a route's index if no route matches. The counterpart is
 * `crates/kit-node-server/src/routes.rs`.
 */
const notFoundCode = -1;
const badPathCode = -2;

const notFound: RouteMatch = { kind: "not-found" };
const badPath: RouteMatch = { kind: "bad-path" };

/**
 * Converts the addon's codes to route matches. A match without parameters is created once and used for all requests.
 */
export class RouteMatches {
  readonly #withoutParams: readonly RouteMatch[];

  constructor(routes: number) {
    this.#withoutParams = Array.from({ length: routes }, (_, route) => ({
      kind: "route" as const,
      route,
      params: [],
    }));
  }

  /**
   * `params` are the values of the route's parameters. If the method is not allowed, `params` is one string with the
   * allowed methods: `GET, HEAD`.
   */
  fromCode(code: number, params: readonly string[]): RouteMatch {
    if (code >= 0) {
      return params.length === 0 ? this.#withoutParams[code]! : { kind: "route", route: code, params };
    }
    if (code === notFoundCode) return notFound;
    if (code === badPathCode) return badPath;
    return { kind: "method-not-allowed", allow: params[0]!.split(", ") };
  }
}
