/** Matches a decimal number in JSON syntax. Unlike `Number`, refuses `0x10`, spaces, `+` and the empty string. */
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Converts a string that is a number. Returns every other value unchanged, such as the array of a repeated key. */
export function coerceNumber(text: unknown): unknown {
  if (typeof text !== "string" || !NUMBER.test(text)) return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** Converts `true`, `1`, `false` and `0` to booleans. Returns every other value unchanged. */
export function coerceBoolean(text: unknown): unknown {
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  return text;
}

/** Converts a string that is the JSON form of one of the literals. Returns every other value unchanged. */
export function coerceLiteral(text: unknown, literals: readonly (number | boolean)[]): unknown {
  for (const literal of literals) {
    if (typeof literal === "number" ? coerceNumber(text) === literal : coerceBoolean(text) === literal)
      return literal;
  }
  return text;
}

/** Converts a single value or a repeated key to an array, and coerces each item. */
export function coerceEach(value: unknown, coerce: (text: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map((item) => coerce(item)) : [coerce(value)];
}
