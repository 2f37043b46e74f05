import type { Socket } from "node:net";

/** Properties of a socket's handle that Node reads for its own timeouts and does not declare. */
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/** Number of bytes that a connection had sent at its last progress, and the time of that progress. */
interface Progress {
  readonly sent: number;
  readonly since: number;
}

/**
 * Closes connections whose client has stopped reading its response: no queued byte was sent for the write timeout. Each byte that is sent
 * restarts the timeout, even within a large chunk, so slow readers are not affected.
 */
export class StalledReaders {
  readonly #sockets: Iterable<Socket>;
  readonly #patienceMs: number;
  readonly #waiting = new Map<Socket, Progress>();
  #timer: NodeJS.Timeout | undefined;

  constructor(sockets: Iterable<Socket>, timeoutMs: number) {
    this.#sockets = sockets;
    this.#patienceMs = timeoutMs;
  }

  /** Checks all connections periodically until `stop` is called. */
  start(): void {
    const interval = Math.min(Math.max(this.#patienceMs / 4, 10), 1000);
    this.#timer = setInterval(() => this.#sweep(performance.now()), interval).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#waiting.clear();
  }

  #sweep(now: number): void {
    for (const socket of this.#waiting.keys()) if (socket.destroyed) this.#waiting.delete(socket);
    for (const socket of this.#sockets) {
      const { queued, sent } = outputProgress(socket);
      if (queued === 0) {
        this.#waiting.delete(socket);
        continue;
      }
      const before = this.#waiting.get(socket);
      if (before === undefined || before.sent !== sent) this.#waiting.set(socket, { sent, since: now });
      else if (now - before.since >= this.#patienceMs) socket.destroy();
    }
  }
}

/** Returns the number of bytes that wait to be sent, and the number of bytes that the system has accepted. */
function outputProgress(socket: Socket): { readonly queued: number; readonly sent: number } {
  const { _handle: handle } = socket as { readonly _handle?: Partial<Handle> | null };
  const { bytesWritten, writeQueueSize } = handle ?? {};
  if (bytesWritten !== undefined && writeQueueSize !== undefined) {
    return { queued: writeQueueSize, sent: bytesWritten - writeQueueSize };
  }
  // Without the handle's counters, a large chunk counts as progress only after the system has accepted all of it.
  const queued = socket.writableLength;
  return { queued, sent: socket.bytesWritten - queued };
}
