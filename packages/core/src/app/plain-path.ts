/**
 * Checks a path that kit itself serves, such as `/docs`. The path must not contain parameters or encoded
 * characters.
 *
 * @throws {TypeError} If the path is invalid. The message names the option.
 */
export function requireStaticPath(path: unknown, name: string, example: string): void {
  if (typeof path === "string" && /^(?:\/[\w.~-]+)+$/.test(path)) return;
  throw new TypeError(
    `createApp: \`${name}\` must be a path such as ${example}, of letters, digits and -._~ only, not ${JSON.stringify(path)}`,
  );
}
