/** Minimum number of characters of a key. */
const shortestKey = 32;

/**
 * Returns keys for signatures. `where` begins the message of the error.
 *
 * @throws {TypeError} If a key is too short. The message never contains a key.
 */
export function requireKeys(keys: readonly unknown[], where: string): readonly string[] {
  for (const [index, key] of keys.entries()) {
    if (typeof key === "string" && key.length >= shortestKey) continue;
    throw new TypeError(
      `${where}: key ${index + 1} must be a string of at least ${shortestKey} characters; make one with \`openssl rand -base64 32\``,
    );
  }
  return keys as readonly string[];
}

/**
 * Returns the keys in an environment variable, which commas separate. The list is empty if the variable is not set.
 *
 * @throws {TypeError} If a key is too short. The message never contains a key.
 */
export function keysInVariable(
  variable: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly string[] {
  const text = env[variable] ?? "";
  return text === ""
    ? []
    : requireKeys(
        text.split(",").map((key) => key.trim()),
        variable,
      );
}
