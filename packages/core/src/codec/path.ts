import { truncate } from "./display-value.ts";

/** Matches a name that JSONPath allows after a dot. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Maximum length of a path, in UTF-16 code units. Clients choose the keys, and a key of one megabyte that a hundred
 * failures repeat would result in a response of a hundred megabytes.
 */
const MAX_PATH = 1_000;

/**
 * Returns the path segment of an object property: `.title`, `["odd key"]`. A key of more than 200 UTF-16 code units is
 * cut and ends with `…`.
 */
export function memberStep(key: string): string {
  const short = truncate(key);
  return PLAIN_NAME.test(short) ? `.${short}` : `[${JSON.stringify(short)}]`;
}

/** Returns the path of an object property: `$.title`, `$["odd key"]`. */
export function memberPath(path: string, key: string): string {
  return joinedPath(path, memberStep(key));
}

/** Returns the path of an array item: `$.tags[0]`. */
export function itemPath(path: string, index: number): string {
  return joinedPath(path, `[${index}]`);
}

/**
 * Appends a segment to a path. If the path would become longer than 1,000 UTF-16 code units, `…` replaces this segment
 * and all later segments.
 */
export function joinedPath(path: string, step: string): string {
  // A segment never ends with `…`, because a key with this character is quoted.
  if (path.endsWith("…")) return path;
  return path.length + step.length > MAX_PATH ? `${path}…` : path + step;
}
