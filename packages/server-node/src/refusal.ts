/** Error response that is sent before a request reaches an application. Messages contain no characters that JSON escapes. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Returns a 400 for a message with invalid syntax or framing. */
export function badRequest(message: string): Refusal {
  return { status: 400, code: "BAD_REQUEST", message };
}

/** Returns a 501 for a feature of HTTP that this server does not support. */
export function notImplemented(message: string): Refusal {
  return { status: 501, code: "NOT_IMPLEMENTED", message };
}

export const earlyBytes: Refusal = badRequest("the client sent data before the end of the handshake");
export const requestTimeout: Refusal = {
  status: 408,
  code: "REQUEST_TIMEOUT",
  message: "the request was not received in time",
};
export const targetTooLong: Refusal = {
  status: 414,
  code: "URI_TOO_LONG",
  message: "the request target is too long",
};
export const expectationFailed: Refusal = {
  status: 417,
  code: "EXPECTATION_FAILED",
  message: "only the expectation `100-continue` is supported",
};
export const headersTooLarge: Refusal = {
  status: 431,
  code: "REQUEST_HEADER_FIELDS_TOO_LARGE",
  message: "the request's header fields are too large or too many",
};
export const unknownVersion: Refusal = {
  status: 505,
  code: "HTTP_VERSION_NOT_SUPPORTED",
  message: "only HTTP/1.1 and HTTP/1.0 are supported",
};
