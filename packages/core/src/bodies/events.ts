/** Server-Sent Events (WHATWG HTML, 9.2). */
import type { CompiledContent } from "@kit/types";

import type { StreamLog } from "../observe/streams.ts";
import { isConstant } from "./shared-event.ts";
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

/** Text of an event that cannot change, and the events of the route for which the text was written. */
interface Written {
  readonly events: NonNullable<CompiledContent["events"]>;
  readonly text: Uint8Array;
}

/** Texts of events that cannot change. Many streams send them, and each text is written once. */
const shared = new WeakMap<object, Written>();

/**
 * Returns the text of the events of a response. `check` throws if the data of an event breaks the contract. `log` notes the
 * events for observers.
 */
export function writeEvents(
  source: AsyncIterable<unknown>,
  events: NonNullable<CompiledContent["events"]>,
  check: (event: string, data: unknown) => void,
  log: StreamLog | null = null,
): AsyncIterable<string | Uint8Array> {
  return { [Symbol.asyncIterator]: () => new EventTexts(source, events, check, log) };
}

/** Promise of `next`, which waits for an event or for the next ping. */
interface Waiter {
  readonly resolve: (result: IteratorResult<string | Uint8Array, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const end: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Every event of every reader passes through this class, so `next` creates one promise and no timer. */
class EventTexts implements AsyncIterator<string | Uint8Array, undefined, undefined> {
  readonly #source: AsyncIterable<unknown>;
  readonly #iterator: ValueIterator;
  readonly #events: NonNullable<CompiledContent["events"]>;
  readonly #check: (event: string, data: unknown) => void;
  readonly #log: StreamLog | null;
  #waiter: Waiter | undefined;
  /** True if the next event of the source was requested and has not been sent. */
  #isRequested = false;
  /** Sends what the source gave while nobody waited, because a ping was sent in place of an event. */
  #deliver: ((waiter: Waiter) => void) | undefined;
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

  next(): Promise<IteratorResult<string | Uint8Array, undefined>> {
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      const deliver = this.#deliver;
      if (deliver !== undefined) {
        this.#deliver = undefined;
        deliver(waiter);
        return;
      }
      if (this.#isOver) {
        resolve(end);
        return;
      }
      this.#waiter = waiter;
      // A timer is cheaper to refresh than to create. It does not keep the process alive.
      if (this.#timer === undefined) this.#timer = setTimeout(this.#onQuiet, pingMs).unref();
      else this.#timer.refresh();
      if (this.#isRequested) return;
      this.#isRequested = true;
      try {
        Promise.resolve(this.#iterator.next()).then(this.#onResult, this.#onError);
      } catch (error) {
        this.#onError(error);
      }
    });
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#waiter?.resolve(end);
    this.#waiter = undefined;
    return endSource(this.#source, this.#iterator);
  }

  readonly #onResult = (result: IteratorResult<unknown, unknown>): void => {
    if (this.#isOver) return;
    this.#pass((waiter) => {
      try {
        if (result.done === true) {
          clearTimeout(this.#timer);
          waiter.resolve(end);
        } else waiter.resolve({ done: false, value: this.#textOf(result.value as SentEvent) });
      } catch (error) {
        waiter.reject(error);
      }
    });
  };

  readonly #onError = (error: unknown): void => {
    // Nobody reads a stream that is over, so its failure has no effect.
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#pass((waiter) => waiter.reject(error));
  };

  readonly #onQuiet = (): void => {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.resolve({ done: false, value: ping });
  };

  /** Passes a result to the promise that waits, or else to the next call of `next`. */
  #pass(deliver: (waiter: Waiter) => void): void {
    this.#isRequested = false;
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (waiter === undefined) this.#deliver = deliver;
    else deliver(waiter);
  }

  #textOf(sent: SentEvent): string | Uint8Array {
    // Almost all events are objects that can change. Observers see the event of each stream.
    if (this.#log !== null || !Object.isFrozen(sent) || typeof sent !== "object") return this.#write(sent);
    const known = shared.get(sent);
    if (known?.events === this.#events) return known.text;
    const text = this.#write(sent);
    if (!isConstant(sent)) return text;
    const bytes = Buffer.from(text);
    shared.set(sent, { events: this.#events, text: bytes });
    return bytes;
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
