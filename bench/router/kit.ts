/** kit's router in TypeScript as a subject of the benchmark. */
import { createMatcher } from "../../packages/core/src/router/matcher.ts";
import type { CompiledRouteTree } from "../../packages/types/src/index.ts";
import type { Found, Loader } from "./subject.ts";

const NOT_FOUND: Found = { route: -1, values: [] };
const NOT_ALLOWED: Found = { route: -2, values: [] };

export const kit: Loader = {
  knowsMethods: true,
  prepare: (routes, document) => () => {
    const match = createMatcher(document as CompiledRouteTree, routes);
    return (method, path) => {
      const found = match(method, path);
      if (found.kind === "route") return { route: found.route, values: found.params };
      return found.kind === "method-not-allowed" ? NOT_ALLOWED : NOT_FOUND;
    };
  },
};
