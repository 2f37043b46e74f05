/**
 * Refuses options that do not exist. A misspelt name would silently leave a default in place.
 *
 * @throws {TypeError} If an option is unknown. The message lists the known names.
 */
export function refuseUnknown(owner: string, options: object, known: Readonly<Record<string, true>>): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${owner}: the options must be an object`);
  }
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    throw new TypeError(
      `${owner}: there is no option \`${name}\`; the options are ${Object.keys(known).join(", ")}`,
    );
  }
}

/**
 * Returns a number option, or its default.
 *
 * @throws {RangeError} If the value is not an integer in the range.
 */
export function integerOption(
  name: string,
  value: number | undefined,
  fallback: number,
  [minimum, maximum]: readonly [number, number],
): number {
  if (value === undefined) return fallback;
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new RangeError(`${name} must be an integer from ${minimum} to ${maximum}, not ${String(value)}`);
}
