/** Matches a decimal number in JSON syntax. Unlike `Number`, refuses `0x10`, spaces, `+` and the empty string. */
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Converts a string that is a decimal number. Returns every other value unchanged, such as the array of a query key
 * that occurs twice.
 *
 * @example
 * ```ts
 * coerceNumber("-1.5"); // -1.5
 * coerceNumber("0x10"); // "0x10"
 * ```
 */
export function coerceNumber(text: unknown): unknown {
  if (typeof text !== "string" || !NUMBER.test(text)) return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/**
 * Converts `true`, `1`, `false` and `0` to booleans. Returns every other value unchanged.
 *
 * @example
 * ```ts
 * coerceBoolean("1"); // true
 * coerceBoolean("yes"); // "yes"
 * ```
 */
export function coerceBoolean(text: unknown): unknown {
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  return text;
}

/**
 * Converts a string to the literal that it represents: `"2"` gives 2 for the type `1 | 2`. Returns every other value
 * unchanged.
 *
 * @example
 * ```ts
 * coerceLiteral("2", [1, 2]); // 2
 * coerceLiteral("3", [1, 2]); // "3"
 * ```
 */
export function coerceLiteral(text: unknown, literals: readonly (number | boolean)[]): unknown {
  for (const literal of literals) {
    if (typeof literal === "number" ? coerceNumber(text) === literal : coerceBoolean(text) === literal)
      return literal;
  }
  return text;
}

/**
 * Converts the values of a query key to an array of coerced items: `id=1` gives `[1]`, `id=1&id=2` gives `[1, 2]`.
 *
 * @example
 * ```ts
 * coerceEach(["1", "2"], coerceNumber); // [1, 2]
 * coerceEach("1", coerceNumber); // [1]
 * ```
 */
export function coerceEach(value: unknown, coerce: (text: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map((item) => coerce(item)) : [coerce(value)];
}
