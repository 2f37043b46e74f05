import type { Socket } from "node:net";

import { behindRate } from "./pace.ts";
import { lastResponse, type TrackedSocket } from "./refuser.ts";

/** Numbers of bytes that a socket has read and written. Node has them for its own timeouts, but not in its type declarations. */
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/** State of a connection whose client had to read when the server last looked. */
interface Reader {
  /** Response that was written. */
  readonly response: unknown;
  /** Number of bytes sent when the server last looked. */
  readonly sent: number;
  /** Time of the last look if bytes were queued. */
  readonly since: number | undefined;
  /** Milliseconds by which the client is behind the minimum rate. */
  readonly behind: number;
}

/** Minimum rate at which a client must read while bytes are queued. `READ_RATE` of kit-guard has the same value. */
const rate = { bytesPerSecond: 240 };

/**
 * Closes connections whose client has stopped reading, or reads too slowly: bytes are queued, and the client is behind the minimum rate by
 * the write timeout. Sent bytes count even in the middle of a large chunk.
 */
export class StalledReaders {
  readonly #sockets: Iterable<TrackedSocket>;
  readonly #patienceMs: number;
  readonly #readers = new Map<Socket, Reader>();
  #timer: NodeJS.Timeout | undefined;

  constructor(sockets: Iterable<TrackedSocket>, timeoutMs: number) {
    this.#sockets = sockets;
    this.#patienceMs = timeoutMs;
  }

  /** Checks all connections periodically until `stop` is called. */
  start(): void {
    const interval = Math.min(Math.max(this.#patienceMs / 4, 10), 1000);
    this.#timer = setInterval(() => this.sweep(performance.now()), interval).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#readers.clear();
  }

  /** Checks all connections once. `now` is the time in milliseconds. */
  sweep(now: number): void {
    for (const socket of this.#readers.keys()) if (socket.destroyed) this.#readers.delete(socket);
    for (const socket of this.#sockets) {
      const { queued, sent } = outputProgress(socket);
      const before = this.#readers.get(socket);
      if (queued === 0 && before === undefined) continue;
      const response = socket[lastResponse];
      // The slowness of earlier responses does not count.
      if (before === undefined || (queued === 0 && before.response !== response)) {
        if (queued === 0) this.#readers.delete(socket);
        else this.#readers.set(socket, { response, sent, since: now, behind: 0 });
        continue;
      }
      const waitedMs = before.since === undefined ? 0 : now - before.since;
      const behind = behindRate(rate, before.behind, { waitedMs, bytes: sent - before.sent });
      if (queued > 0 && behind >= this.#patienceMs) socket.destroy();
      this.#readers.set(socket, { response, sent, since: queued > 0 ? now : undefined, behind });
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
