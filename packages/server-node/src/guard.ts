import type { IncomingMessage } from "node:http";

import { isAuthority } from "./authority.ts";
import type { HostLimits } from "./limits.ts";
import { badRequest, headersTooLarge, type Refusal, targetTooLong, unknownVersion } from "./refusal.ts";
import { codingRefusal } from "./transfer-coding.ts";

/**
 * Headers that may occur only once. If one of them is repeated, a proxy in front of this server may use
 * another value than kit.
 */
const singular: ReadonlySet<string> = new Set([
  "host",
  "content-type",
  "authorization",
  "content-length",
  "transfer-encoding",
]);

/** Checks a request head that Node's parser accepted. Returns a refusal if it is invalid, and `undefined` if it is valid. */
export function refusalOf(request: IncomingMessage, limits: HostLimits): Refusal | undefined {
  const { rawHeaders, url = "" } = request;
  if (request.httpVersionMajor !== 1) {
    // Node parses a request line without a version as HTTP/0.9.
    return request.httpVersionMajor === 0 ? badRequest("the request is not valid HTTP") : unknownVersion;
  }
  if (url.length > limits.targetBytes) return targetTooLong;
  if (rawHeaders.length > limits.headerFields * 2) return headersTooLarge;
  const repeated = repeatedField(rawHeaders);
  if (repeated !== undefined) return badRequest(`the header \`${repeated}\` is repeated`);
  const { host, "transfer-encoding": coding } = request.headers;
  if (host === undefined) {
    if (request.httpVersionMinor !== 0) return badRequest("the header `host` is missing");
  } else if (!isAuthority(host)) {
    return badRequest("the header `host` is invalid");
  }
  if (coding !== undefined) {
    if (request.httpVersionMinor === 0) return badRequest("HTTP/1.0 has no `transfer-encoding`");
    const refusal = codingRefusal(coding);
    if (refusal !== undefined) return refusal;
  }
  // JavaScript numbers are exact only up to this one, so two different lengths above it could compare as equal.
  if (Number(request.headers["content-length"]) > Number.MAX_SAFE_INTEGER) {
    return badRequest("the header `content-length` is invalid");
  }
  return targetRefusal(request.method!, url);
}

function repeatedField(rawHeaders: readonly string[]): string | undefined {
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    // Only headers with the length of a name in `singular` need the slower comparison.
    const { length } = name;
    if (length !== 4 && length !== 12 && length !== 13 && length !== 14 && length !== 17) continue;
    const lowerName = name.toLowerCase();
    if (!singular.has(lowerName)) continue;
    const bit = 1 << length;
    if ((seen & bit) !== 0) return lowerName;
    seen |= bit;
  }
  return undefined;
}

/**
 * Matches a valid path and query: visible ASCII, except the backslash and characters that must be percent-encoded. No URI contains a
 * backslash (RFC 3986), and some parsers read it as a slash.
 *
 * The path part does not match `?`. If it did, the expression could split a target with many `?` in as many
 * ways before it fails.
 */
const targetPattern = /^\/[^\0-\x20"<>#\\`?\x7f-\u{10ffff}]*(?:\?[^\0-\x20"<>#\\\x7f-\u{10ffff}]*)?$/u;
/** Matches a target with a path segment `.` or `..`, raw or percent-encoded. Proxies and frameworks resolve these segments differently. */
const dotSegment = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

function targetRefusal(method: string, url: string): Refusal | undefined {
  if (url === "*" && method === "OPTIONS") return undefined;
  if (targetPattern.test(url)) return dotRefusal(url);
  return url.startsWith("/")
    ? badRequest("the request target has characters that must be percent-encoded")
    : badRequest("the request target must begin with a slash");
}

/**
 * Returns the path and query of a target that is a full URL: `http://a/b?c` gives `/b?c`. Only proxies receive such targets, but every
 * server must accept them.
 */
export function originForm(url: string): string {
  // Skip the slower expression for nearly all targets.
  if (url.startsWith("/")) return url;
  const absolute = /^https?:\/\/[\w\-.~%!$&'()*+,;=:[\]]+([/?].*)?$/s.exec(url);
  if (absolute === null) return url;
  const rest = absolute[1] ?? "";
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function dotRefusal(url: string): Refusal | undefined {
  // Skip the slower expression for targets that cannot have a dot segment.
  if (!(url.includes("/.") || url.includes("%2")) || !dotSegment.test(url)) return undefined;
  return badRequest("the request target has a dot segment, `.` or `..`; send the resolved path");
}
