/**
 * Route matcher, for tools that determine the route of a request.
 *
 * @module
 */
export { createMatcher, type Matcher } from "./matcher.ts";
