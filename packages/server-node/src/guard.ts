import type { IncomingMessage } from "node:http";

import type { HostBounds } from "./bounds.ts";
import {
  badRequest,
  headersTooLarge,
  notImplemented,
  type Refusal,
  targetTooLong,
  unknownVersion,
} from "./refusal.ts";

/** Fields of which a second one is a trap: whoever stands before this server may have looked at the other. */
const singular: ReadonlySet<string> = new Set(["host", "content-type", "authorization", "content-length"]);

const hostPattern = /^[\w\-.~%!$&'()*+,;=:[\]]*$/;

/** What is wrong with the head of a request that Node's parser has let through. */
export function refusalOf(request: IncomingMessage, bounds: HostBounds): Refusal | undefined {
  const { rawHeaders, url = "" } = request;
  if (request.httpVersionMajor !== 1) {
    // A request line without any version is one of 0.9 to Node.
    return request.httpVersionMajor === 0 ? badRequest("the request is not valid HTTP") : unknownVersion;
  }
  if (url.length > bounds.targetBytes) return targetTooLong;
  if (rawHeaders.length > bounds.headerFields * 2) return headersTooLarge;
  const repeated = repeatedField(rawHeaders);
  if (repeated !== undefined) return badRequest(`the header \`${repeated}\` is repeated`);
  const { host, "transfer-encoding": coding } = request.headers;
  if (host === undefined) {
    if (request.httpVersionMinor !== 0) return badRequest("the header `host` is missing");
  } else if (!hostPattern.test(host)) {
    return badRequest("the header `host` is invalid");
  }
  if (coding !== undefined) {
    if (request.httpVersionMinor === 0) return badRequest("HTTP/1.0 has no `transfer-encoding`");
    if (coding.toLowerCase() !== "chunked") {
      return notImplemented("only the transfer encoding `chunked` is supported");
    }
  }
  // Beyond it two lengths that differ would be the same number.
  if (Number(request.headers["content-length"]) > Number.MAX_SAFE_INTEGER) {
    return badRequest("the header `content-length` is invalid");
  }
  return targetRefusal(request.method!, url);
}

function repeatedField(rawHeaders: readonly string[]): string | undefined {
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    // The length decides almost always, so that most fields cost one comparison.
    const { length } = name;
    if (length !== 4 && length !== 12 && length !== 13 && length !== 14) continue;
    const lowerName = name.toLowerCase();
    if (!singular.has(lowerName)) continue;
    const bit = 1 << length;
    if ((seen & bit) !== 0) return lowerName;
    seen |= bit;
  }
  return undefined;
}

/** Visible ASCII but what the URL standard has encoded everywhere. */
const targetPattern = /^\/[^\0-\x20"<>#`\x7f-\u{10ffff}]*(?:\?[^\0-\x20"<>#\x7f-\u{10ffff}]*)?$/u;

function targetRefusal(method: string, url: string): Refusal | undefined {
  if (targetPattern.test(url) || (url === "*" && method === "OPTIONS")) return undefined;
  return url.startsWith("/")
    ? badRequest("the request target has characters that must be percent-encoded")
    : badRequest("the request target must begin with a slash");
}

/** The path and query of a target in the absolute form, which only a proxy is sent but every server must take. */
export function originForm(url: string): string {
  const absolute = /^https?:\/\/[\w\-.~%!$&'()*+,;=:[\]]+([/?].*)?$/s.exec(url);
  if (absolute === null) return url;
  const rest = absolute[1] ?? "";
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Whether a framework would answer by itself what is kit's to answer: a path that cannot be decoded, or that it would read
 * as another one.
 */
export function isForKitAlone(url: string): boolean {
  if (url.includes("\\")) return true;
  if (!url.includes("%")) return url === "*";
  const end = url.indexOf("?");
  try {
    decodeURIComponent(end === -1 ? url : url.slice(0, end));
    return false;
  } catch {
    return true;
  }
}
