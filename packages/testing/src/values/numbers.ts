import * as fc from "fast-check";

import { NoValueError, type NumberShape } from "./support.ts";

/** Rules on numbers. */
export type NumberRules = Omit<NumberShape, "kind">;

/** The greatest number that people read as one. */
const READABLE = 1000;

/** Numbers that keep rules. */
export function numbers(rules: NumberRules, readable: boolean): fc.Arbitrary<number> {
  const { integer, multipleOf } = rules;
  if (multipleOf !== undefined) return multiples(rules, multipleOf, readable);
  if (integer !== undefined) return integers(rules, readable);
  if (readable) {
    // Two digits behind the point, as prices have; bounds may leave no room for them.
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
  // JSON has no -0.
  return fc.double(options).map((number) => number + 0);
}

function integers(rules: NumberRules, readable: boolean): fc.Arbitrary<number> {
  const bounds = scaled(rules, 1n, 1n);
  return within(readable ? narrowed(bounds, 1n) : bounds).map(Number);
}

/** Multiples of a number: whole ones where the rules say so. */
function multiples(rules: NumberRules, multipleOf: number, readable: boolean): fc.Arbitrary<number> {
  const step = fraction(multipleOf);
  // Of `p / q`, the whole multiples are those of `p / gcd(p, q)`.
  const whole = rules.integer !== undefined;
  const digits = whole ? step.digits / divisor(step.digits, step.scale) : step.digits;
  const scale = whole ? 1n : step.scale;
  const bounds = scaled(rules, scale, digits);
  const taken = readable ? narrowed(bounds, scale / digits + 1n) : bounds;
  return within(taken).map((count) => quotient(count * digits, scale));
}

/** Bounds of whole numbers. */
interface Bounds {
  readonly min: bigint;
  readonly max: bigint;
}

/** Between which whole numbers `n` the number `n * digits / scale` keeps the bounds, and is no further from zero than `furthest`. */
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
  // Further away than that, near the one bound that there is.
  if (min > max && rules.maximum === undefined && rules.exclusiveMaximum === undefined) max = min + 1000n;
  else if (min > max && rules.minimum === undefined && rules.exclusiveMinimum === undefined)
    min = max - 1000n;
  return { min, max };
}

/** `bound * scale / digits`, rounded down. */
function share(
  bound: number,
  scale: bigint,
  digits: bigint,
): { readonly floor: bigint; readonly exact: boolean } {
  // A bound is compared as the number that it is: the text of 2^63 says 9223372036854776000.
  const { digits: above, scale: below } = Number.isInteger(bound)
    ? { digits: BigInt(bound), scale: 1n }
    : fraction(bound);
  const dividend = above * scale;
  const by = below * digits;
  const rest = dividend % by;
  const floor = dividend / by - (rest < 0n ? 1n : 0n);
  return { floor, exact: rest === 0n };
}

/** The part of bounds that people would choose from: numbers from 0 to some hundred, or what is nearest to them. */
function narrowed({ min, max }: Bounds, scale: bigint): Bounds {
  const room = BigInt(READABLE) * scale;
  const least = min > 0n ? min : max < 0n ? (max - room > min ? max - room : min) : 0n;
  const most = max < 0n ? max : least + room < max ? least + room : max;
  return { min: least, max: most };
}

/** Whole numbers within bounds. */
function within({ min, max }: Bounds): fc.Arbitrary<bigint> {
  if (min > max) throw new NoValueError("found no number within the bounds");
  return fc.bigInt({ min, max });
}

/** Bigints that keep rules. */
export function bigints(rules: NumberRules, readable: boolean): fc.Arbitrary<bigint> {
  const step = rules.multipleOf === undefined ? 1n : fraction(rules.multipleOf).digits;
  const bounds = scaled(rules, 1n, step, 2n ** 70n);
  return within(readable ? narrowed(bounds, 1n) : bounds).map((count) => count * step);
}

/** What the shortest decimal text of a number says, as a fraction. */
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

/** The number that is nearest to a fraction of decimal digits. */
function quotient(digits: bigint, scale: bigint): number {
  if (scale === 1n) return Number(digits);
  const sign = digits < 0n ? "-" : "";
  const places = scale.toString().length - 1;
  const text = (digits < 0n ? -digits : digits).toString().padStart(places + 1, "0");
  return Number(`${sign}${text.slice(0, -places)}.${text.slice(-places)}`) + 0;
}
