/**
 * Returns the items that an option of the command line names, in the order of the list. Without the option, returns all items.
 *
 * @param text Names separated by commas.
 * @throws {RangeError} If a name is unknown. The message lists the valid names.
 */
export function select<T extends { readonly name: string }>(
  option: string,
  text: string | undefined,
  all: readonly T[],
  initial: readonly T[] = all,
): readonly T[] {
  if (text === undefined) return initial;
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const known = all.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new RangeError(`${option}: there is no \`${unknown}\`; there are ${known.join(", ")}`);
  }
  if (names.length === 0) throw new RangeError(`${option} names nothing; there are ${known.join(", ")}`);
  return all.filter(({ name }) => names.includes(name));
}

/** Parses the value of an option that must be a number above 0. */
export function positive(option: string, text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value))
    throw new RangeError(`${option} must be a number above 0, not \`${text}\``);
  return value;
}
