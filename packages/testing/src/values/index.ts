/**
 * Random values of types: valid values, and values that break exactly one rule.
 *
 * Invariants:
 * - The same seed gives the same values on each machine: this code uses no clock, no locale and no
 *   `Math.random`.
 * - `explain` has checked every value: a valid value has no failure, and an invalid value has exactly one
 *   failure.
 * - The search for a value ends: after some hundred failed attempts, the search throws a {@link
 *   NoValueError}.
 *
 * @module
 */
export { arbitrary, type ValueOptions } from "./arbitrary.ts";
export type { RuleName } from "./rules.ts";
export { pathOf, invalidate, type Violation, violations } from "./invalidate.ts";
export { NoValueError } from "./support.ts";
export { toWire } from "./wire.ts";
