import * as fc from "fast-check";

import { NoValueError, type NumberShape } from "./support.ts";

/** Rules of a number type, such as `minimum`. */
export type NumberRules = Omit<NumberShape, "kind">;

/** Greatest distance of a readable number from the smallest number of its range. */
const READABLE = 1000;

/** Returns numbers that satisfy the rules. */
export function numbers(rules: NumberRules, readable: boolean): fc.Arbitrary<number> {
  const { integer, multipleOf } = rules;
  if (multipleOf !== undefined) return multiples(rules, multipleOf, readable);
  if (integer !== undefined) return integers(rules, readable);
  if (readable) {
    // Numbers with two decimal digits, like prices. There may be none within the bounds.
    const cents = scaled(rules, 100n, 1n);
    if (cents.min <= cents.max) return within(narrowed(cents, 100n)).map((count) => quotient(count, 100n));
  }
  return doubles(rules);
}

function doubles({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
}: NumberRules): fc.Arbitrary<number> {
  const min = Math.max(minimum ?? -Number.MAX_VALUE, exclusiveMinimum ?? -Number.MAX_VALUE);
  const max = Math.min(maximum ?? Number.MAX_VALUE, exclusiveMaximum ?? Number.MAX_VALUE);
  const minExcluded = exclusiveMinimum !== undefined && exclusiveMinimum === min;
  const maxExcluded = exclusiveMaximum !== undefined && exclusiveMaximum === max;
  if (min > max || (min === max && (minExcluded || maxExcluded))) {
    throw new NoValueError(`found no number between ${min} and ${max}`);
  }
  const options = { min, max, minExcluded, maxExcluded, noNaN: true, noDefaultInfinity: true };
  // Adding 0 turns -0 into 0, because -0 becomes 0 in JSON.
  return fc.double(options).map((number) => number + 0);
}

function integers(rules: NumberRules, readable: boolean): fc.Arbitrary<number> {
  const bounds = scaled(rules, 1n, 1n);
  return within(readable ? narrowed(bounds, 1n) : bounds).map(Number);
}

/** Returns multiples of a number: only integers if the rules require integers. */
function multiples(rules: NumberRules, multipleOf: number, readable: boolean): fc.Arbitrary<number> {
  const step = fraction(multipleOf);
  // A multiple of `p / q` that is an integer is a multiple of `p / gcd(p, q)`.
  const whole = rules.integer !== undefined;
  const digits = whole ? step.digits / divisor(step.digits, step.scale) : step.digits;
  const scale = whole ? 1n : step.scale;
  const bounds = scaled(rules, scale, digits);
  const taken = readable ? narrowed(bounds, scale / digits + 1n) : bounds;
  return within(taken).map((count) => quotient(count * digits, scale));
}

/** Smallest and largest integer of a range. */
interface Bounds {
  readonly min: bigint;
  readonly max: bigint;
}

/**
 * Returns the range of the integers `n` for which `n * digits / scale` satisfies the rules and is between `-furthest` and `furthest`.
 */
function scaled(
  rules: NumberRules,
  scale: bigint,
  digits: bigint,
  furthest = BigInt(Number.MAX_SAFE_INTEGER),
): Bounds {
  let [min, max] = [-furthest / digits, furthest / digits];
  const lower = (bound: number | undefined, open: boolean): void => {
    if (bound === undefined) return;
    const { floor, exact } = share(bound, scale, digits);
    const least = exact && !open ? floor : floor + 1n;
    if (least > min) min = least;
  };
  const upper = (bound: number | undefined, open: boolean): void => {
    if (bound === undefined) return;
    const { floor, exact } = share(bound, scale, digits);
    const most = exact && open ? floor - 1n : floor;
    if (most < max) max = most;
  };
  lower(rules.minimum, false);
  lower(rules.exclusiveMinimum, true);
  upper(rules.maximum, false);
  upper(rules.exclusiveMaximum, true);
  // If the only bound is further from zero than `furthest`, numbers near this bound are used.
  if (min > max && rules.maximum === undefined && rules.exclusiveMaximum === undefined) max = min + 1000n;
  else if (min > max && rules.minimum === undefined && rules.exclusiveMinimum === undefined)
    min = max - 1000n;
  return { min, max };
}

/** Returns `bound * scale / digits`, rounded down. `exact` is true if the result was not rounded. */
function share(
  bound: number,
  scale: bigint,
  digits: bigint,
): { readonly floor: bigint; readonly exact: boolean } {
  // Uses the exact value of the bound, because the string of 2^63 is the rounded 9223372036854776000.
  const { digits: above, scale: below } = Number.isInteger(bound)
    ? { digits: BigInt(bound), scale: 1n }
    : fraction(bound);
  const dividend = above * scale;
  const by = below * digits;
  const rest = dividend % by;
  const floor = dividend / by - (rest < 0n ? 1n : 0n);
  return { floor, exact: rest === 0n };
}

/**
 * Returns the part of a range whose numbers are easy to read: the numbers from 0 to about 1,000. If the range has no such
 * numbers, returns the part of the range that is nearest to 0.
 */
function narrowed({ min, max }: Bounds, scale: bigint): Bounds {
  const room = BigInt(READABLE) * scale;
  const least = min > 0n ? min : max < 0n ? (max - room > min ? max - room : min) : 0n;
  const most = max < 0n ? max : least + room < max ? least + room : max;
  return { min: least, max: most };
}

/** Returns integers within a range. */
function within({ min, max }: Bounds): fc.Arbitrary<bigint> {
  if (min > max) throw new NoValueError("found no number within the bounds");
  return fc.bigInt({ min, max });
}

/** Returns bigints that satisfy the rules. */
export function bigints(rules: NumberRules, readable: boolean): fc.Arbitrary<bigint> {
  const step = rules.multipleOf === undefined ? 1n : fraction(rules.multipleOf).digits;
  const bounds = scaled(rules, 1n, step, 2n ** 70n);
  return within(readable ? narrowed(bounds, 1n) : bounds).map((count) => count * step);
}

/** Returns a number as a fraction of two integers: 0.25 gives 25 / 100. */
function fraction(number: number): { readonly digits: bigint; readonly scale: bigint } {
  const [mantissa = "0", power = "0"] = number.toString().split("e");
  const [whole = "0", rest = ""] = mantissa.split(".");
  const exponent = Number(power) - rest.length;
  const digits = BigInt(whole + rest);
  return exponent < 0
    ? { digits, scale: 10n ** BigInt(-exponent) }
    : { digits: digits * 10n ** BigInt(exponent), scale: 1n };
}

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b);
}

/** Returns the JavaScript number that is nearest to a decimal fraction. */
function quotient(digits: bigint, scale: bigint): number {
  if (scale === 1n) return Number(digits);
  const sign = digits < 0n ? "-" : "";
  const places = scale.toString().length - 1;
  const text = (digits < 0n ? -digits : digits).toString().padStart(places + 1, "0");
  return Number(`${sign}${text.slice(0, -places)}.${text.slice(-places)}`) + 0;
}
