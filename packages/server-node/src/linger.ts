import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** How much of what a client still sends, whose last answer is decided, is read and thrown away. */
export interface LingerLimits {
  /** Bytes of one client. */
  readonly bytes: number;
  /** Clients at once; one more cuts the one that began first. */
  readonly connections: number;
  /** Milliseconds to the next byte. */
  readonly byteMs: number;
  /** Milliseconds for all of it. */
  readonly totalMs: number;
}

/** Those of kit's own server. */
export const standardLinger: LingerLimits = {
  bytes: 64 * 1024 * 1024,
  connections: 256,
  byteMs: 5000,
  totalMs: 30_000,
};

/**
 * The ends of connections whose client may still be sending. Closing a socket while bytes for it arrive resets it, and a
 * reset takes the answer from a client that has not read it yet. So the server closes its own half and throws away what comes.
 */
export class Lingering {
  readonly #limits: LingerLimits;
  /** In the order in which they began. */
  readonly #sockets = new Set<Duplex>();

  constructor(limits: LingerLimits) {
    this.#limits = limits;
  }

  /** Makes {@link closeAfter} end a connection by these limits. */
  adopt(socket: Duplex): void {
    owners.set(socket, this);
  }

  /** Throws away what still comes. The server's half is to be closed by the caller. */
  begin(socket: Duplex): void {
    // It is gone, and would never say so again.
    if (socket.destroyed) return;
    const { bytes, connections, byteMs, totalMs } = this.#limits;
    const cut = (): void => void socket.destroy();
    let discarded = 0;
    const idle = setTimeout(cut, byteMs).unref();
    const total = setTimeout(cut, totalMs).unref();
    socket.on("data", (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > bytes) cut();
      else idle.refresh();
    });
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
    // Its `close` comes later, and until then the next one would be taken for the oldest.
    this.#sockets.delete(oldest!);
  }
}

const standard = new Lingering(standardLinger);
const owners = new WeakMap<Duplex, Lingering>();

/** The connections whose last answer is decided: what still comes on them is no request any more. */
const ending = new WeakSet<Duplex>();

/** Whether a connection takes no requests any more. */
export function isEnding(socket: Duplex): boolean {
  return ending.has(socket);
}

/** Closes the connection after an answer, in such a way that a client which is still sending can read it. */
export function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  const { socket } = response.req;
  ending.add(socket);
  // What Node calls when the last answer was written; its own would reset the connection.
  socket.destroySoon = () => {
    socket.end();
    (owners.get(socket) ?? standard).begin(socket);
  };
}
