import { secondsOfHttpDate } from "../edge/http-date.ts";
import type { FoundFile } from "./find-file.ts";

/** Validators of a file (RFC 9110, 8.8). Both are `null` if the file has no usable time of its last change. */
export interface FileValidators {
  readonly tag: string | null;
  readonly lastModified: string | null;
}

const none: FileValidators = { tag: null, lastModified: null };

/**
 * 2 January 1980 in seconds since 1970. Tools that make equal archives each time set the times of all files to the first
 * day of 1970 or of 1980, so that different contents of one size would get one entity tag.
 */
const firstMeaningful = 315_619_200n;
const nanoseconds = 1_000_000_000n;

/**
 * Returns the validators of a file. The entity tag consists of the size, the time of the last change in nanoseconds, and
 * the coding. It is strong, so that clients can continue a download.
 */
export function validatorsOf({
  size,
  modified,
  coding,
}: Pick<FoundFile, "size" | "modified" | "coding">): FileValidators {
  const seconds = modified / nanoseconds;
  if (seconds < firstMeaningful) return none;
  const end = coding === null ? "" : `-${coding}`;
  return {
    tag: `"${size.toString(16)}-${modified.toString(16)}${end}"`,
    lastModified: lastModifiedOf(Number(seconds) * 1000),
  };
}

/** Returns the header `last-modified` for a time in milliseconds. The time must not be later than that of the response (RFC 9110, 8.8.2.1). */
export function lastModifiedOf(milliseconds: number): string | null {
  return milliseconds > Date.now() ? null : new Date(milliseconds).toUTCString();
}

/**
 * Returns true if ranges may be sent: the header `if-range` is absent, or has the entity tag or the time of the file (RFC
 * 9110, 13.1.5). A weak tag never counts. A time counts only if the file did not change in the second before the response.
 */
export function holdsIfRange(header: string | undefined, { tag, lastModified }: FileValidators): boolean {
  if (header === undefined) return true;
  if (header.includes('"')) return header === tag && !header.startsWith("W/");
  if (lastModified === null) return false;
  const modified = secondsOfHttpDate(lastModified);
  return secondsOfHttpDate(header) === modified && modified! + 1 <= Math.floor(Date.now() / 1000);
}
