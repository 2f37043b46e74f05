import type { ResponseStreamEvents, ResponseWriter } from "@kit/types";

import type { Addon, RequestId } from "./addon.ts";

/** Code of the addon's event for a drained buffer. The counterpart is `crates/kit-node-server/src/server.rs`. */
const drainedCode = 0;

/** Open streams of one server, by the request that they respond to. */
export type OpenStreams = Map<RequestId, ResponseStream>;

/** Writes the body of a response whose head has been passed to the addon. */
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

  /** Handles an event of the addon. */
  tell(code: number): void {
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
