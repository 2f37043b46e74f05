import { badRequest, notImplemented, type Refusal } from "./refusal.ts";

const token = /^[\w!#$%&'*+\-.^`|~]+$/;

/**
 * Returns the refusal for an invalid value of `transfer-encoding`. The counterpart is `crates/kit-guard/src/transfer_coding.rs`, which explains the
 * reason: if the last coding is not `chunked`, a server cannot find the end of the request (RFC 9112, 6.3).
 */
export function codingRefusal(value: string): Refusal | undefined {
  // Nearly every chunked message has this value.
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
 * Removes spaces and tabs from both ends. `String.prototype.trim` also removes other white space, and an expression such as `/[ \t]+$/`
 * takes quadratic time on a value with many blanks inside.
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
