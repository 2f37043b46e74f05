import type { IncomingMessage, ServerResponse } from "node:http";

import type { RequestBodyErrorCode } from "@kit/types";

import { isHeld } from "./row.ts";

/** Calls `send` when the body of a request is read for the first time, by kit or by middleware of a framework. */
export function continueWhenRead(request: IncomingMessage, send: () => void): void {
  const onListener = (event: string): void => {
    if (event !== "data" && event !== "readable") return;
    request.off("newListener", onListener);
    send();
  };
  request.on("newListener", onListener);
}

/**
 * Returns the code of the errors with which later reads of the body fail, after an error of its connection.
 */
export function readingErrorOf({ code }: NodeJS.ErrnoException): RequestBodyErrorCode {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "ERR_KIT_BODY_TIMEOUT";
    // The client has closed its sending side.
    case "HPE_INVALID_EOF_STATE":
    case "ECONNRESET":
      return "ERR_KIT_BODY_ABORTED";
    default:
      return "ERR_KIT_BODY_INVALID";
  }
}

/** Speed with which a client must send a body in chunks. */
export interface Pace {
  /** Milliseconds that a client may be behind the rate. */
  readonly idleMs: number;
  /** Minimum rate. 0 for none: each byte lets the time start again. */
  readonly bytesPerSecond: number;
}

/**
 * Calls `onStalled` if the client sends a body too slowly: if the time in which the server waited for bytes is longer by `idleMs`
 * than the time that the received bytes may take. Bytes that arrive faster are no credit for later. Does not count the time in
 * which no code reads the body, and the time in which received bytes wait to be read. `Pace` of kit-guard has the same rule in
 * Rust.
 */
export function watchUpload(
  request: IncomingMessage,
  response: ServerResponse,
  { idleMs, bytesPerSecond }: Pace,
  onStalled: () => void,
): void {
  const { socket } = request;
  let received = socket.bytesRead;
  let last = performance.now();
  /** Milliseconds that the client is behind the rate. */
  let behind = 0;
  const check = (): void => {
    if (request.complete) {
      stop();
      return;
    }
    const now = performance.now();
    const bytes = socket.bytesRead - received;
    if (isAwaited(request)) behind += now - last;
    if (bytesPerSecond > 0) behind = Math.max(behind - (bytes / bytesPerSecond) * 1000, 0);
    else if (bytes > 0) behind = 0;
    last = now;
    received = socket.bytesRead;
    if (behind < idleMs) return;
    stop();
    onStalled();
  };
  const timer = setInterval(check, Math.min(Math.max(idleMs / 4, 10), 1000)).unref();
  const stop = (): void => clearInterval(timer);
  request.once("end", stop).once("close", stop);
  response.once("close", stop);
}

/** Returns true if a reader waits for bytes of the body. */
function isAwaited(request: IncomingMessage): boolean {
  return (
    !isHeld(request.socket) &&
    request.readableLength === 0 &&
    (request.readableFlowing === true || request.listenerCount("readable") > 0)
  );
}
