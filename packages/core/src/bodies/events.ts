/** Server-Sent Events (WHATWG HTML, 9.2). */
import type { CompiledContent } from "@kit/types";

import type { StreamLog } from "../observe/streams.ts";
import { endSource, type ValueIterator } from "./value-iterator.ts";

/** Milliseconds without an event after which a comment line is sent, so that proxies keep the connection open. */
export const pingMs = 15_000;

/** Comment line, which clients ignore. */
const ping = ":\n\n";

/** Event that a handler returned. */
interface SentEvent {
  readonly event: unknown;
  readonly data?: unknown;
  readonly id?: unknown;
  readonly retry?: unknown;
}

/**
 * Returns the text of the events of a response. `check` throws if the data of an event breaks the contract. `log` notes the
 * events for observers.
 */
export function writeEvents(
  source: AsyncIterable<unknown>,
  events: NonNullable<CompiledContent["events"]>,
  check: (event: string, data: unknown) => void,
  log: StreamLog | null = null,
): AsyncIterable<string> {
  return { [Symbol.asyncIterator]: () => new EventTexts(source, events, check, log) };
}

class EventTexts implements AsyncIterator<string, undefined, undefined> {
  readonly #source: AsyncIterable<unknown>;
  readonly #iterator: ValueIterator;
  readonly #events: NonNullable<CompiledContent["events"]>;
  readonly #check: (event: string, data: unknown) => void;
  readonly #log: StreamLog | null;
  /** Next event of the source, if it was requested and has not been sent. */
  #pending: Promise<IteratorResult<unknown, unknown>> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(
    source: AsyncIterable<unknown>,
    events: NonNullable<CompiledContent["events"]>,
    check: (event: string, data: unknown) => void,
    log: StreamLog | null,
  ) {
    this.#source = source;
    this.#iterator = source[Symbol.asyncIterator]();
    this.#events = events;
    this.#check = check;
    this.#log = log;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    const pending = (this.#pending ??= this.#iterator.next());
    const quiet = new Promise<undefined>((resolve) => {
      this.#timer = setTimeout(resolve, pingMs, undefined);
      // A waiting ping must not keep the process alive.
      this.#timer.unref();
    });
    let first: IteratorResult<unknown, unknown> | undefined;
    try {
      first = await Promise.race([pending, quiet]);
    } finally {
      clearTimeout(this.#timer);
    }
    if (first === undefined)
      return this.#isOver ? { done: true, value: undefined } : { done: false, value: ping };
    this.#pending = undefined;
    if (first.done === true) return { done: true, value: undefined };
    return { done: false, value: this.#write(first.value as SentEvent) };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    // The result of a request that is still pending is dropped, and so is its failure.
    this.#pending?.catch(() => undefined);
    return endSource(this.#source, this.#iterator);
  }

  #write(sent: SentEvent): string {
    const name = typeof sent === "object" && sent !== null ? sent.event : undefined;
    if (typeof name !== "string" || !Object.hasOwn(this.#events, name)) {
      const declared = Object.keys(this.#events).join(", ");
      throw new TypeError(
        `The stream yielded a value that is no event of the contract; its events are ${declared}`,
      );
    }
    const serializer = this.#events[name]!;
    const { data, id, retry } = sent;
    this.#check(name, data);
    let text = `event: ${name}\n`;
    if (id !== undefined) text += `id: ${eventId(id)}\n`;
    if (retry !== undefined) text += `retry: ${retryMs(retry)}\n`;
    // The serializer writes no line breaks, so the data is one line. A client ignores an event without the field `data`
    // (WHATWG HTML, 9.2.6), so an event without data sends `null`.
    const json = serializer === null ? "null" : serializer.serialize(data);
    text += `data: ${json}\n\n`;
    this.#log?.sent(json, name, text);
    return text;
  }
}

function eventId(id: unknown): string {
  // A client ignores an id with U+0000, and a line break would end the field.
  // oxlint-disable-next-line no-control-regex -- These three characters are the ones that the format excludes.
  if (typeof id === "string" && !/[\0\r\n]/.test(id)) return id;
  throw new TypeError("The id of an event must be a string without line breaks");
}

function retryMs(retry: unknown): number {
  if (typeof retry === "number" && Number.isSafeInteger(retry) && retry >= 0) return retry;
  throw new TypeError("The property `retry` of an event must be a number of milliseconds");
}
