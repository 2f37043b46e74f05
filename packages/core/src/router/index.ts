/**
 * Route matcher and paths of routes, for tools that determine the route of a request or make requests.
 *
 * @module
 */
export { fillRoutePath, hideParameters, parameterNames, parseRoutePath } from "./route-path.ts";
export type { RouteSegment } from "./route-path.ts";
export { createMatcher, type Matcher } from "./matcher.ts";
