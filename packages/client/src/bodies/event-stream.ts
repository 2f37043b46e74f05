import { EVENT_LINES, linesOf } from "./lines.ts";

/** Event of an event stream, as the server sent it. */
export interface ReceivedEvent {
  readonly event: string;
  readonly data: string;
  /** Last id of the stream up to this event. Empty if there was none. */
  readonly id: string;
}

/** State that outlives a connection. */
export interface StreamState {
  /** Last id that the server sent. */
  id: string;
  /** Milliseconds before a reconnection. */
  retryMs: number;
}

/**
 * Yields the events of a stream (WHATWG HTML, 9.2.6), and keeps the id and the reconnection time in `state`. An event that
 * the end of the stream cuts off is dropped.
 */
export async function* eventsOf(
  stream: ReadableStream<Uint8Array>,
  state: StreamState,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  let data: string[] = [];
  let event = "";
  let { id } = state;
  for await (const line of linesOf(stream, EVENT_LINES)) {
    if (line === "") {
      state.id = id;
      if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id };
      data = [];
      event = "";
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const text = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(text);
    else if (field === "event") event = text;
    else if (field === "id" && !text.includes("\0")) id = text;
    else if (field === "retry" && /^\d+$/.test(text)) state.retryMs = Number(text);
  }
}
