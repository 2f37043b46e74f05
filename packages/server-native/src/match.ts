import type { RouteMatch } from "@kit/types";

/** Codes of the addon for requests without a route. The counterpart is `crates/kit-node-server/src/routes.rs`. */
const notFoundCode = -1;
const badPathCode = -2;

const notFound: RouteMatch = { kind: "not-found" };
const badPath: RouteMatch = { kind: "bad-path" };

/** Converts the addon's codes to matches. Matches without parameters are created once. */
export class RouteMatches {
  readonly #withoutParams: readonly RouteMatch[];

  constructor(routes: number) {
    this.#withoutParams = Array.from({ length: routes }, (_, route) => ({
      kind: "route" as const,
      route,
      params: [],
    }));
  }

  /** `params` are the parameters of the route; or, if the method is not allowed, one string with the allowed methods. */
  fromCode(code: number, params: readonly string[]): RouteMatch {
    if (code >= 0) {
      return params.length === 0 ? this.#withoutParams[code]! : { kind: "route", route: code, params };
    }
    if (code === notFoundCode) return notFound;
    if (code === badPathCode) return badPath;
    return { kind: "method-not-allowed", allow: params[0]!.split(", ") };
  }
}
