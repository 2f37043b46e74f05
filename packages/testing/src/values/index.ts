/**
 * Random values for types: valid ones, and ones that break exactly one rule.
 *
 * Invariants:
 * - The same seed gives the same values on each machine: no code here uses a clock, a locale or `Math.random`.
 * - `explain` has checked every value: a valid one has no failure, and an invalid one has exactly one.
 * - The search for a value ends: if some hundred attempts find none, it throws a {@link NoValueError}.
 *
 * @module
 */
export { arbitrary, type ValueOptions } from "./arbitrary.ts";
export type { RuleName } from "./rules.ts";
export { pathOf, invalidate, type Violation, violations } from "./invalidate.ts";
export { NoValueError } from "./support.ts";
export { toWire } from "./wire.ts";
