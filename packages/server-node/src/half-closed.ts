import type { Socket } from "node:net";

/** Time without traffic on a half-closed connection after which TCP keep-alive probes start, in milliseconds. */
const probeMs = 30_000;

/** Listeners for the end of a client's sending side, by connection: one listener for each pending request. */
const listeners = new WeakMap<Socket, Set<() => void>>();

/** Calls `listener` once when the client closes its sending side, or at once if it has. Returns a function that removes the listener. */
export function onHalfClose(socket: Socket, listener: () => void): () => void {
  if (socket.readableEnded) listener();
  let own = listeners.get(socket);
  if (own === undefined) listeners.set(socket, (own = new Set()));
  own.add(listener);
  return () => void own.delete(listener);
}

/**
 * Watches a connection whose client closed its sending side before its last response was sent. The client either waits for the response or
 * has disconnected, and only a write shows which. While there is nothing to write, the system sends TCP keep-alive probes. A client's
 * system that has forgotten the connection, which most do within a minute after the client closed it, rejects the probe, and the connection
 * is closed.
 */
export function watchHalfClosed(socket: Socket): void {
  socket.setKeepAlive(true, probeMs);
  for (const listener of listeners.get(socket) ?? []) listener();
}
