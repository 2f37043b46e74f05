import type { ResponseBody } from "@kit/types";

import { http } from "./http-module.ts";

/** Headers that a handler cannot set. The server sets them itself, because a wrong value would break the framing of the response. */
const reserved: ReadonlySet<string> = new Set([
  "content-length",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const maxNameLength = 65_535;

/**
 * Throws an error if a response cannot be written, for example because a header has an invalid value. This check runs
 * before the status and the headers are passed to a framework: after that, kit could not send a 500 in place of the response.
 *
 * @example
 * ```ts
 * checkResponse(200, "text/plain", "hello", ["cache-control", "no-store"]);
 * ```
 * @throws {Error} with Node's code for an invalid status, header or body, such as `ERR_HTTP_INVALID_STATUS_CODE`.
 */
export function checkResponse(
  status: number,
  contentType: string | null,
  body: ResponseBody,
  headers: readonly string[] | null,
): void {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw codedError(
      "ERR_HTTP_INVALID_STATUS_CODE",
      `Invalid response status ${String(status)}: use a final HTTP status (200 to 599)`,
    );
  }
  if (body !== null && typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw codedError("ERR_INVALID_ARG_TYPE", "The response body must be a string, a Uint8Array or null");
  }
  if (contentType !== null && contentType !== "application/json") {
    http.validateHeaderValue("content-type", contentType);
  }
  if (headers === null) return;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    const value = headers[index + 1]!;
    http.validateHeaderName(name);
    http.validateHeaderValue(name, value);
    const isConnection = name === "connection" && value.toLowerCase() !== "close";
    // A 426 response must name the protocol (RFC 9110, 15.5.22), and `connection` must name the header (7.8).
    const asksForUpgrade =
      status === 426 && (name === "upgrade" || (isConnection && /^upgrade(?:, close)?$/i.test(value)));
    const isFraming = (reserved.has(name) || isConnection) && !asksForUpgrade;
    if (isFraming || name.length > maxNameLength) {
      throw codedError(
        "ERR_INVALID_HTTP_TOKEN",
        isFraming
          ? `The header \`${name}\` is set by the server itself`
          : `A header name is too long: ${name.length} characters (at most ${maxNameLength})`,
      );
    }
  }
}

/** Returns an error with a `code`, like the errors of Node. */
export function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
