/**
 * The route matcher, for tools that ask which route a request belongs to.
 *
 * @module
 */
export { createMatcher, type Matcher } from "./matcher.ts";
