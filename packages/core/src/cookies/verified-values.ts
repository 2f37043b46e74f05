/** Half of the maximum number of values. A browser sends one signed cookie with many requests. */
const half = 500;

/** Maximum number of characters of a name and a signed value that are kept, so that all of them need at most 1 MiB. */
const longest = 1000;

/**
 * Signed values whose signatures were verified, by name and signed value. A signature costs more than the rest of a
 * small request. Signatures that are wrong are never kept, so that clients cannot fill the memory.
 */
export class VerifiedValues {
  // Two maps: when the first has half of the values, it replaces the second. To remove the oldest entry of one large map,
  // V8 walks over all entries that were removed before.
  #recent = new Map<string, string>();
  #older = new Map<string, string>();

  /** Returns the value of a cookie, or calls `verify` if the signed value is not known. */
  get(name: string, signed: string, verify: () => string | undefined): string | undefined {
    // A name has no `=`, so each key has one name and one value.
    const key = `${name}=${signed}`;
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const value = this.#older.get(key) ?? verify();
    if (value !== undefined && key.length <= longest) this.#add(key, value);
    return value;
  }

  #add(key: string, value: string): void {
    // Without the copy, the text would keep the complete header of its request in memory.
    this.#recent.set(key, Buffer.from(value).toString());
    if (this.#recent.size < half) return;
    this.#older = this.#recent;
    this.#recent = new Map();
  }
}
