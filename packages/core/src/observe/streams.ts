import type { StreamCount, StreamEnd, StreamLimits, StreamMessage, StreamRecord } from "@kit/types";

/** Parts of a record that are known before the stream opens. */
export type StreamStart = Pick<
  StreamRecord,
  "requestId" | "traceId" | "kind" | "protocol" | "route" | "target"
>;

/** WebSockets and streams of events and lines that observers can read, in bounded memory. */
export class Streams {
  readonly #limits: StreamLimits;
  readonly #open = new Set<StreamLog>();
  /** Ended streams, oldest first. */
  readonly #ended: StreamLog[] = [];
  /** Number of streams that were not kept, because too many were open. */
  missed = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Returns the log of a stream that is about to open. Nothing is kept before {@link StreamLog.open}. */
  log(start: StreamStart): StreamLog {
    return new StreamLog(start, this.#limits, this);
  }

  /** Returns the kept streams: open ones, then ended ones, each with the newest first. */
  records(): StreamRecord[] {
    return [...[...this.#open].toReversed(), ...this.#ended.toReversed()].map((log) => log.record());
  }

  /** Keeps a stream. Forgets the oldest ended stream if there are too many. Returns false if all kept streams are open. */
  add(log: StreamLog): boolean {
    if (this.#open.size + this.#ended.length >= this.#limits.count && this.#ended.shift() === undefined) {
      this.missed += 1;
      return false;
    }
    this.#open.add(log);
    return true;
  }

  /** Removes a stream from the open streams, and does not add the stream to the ended streams. */
  forget(log: StreamLog): void {
    this.#open.delete(log);
  }

  /** Marks a kept stream as ended. */
  end(log: StreamLog): void {
    if (this.#open.delete(log)) this.#ended.push(log);
  }
}

/** Record of one stream while it is written. */
export class StreamLog {
  readonly #start: StreamStart;
  readonly #limits: StreamLimits;
  readonly #streams: Streams;
  readonly #received = { messages: 0, bytes: 0 };
  readonly #sent = { messages: 0, bytes: 0 };
  /** Ring of the latest messages. */
  readonly #messages: StreamMessage[] = [];
  #next = 0;
  #startTime = 0;
  #end: StreamEnd | null = null;
  #isKept = false;

  constructor(start: StreamStart, limits: StreamLimits, streams: Streams) {
    this.#start = start;
    this.#limits = limits;
    this.#streams = streams;
  }

  /** Begins to keep the stream. */
  open(): void {
    this.#startTime = now();
    this.#isKept = this.#streams.add(this);
  }

  /** Notes a message of the client. */
  received(message: string | Uint8Array): void {
    if (this.#isKept) this.#note("in", this.#received, message, byteLength(message), null);
  }

  /** Notes a message of the handler. `event` is the name of an event, and `whole` its text on the wire. */
  sent(
    message: string | Uint8Array,
    event: string | null = null,
    whole: string | Uint8Array = message,
  ): void {
    if (this.#isKept) this.#note("out", this.#sent, message, byteLength(whole), event);
  }

  /** Drops the record, because the response is no stream. */
  forget(): void {
    this.#isKept = false;
    this.#streams.forget(this);
  }

  /** Ends the record. Later calls have no effect. */
  end(result: StreamEnd["result"], code: number | null = null, reason = ""): void {
    if (!this.#isKept || this.#end !== null) return;
    this.#end = { time: now(), result, code, reason };
    this.#streams.end(this);
  }

  /** Returns a copy of the record. */
  record(): StreamRecord {
    const messages = [...this.#messages.slice(this.#next), ...this.#messages.slice(0, this.#next)];
    return {
      ...this.#start,
      startTime: this.#startTime,
      received: { ...this.#received },
      sent: { ...this.#sent },
      messages,
      end: this.#end,
    };
  }

  #note(
    direction: StreamMessage["direction"],
    count: { -readonly [TKey in keyof StreamCount]: number },
    message: string | Uint8Array,
    bytes: number,
    event: string | null,
  ): void {
    count.messages += 1;
    count.bytes += bytes;
    const { messages, messageLength } = this.#limits;
    if (messages === 0) return;
    const isKept = typeof message === "string" && message.length <= messageLength;
    this.#messages[this.#next] = { time: now(), direction, bytes, event, text: isKept ? message : null };
    this.#next = (this.#next + 1) % messages;
  }
}

function byteLength(message: string | Uint8Array): number {
  return typeof message === "string" ? Buffer.byteLength(message) : message.length;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
