import { shortened } from "./shown.ts";

/** A name that JSONPath takes after a dot. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The longest path, in UTF-16 units. Clients choose keys, and a key of a megabyte that a hundred failures repeat would make an answer of a
 * hundred megabytes.
 */
const MAX_PATH = 1_000;

/** The step to a member: `.title`, `["odd key"]`. A key of more than 200 UTF-16 units is cut, with `…` at its end. */
export function memberStep(key: string): string {
  const short = shortened(key);
  return PLAIN_NAME.test(short) ? `.${short}` : `[${JSON.stringify(short)}]`;
}

/** The path of a member: `$.title`, `$["odd key"]`. */
export function memberPath(path: string, key: string): string {
  return joinedPath(path, memberStep(key));
}

/** The path of an item: `$.tags[0]`. */
export function itemPath(path: string, index: number): string {
  return joinedPath(path, `[${index}]`);
}

/** A path with one more step. A step that would make the path longer than 1,000 UTF-16 units, and all steps after it, are `…`. */
export function joinedPath(path: string, step: string): string {
  // No step ends with `…`: a key that has one stands in quotes.
  if (path.endsWith("…")) return path;
  return path.length + step.length > MAX_PATH ? `${path}…` : path + step;
}
