import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Limits for reading and discarding what a client still sends after the server has decided to close its connection. */
export interface DiscardLimits {
  /**
   * Maximum number of bytes that are discarded for one client. After this number, the connection is closed.
   */
  readonly bytes: number;
  /** Maximum number of clients whose input is discarded at the same time. One more client closes the oldest of these connections. */
  readonly connections: number;
  /** Maximum time between two chunks of a client's input, in milliseconds. */
  readonly byteMs: number;
  /** Maximum total time for the input of one client, in milliseconds. */
  readonly totalMs: number;
}

/** Default limits, equal to the limits of the native server. */
export const defaultDiscardLimits: DiscardLimits = {
  bytes: 64 * 1024 * 1024,
  connections: 256,
  byteMs: 5000,
  totalMs: 30_000,
};

/**
 * Connections that close while their client may still be sending. If a socket is closed while bytes for it
 * arrive, the operating system resets the connection, and the client loses a response that it has not read
 * yet. Therefore the server closes only its sending side, and discards the bytes that arrive.
 */
export class Discarder {
  readonly #limits: DiscardLimits;
  /** Connections whose input is being discarded, oldest first. */
  readonly #sockets = new Set<Duplex>();

  constructor(limits: DiscardLimits) {
    this.#limits = limits;
  }

  /** Makes {@link closeAfter} apply these limits to the connection. */
  attach(socket: Duplex): void {
    owners.set(socket, this);
  }

  /** Discards all further input of the connection. The caller must close the server's sending side. */
  start(socket: Duplex): void {
    // A destroyed socket emits no further `close`, so it would stay in `#sockets` without end.
    if (socket.destroyed) return;
    const { bytes, connections, byteMs, totalMs } = this.#limits;
    const cut = (): void => void socket.destroy();
    let discarded = 0;
    const idle = setTimeout(cut, byteMs).unref();
    const total = setTimeout(cut, totalMs).unref();
    const count = (chunk: Buffer): void => {
      discarded += chunk.length;
      if (discarded > bytes) cut();
      else idle.refresh();
    };
    // The new listener takes the connection away from node:http, whose own listener would still parse the input: each request would need
    // memory until the connection closes.
    const take = (): void => void socket.removeAllListeners("data").on("data", count).resume();
    // If node:http has paused the connection, because of an unread body, it must first continue it. Meanwhile, input on a connection in
    // `ending` is ignored.
    if (ending.has(socket)) setImmediate(take);
    else take();
    ending.add(socket);
    socket.once("end", cut).once("close", () => {
      clearTimeout(idle);
      clearTimeout(total);
      this.#sockets.delete(socket);
    });
    socket.on("error", cut).resume();
    this.#sockets.add(socket);
    if (this.#sockets.size <= connections) return;
    const [oldest] = this.#sockets;
    oldest!.destroy();
    // Its `close` event comes later. Without this line, the next call would select the same socket again.
    this.#sockets.delete(oldest!);
  }
}

const standard = new Discarder(defaultDiscardLimits);
const owners = new WeakMap<Duplex, Discarder>();

/** Connections that close after their current response. Further input on them is not parsed as requests. */
const ending = new WeakSet<Duplex>();

/** Returns true if the connection accepts no further requests. */
export function isEnding(socket: Duplex): boolean {
  return ending.has(socket);
}

/** Closes the connection after a response. A client that is still sending can read the response. */
export function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  const { socket } = response.req;
  ending.add(socket);
  // Node calls this method after the response is written. The original method would reset the connection.
  socket.destroySoon = () => {
    socket.end();
    (owners.get(socket) ?? standard).start(socket);
  };
}
