import { validateHeaderName, validateHeaderValue } from "node:http";

import type { ResponseBody } from "@kit/types";

/** Framing is the server's business: a handler that set these could break an answer's bounds. */
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
 * Throws what cannot be written as an answer, before any of it is. Frameworks find out too late: when part of the answer is set,
 * or in a place where nobody can answer with something else.
 */
export function checkAnswer(
  status: number,
  contentType: string | null,
  body: ResponseBody,
  headers: readonly string[] | null,
): void {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw codedError(
      "ERR_HTTP_INVALID_STATUS_CODE",
      `The status ${String(status)} is no final HTTP status (200 to 599)`,
    );
  }
  if (body !== null && typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw codedError("ERR_INVALID_ARG_TYPE", "The body is neither text nor bytes");
  }
  if (contentType !== null && contentType !== "application/json") {
    validateHeaderValue("content-type", contentType);
  }
  if (headers === null) return;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    const value = headers[index + 1]!;
    validateHeaderName(name);
    validateHeaderValue(name, value);
    const isFraming = reserved.has(name) || (name === "connection" && value.toLowerCase() !== "close");
    if (isFraming || name.length > maxNameLength) {
      throw codedError(
        "ERR_INVALID_HTTP_TOKEN",
        isFraming
          ? `The header \`${name}\` is set by the server itself`
          : `The name of a header has ${name.length} characters`,
      );
    }
  }
}

/** An error as Node's own: with a code that programs can tell it by. */
export function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
