import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

import type { Addon, RequestId } from "./addon.ts";

/** Code of the addon's event for an empty buffer. The counterpart is `crates/kit-node-server/src/server.rs`. */
const drainedCode = 0;

/** Streamed responses of one server that have not ended, by the id of their request. */
export type OpenStreams = Map<RequestId, ResponseStream>;

/** Writes the body of a streamed response. The addon has the status and headers already. */
export class ResponseStream implements ResponseWriter {
  readonly #addon: Addon;
  readonly #server: number;
  readonly #id: RequestId;
  readonly #events: ResponseStreamEvents;
  readonly #open: OpenStreams;
  #isOver = false;

  constructor(addon: Addon, server: number, id: RequestId, events: ResponseStreamEvents, open: OpenStreams) {
    this.#addon = addon;
    this.#server = server;
    this.#id = id;
    this.#events = events;
    this.#open = open;
    open.set(id, this);
  }

  write(chunk: Uint8Array): boolean {
    return !this.#isOver && this.#addon.write(this.#server, this.#id, chunk) === 1;
  }

  end(): void {
    if (this.#finish()) this.#addon.end(this.#server, this.#id);
  }

  destroy(): void {
    if (this.#finish()) this.#addon.destroy(this.#server, this.#id);
  }

  /** Handles an event that the addon reports for this stream. */
  onEvent(code: number): void {
    if (code === drainedCode) this.#events.drain();
    else this.abort();
  }

  /** Stops the stream because the client has disconnected. */
  abort(): void {
    if (this.#finish()) this.#events.abort();
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#open.delete(this.#id);
    return true;
  }
}
