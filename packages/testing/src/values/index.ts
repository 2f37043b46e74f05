/**
 * Values of shapes at random: valid ones, and ones with a single rule broken.
 *
 * Invariants:
 * - The same seed gives the same values on each machine: nothing here asks a clock, a locale or `Math.random`.
 * - What is valid has been held against the shape by `explain`, and what is spoiled fails at one place with one failure.
 * - It ends: a value that is not found after some hundred draws is a {@link NoValueError}.
 *
 * @module
 */
export { arbitrary, type ValueOptions } from "./arbitrary.ts";
export type { RuleName } from "./rules.ts";
export { pathOf, spoil, type Spoiling, spoilings } from "./spoil.ts";
export { NoValueError } from "./support.ts";
export { toWire } from "./wire.ts";
