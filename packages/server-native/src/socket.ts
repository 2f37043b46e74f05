import type { ServerSocket, SocketEvents } from "@kit/types";

import type { Addon, RequestId } from "./addon.ts";

/** Event of the addon: the socket accepts more messages. The counterpart is `crates/kit-node-server/src/server/sockets.rs`. */
const drainedCode = 0;
/** Code of a connection that ended without a close frame (RFC 6455, section 7.1.5). */
const abnormalCode = 1006;

/** WebSockets of one server that have not ended, by the id of their request. */
export type OpenSockets = Map<RequestId, NativeSocket>;

/** WebSocket of the native server. */
export class NativeSocket implements ServerSocket {
  readonly #addon: Addon;
  readonly #server: number;
  readonly #id: RequestId;
  readonly #events: SocketEvents;
  readonly #open: OpenSockets;
  #isOver = false;

  constructor(addon: Addon, server: number, id: RequestId, events: SocketEvents, open: OpenSockets) {
    this.#addon = addon;
    this.#server = server;
    this.#id = id;
    this.#events = events;
    this.#open = open;
    open.set(id, this);
  }

  send(data: string | Uint8Array): boolean {
    return this.#isOver || this.#addon.sendSocket(this.#server, this.#id, data) === 1;
  }

  close(code: number, reason: string): void {
    if (!this.#isOver) this.#addon.closeSocket(this.#server, this.#id, code, reason);
  }

  terminate(): void {
    if (!this.#isOver) this.#addon.terminateSocket(this.#server, this.#id);
  }

  pause(): void {
    if (!this.#isOver) this.#addon.pauseSocket(this.#server, this.#id);
  }

  resume(): void {
    if (!this.#isOver) this.#addon.resumeSocket(this.#server, this.#id);
  }

  /** Handles an event that the addon reports for this socket: a message, or a code. */
  onEvent(event: string | Uint8Array | number, reason: string): void {
    if (typeof event !== "number") this.#events.message(event);
    else if (event === drainedCode) this.#events.drain();
    else this.#end(event, reason);
  }

  /** Ends a socket whose client disconnected before the response to the handshake. */
  abort(): void {
    this.#end(abnormalCode, "");
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#open.delete(this.#id);
    this.#events.closed(code, reason);
  }
}
