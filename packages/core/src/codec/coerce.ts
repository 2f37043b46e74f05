/** A finite decimal number as JSON writes it. No `0x10`, no spaces, no `+`, no empty text: `Number` would take them all. */
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Text that is a number becomes it; everything else (repeated keys are arrays) stays what it was. */
export function coerceNumber(text: unknown): unknown {
  if (typeof text !== "string" || !NUMBER.test(text)) return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** `true`, `1`, `false` and `0` become booleans; everything else stays what it was. */
export function coerceBoolean(text: unknown): unknown {
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  return text;
}

/** Text that names one of the literals by its JSON form becomes it; everything else stays what it was. */
export function coerceLiteral(text: unknown, literals: readonly (number | boolean)[]): unknown {
  for (const literal of literals) {
    if (typeof literal === "number" ? coerceNumber(text) === literal : coerceBoolean(text) === literal)
      return literal;
  }
  return text;
}

/** One value or a repeated key as an array, each item coerced. */
export function coerceEach(value: unknown, coerce: (text: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map((item) => coerce(item)) : [coerce(value)];
}
