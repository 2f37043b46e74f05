/**
 * Requests in a row: a client may send requests before it has the responses to earlier ones (pipelining; RFC 9112, 9.3.2). Node emits each
 * of them at once, and has no limit for requests whose responses are not written yet.
 */
import type { ServerResponse } from "node:http";

import { isEnding } from "./discard.ts";
import { lastResponse, type TrackedSocket } from "./refuser.ts";

/** Maximum number of requests of a connection that wait behind another one and have a running handler, as for HTTP/2. */
const mostHandlers = 100;

/** Members of Node's responses that its type declarations omit. */
interface QueuedResponse {
  /** Adds to the bytes that wait in responses of the connection. Node stops reading while there are too many. */
  readonly _onPendingData?: (bytes: number) => void;
}

/** Members of Node's sockets that its type declarations omit. */
interface HttpSocket {
  /** True while Node does not read, because responses wait. */
  readonly _paused?: boolean;
  /** Response that is written now. */
  readonly _httpMessage?: ServerResponse | null;
}

/** Requests of a connection that wait behind another one. */
interface Row {
  /** Responses whose turn has not come, in the order of the requests. */
  readonly responses: ServerResponse[];
  /** Functions that start the handlers of the last requests. */
  readonly waiting: (() => void)[];
  /** Called when Node reads from the connection again. */
  onRead?: (() => void) | undefined;
}

const rows = new WeakMap<TrackedSocket, Row>();

/** Returns true if Node does not read from a connection, because many of its responses wait. */
export function isHeld(socket: TrackedSocket): boolean {
  const { _paused: isPaused } = socket as HttpSocket;
  return isPaused === true;
}

/**
 * Makes Node stop reading from the connection while too many of its responses wait for their turn. Returns the function that undoes this.
 * Node counts the bytes of such responses, so a share of the limit for these bytes is added for each response.
 */
export function reserve(response: ServerResponse): () => void {
  const { _onPendingData: addBytes } = response as QueuedResponse;
  const share = Math.ceil(response.req.socket.writableHighWaterMark / mostHandlers);
  addBytes?.(share);
  return () => addBytes?.(-share);
}

/**
 * Calls `start` for a request, at once if its response is the next one of the connection. If 100 handlers of requests before it are
 * running, waits until one of these responses is the next one.
 */
export function serveInRow(socket: TrackedSocket, response: ServerResponse, start: () => void): void {
  // Node gives the socket to a response when its turn has come.
  if (response.socket !== null) {
    start();
    return;
  }
  let row = rows.get(socket);
  if (row === undefined) rows.set(socket, (row = { responses: [], waiting: [] }));
  const own = row;
  const release = reserve(response);
  own.responses.push(response);
  response.once("socket", () => {
    own.responses.shift();
    release();
    // After this event, Node writes what waits in the response, and may only then read on.
    if (own.onRead !== undefined) process.nextTick(reportReading, socket, own);
    own.waiting.shift()?.();
  });
  if (own.responses.length <= mostHandlers) start();
  // The server may have refused the request meanwhile, because the rest of it is invalid or late.
  else own.waiting.push(() => response.writableEnded || start());
}

/** Calls the function that waits until Node reads from the connection again. */
function reportReading(socket: TrackedSocket, row: Row): void {
  if (isHeld(socket)) return;
  row.onRead?.();
  row.onRead = undefined;
}

/**
 * Calls `serve` after all responses of a connection, if the connection then still accepts requests. For CONNECT and handshakes:
 * node:http has removed its own listeners from the connection, so this function adds them again for the responses before.
 */
export function afterRow(socket: TrackedSocket, serve: () => void): void {
  const last = socket[lastResponse];
  // An `error` without a listener ends the process, also on a connection that only waits for its last response.
  socket.on("error", () => socket.destroy());
  if (last === undefined || last.closed) {
    if (!isEnding(socket)) serve();
    return;
  }
  const drain = (): void => {
    const { _httpMessage: response } = socket as HttpSocket;
    response?.emit("drain");
  };
  socket
    .on("drain", drain)
    .once("close", () => rows.get(socket)?.responses.forEach((response) => response.destroy()));
  last.once("close", () => {
    socket.off("drain", drain);
    if (socket.writable && !isEnding(socket)) serve();
  });
}

/**
 * Gives the rest of a request more time if Node does not read from the connection: `refuse` is called if the rest does not arrive within
 * `milliseconds` after Node reads again. Returns false if Node reads.
 */
export function postpone(socket: TrackedSocket, milliseconds: number, refuse: () => void): boolean {
  const row = rows.get(socket);
  if (row === undefined || !isHeld(socket)) return false;
  const last = socket[lastResponse]!;
  const isBody = !last.req.complete;
  const check = (): void => {
    const hasArrived = isBody ? last.req.complete : socket[lastResponse] !== last;
    if (!hasArrived && !socket.destroyed) refuse();
  };
  row.onRead = () => void setTimeout(check, milliseconds).unref();
  return true;
}
