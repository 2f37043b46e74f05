import { matchesStrongly, matchesWeakly } from "./entity-tag.ts";
import { secondsOfHttpDate } from "./http-date.ts";

/** Validators of the current representation of a resource (RFC 9110, 8.8). */
export interface CurrentValidators {
  /** Entity tag. `null` if the representation has none. */
  readonly tag: string | null;
  /** Value of the header `last-modified`. `null` if it is unknown. */
  readonly lastModified: string | null;
}

/**
 * Result of the preconditions of a request. `not-modified` results in 304: the client has the current body
 * already. `failed` results in 412: the resource has changed since the client read it.
 */
export type PreconditionResult = "passed" | "not-modified" | "failed";

/** Reads a request header by its lower-case name. */
type ReadHeader = (name: string) => string | undefined;

/**
 * Evaluates the preconditions of a request in the order of RFC 9110, 13.2.2. `current` is `null` if there is no
 * representation, such as before a resource is created. `Range` and `If-Range` are evaluated afterwards, for
 * files and downloads only.
 */
export function evaluatePreconditions(
  method: string,
  header: ReadHeader,
  current: CurrentValidators | null,
): PreconditionResult {
  const isRead = method === "GET" || method === "HEAD";
  const ifMatch = header("if-match");
  if (ifMatch !== undefined) {
    if (current === null || !matchesStrongly(ifMatch, current.tag)) return "failed";
  } else if (isModifiedSince(header("if-unmodified-since"), current) === true) return "failed";
  const ifNoneMatch = header("if-none-match");
  if (ifNoneMatch !== undefined) {
    if (current === null || !matchesWeakly(ifNoneMatch, current.tag)) return "passed";
    return isRead ? "not-modified" : "failed";
  }
  if (isRead && isModifiedSince(header("if-modified-since"), current) === false) return "not-modified";
  return "passed";
}

/**
 * Returns true if the resource was changed after the given time. Returns `undefined` if one of the two times
 * is unknown or invalid, because servers ignore the header in this case.
 */
function isModifiedSince(given: string | undefined, current: CurrentValidators | null): boolean | undefined {
  if (given === undefined || current === null || current.lastModified === null) return undefined;
  const time = secondsOfHttpDate(given);
  const modified = secondsOfHttpDate(current.lastModified);
  return time === undefined || modified === undefined ? undefined : modified > time;
}
