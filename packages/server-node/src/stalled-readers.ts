import type { Socket } from "node:net";

/** Properties of a socket's handle that Node itself reads for its own timeouts, and does not declare. */
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/** What a connection had sent when it was last seen to make progress. */
interface Progress {
  readonly sent: number;
  readonly since: number;
}

/**
 * Cuts connections whose client has stopped reading its answer: nothing of what waits for it was taken for a while. One
 * that reads slowly is forgiven with each step, however large the piece that it is at.
 */
export class StalledReaders {
  readonly #sockets: Iterable<Socket>;
  readonly #patienceMs: number;
  readonly #waiting = new Map<Socket, Progress>();
  #timer: NodeJS.Timeout | undefined;

  constructor(sockets: Iterable<Socket>, patienceMs: number) {
    this.#sockets = sockets;
    this.#patienceMs = patienceMs;
  }

  /** Looks at all connections from time to time, until it is stopped. */
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
      const { queued, sent } = outputOf(socket);
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

/** How many bytes wait to be sent, and how many the system has taken. */
function outputOf(socket: Socket): { readonly queued: number; readonly sent: number } {
  const { _handle: handle } = socket as { readonly _handle?: Partial<Handle> | null };
  const { bytesWritten, writeQueueSize } = handle ?? {};
  if (bytesWritten !== undefined && writeQueueSize !== undefined) {
    return { queued: writeQueueSize, sent: bytesWritten - writeQueueSize };
  }
  // Then a large piece counts when all of it was taken.
  const queued = socket.writableLength;
  return { queued, sent: socket.bytesWritten - queued };
}
