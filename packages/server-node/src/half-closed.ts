import type { Socket } from "node:net";

/** Time without traffic on a half-closed connection after which TCP keep-alive probes start, in milliseconds. */
const probeMs = 30_000;

/** Functions to call if a client closes its sending side, by connection. A connection has one function for each pending request. */
const listeners = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `listener` once when the client closes its sending side, or immediately if the side is already closed. Returns a function that
 * removes the listener.
 */
export function onHalfClose(socket: Socket, listener: () => void): () => void {
  if (socket.readableEnded) listener();
  let own = listeners.get(socket);
  if (own === undefined) listeners.set(socket, (own = new Set()));
  own.add(listener);
  return () => void own.delete(listener);
}

/**
 * Watches a connection whose client closed its sending side before its last response was sent. The client either waits for the response or
 * has disconnected, and only sent data shows which.
 *
 * If there is nothing to write, the operating system sends TCP keep-alive probes. The client's system rejects
 * a probe if it has forgotten the connection, which most systems do within a minute after the client closed
 * it. After a rejected probe, the connection is closed.
 */
export function watchHalfClosed(socket: Socket): void {
  socket.setKeepAlive(true, probeMs);
  for (const listener of listeners.get(socket) ?? []) listener();
}
