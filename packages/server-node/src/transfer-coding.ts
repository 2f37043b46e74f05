import { badRequest, notImplemented, type Refusal } from "./refusal.ts";

const token = /^[\w!#$%&'*+\-.^`|~]+$/;

/**
 * Returns the refusal for a wrong value of `transfer-encoding`. The counterpart is `crates/kit-guard/src/coding.rs`, which says why: a request
 * whose last coding is not `chunked` has no end that a server could find (RFC 9112, 6.3).
 */
export function codingRefusal(value: string): Refusal | undefined {
  // Nearly every message with chunks has this value.
  if (value === "chunked") return undefined;
  const codings = value
    .toLowerCase()
    .split(",")
    .map((coding) => trim(coding));
  if (codings.pop() !== "chunked") {
    return badRequest("the last transfer coding of a request must be `chunked`");
  }
  // A coding may have parameters: `gzip;level=1`.
  const names = codings.map((coding) => trim(coding.split(";", 1)[0]!));
  if (names.some((name) => !token.test(name) || name === "chunked")) {
    return badRequest("the header `transfer-encoding` is invalid");
  }
  return names.length === 0 ? undefined : notImplemented("only the transfer encoding `chunked` is supported");
}

/**
 * Without the spaces and tabs around it. `String.prototype.trim` takes more for white space, and an expression such as `/[ \t]+$/` takes
 * quadratic time on a value with many blanks inside.
 */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
