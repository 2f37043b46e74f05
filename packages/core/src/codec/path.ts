/** A name that JSONPath takes after a dot. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The path of a member: `$.title`, `$["odd key"]`. */
export function memberPath(path: string, key: string): string {
  return PLAIN_NAME.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
