import type { Socket } from "node:net";

/** Numbers of bytes that a socket has read and written. Node has them for its own timeouts, but not in its type declarations. */
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/**
 * State of a connection with unsent bytes: the number of bytes sent so far, and the time at which this number
 * last grew.
 */
interface Progress {
  readonly sent: number;
  readonly since: number;
}

/**
 * Closes connections whose client has stopped reading: bytes are queued, and no byte was sent for the duration of the write timeout. Each
 * sent byte restarts the timeout, even in the middle of a large chunk, so slow readers are not affected.
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

/** Returns the number of bytes that wait to be sent, and the number of bytes that the operating system has accepted. */
function outputProgress(socket: Socket): { readonly queued: number; readonly sent: number } {
  const { _handle: handle } = socket as { readonly _handle?: Partial<Handle> | null };
  const { bytesWritten, writeQueueSize } = handle ?? {};
  if (bytesWritten !== undefined && writeQueueSize !== undefined) {
    return { queued: writeQueueSize, sent: bytesWritten - writeQueueSize };
  }
  // Without the handle's counters, a large chunk counts as sent only after the operating system has accepted all of it.
  const queued = socket.writableLength;
  return { queued, sent: socket.bytesWritten - queued };
}
