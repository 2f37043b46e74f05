import type { Socket } from "node:net";

/** Time that a half-closed connection may be silent before the system asks if its client is still there. */
const probeMs = 30_000;

/** Listeners for the end of a client's sending side, by connection: one for each request that waits. */
const listeners = new WeakMap<Socket, Set<() => void>>();

/** Calls back once when the client closes its sending side, or has done so; the result takes that back. */
export function onHalfClose(socket: Socket, listener: () => void): () => void {
  if (socket.readableEnded) listener();
  let own = listeners.get(socket);
  if (own === undefined) listeners.set(socket, (own = new Set()));
  own.add(listener);
  return () => void own.delete(listener);
}

/**
 * Watches a connection whose client has closed its sending side before its last answer. Such a client waits for the answer, or has
 * left: only writing tells which. While there is nothing to write the system asks (TCP keep-alive): a system that has forgotten the
 * connection, which most do within a minute of the client's end, refuses the question, and the connection is closed.
 */
export function watchHalfClosed(socket: Socket): void {
  socket.setKeepAlive(true, probeMs);
  for (const listener of listeners.get(socket) ?? []) listener();
}
