import type { IncomingMessage, ServerResponse } from "node:http";

import type { RequestBodyErrorCode } from "@kit/types";

import { behindRate, type Pace } from "./pace.ts";
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

/**
 * Calls `onStalled` if the client sends a body too slowly: if the client is behind the minimum rate by `idleMs`. Does not count the time in
 * which no code reads the body, and the time in which received bytes wait to be read.
 */
export function watchUpload(
  request: IncomingMessage,
  response: ServerResponse,
  pace: Pace,
  onStalled: () => void,
): void {
  const { socket } = request;
  const { idleMs } = pace;
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
    const waitedMs = isAwaited(request) ? now - last : 0;
    behind = behindRate(pace, behind, { waitedMs, bytes: socket.bytesRead - received });
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
