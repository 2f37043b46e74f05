/**
 * Random values of shapes: valid ones, and ones that break exactly one rule.
 *
 * Invariants:
 * - The same seed gives the same values on each machine: no code here uses a clock, a locale or `Math.random`.
 * - `explain` has checked every value: a valid one has no failure, and a spoiled one has one failure at one place.
 * - The search ends: if some hundred draws find no value, it throws a {@link NoValueError}.
 *
 * @module
 */
export { arbitrary, type ValueOptions } from "./arbitrary.ts";
export type { RuleName } from "./rules.ts";
export { pathOf, invalidate, type Violation, violations } from "./invalidate.ts";
export { NoValueError } from "./support.ts";
export { toWire } from "./wire.ts";
