import { randomBytes } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** An answer that is given before a request reaches any application. Messages hold nothing that JSON escapes. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A message whose syntax or framing is wrong. */
export function badRequest(message: string): Refusal {
  return { status: 400, code: "BAD_REQUEST", message };
}

/** Something HTTP defines and this server does not do. */
export function notImplemented(message: string): Refusal {
  return { status: 501, code: "NOT_IMPLEMENTED", message };
}

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

/** Answers on a connection that has no request, with the envelope of all of kit's errors, and closes it. */
export function refuseConnection(socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status } = refusal;
  const body = envelope(refusal);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n` +
      "content-type: application/json\r\n" +
      `content-length: ${Buffer.byteLength(body)}\r\n` +
      "connection: close\r\n" +
      `date: ${new Date().toUTCString()}\r\n\r\n${body}`,
  );
  linger(socket);
}

/** Answers a request in its turn, and closes its connection then. */
export function refuseRequest(response: ServerResponse, refusal: Refusal): void {
  const body = envelope(refusal);
  closeAfter(response);
  response.writeHead(refusal.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

function envelope({ code, message }: Refusal): string {
  return JSON.stringify({ error: { code, message, traceId: randomBytes(16).toString("hex") } });
}

/** The connections whose last answer is decided: what still comes on them is no request any more. */
const ending = new WeakSet<Duplex>();

/** Whether a connection takes no requests any more. */
export function isEnding(socket: Duplex): boolean {
  return ending.has(socket);
}

/** Closes the connection after an answer, in such a way that a client which is still sending can read it. */
export function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  const { socket } = response.req;
  ending.add(socket);
  // What Node calls when the last answer was written; its own would reset the connection.
  socket.destroySoon = () => {
    socket.end();
    linger(socket);
  };
}

/** How long the other side may go on sending after it was refused, in milliseconds and bytes. */
const lingerMs = 2000;
const lingerBytes = 8 * 1024 * 1024;

/**
 * Throws away what still comes, for a while. Closing a socket while bytes for it arrive resets it, and a reset takes the
 * answer from a client that has not read it yet.
 */
function linger(socket: Duplex): void {
  let discarded = 0;
  const cut = (): void => void socket.destroy();
  const timer = setTimeout(cut, lingerMs);
  timer.unref();
  socket.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > lingerBytes) cut();
  });
  socket.once("end", cut).once("close", () => clearTimeout(timer));
  socket.on("error", cut).resume();
}
