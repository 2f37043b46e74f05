import type { CompiledSocket, ServerSocket, SocketEvents, ValidationFailure } from "@kit/types";

import type { StreamLog } from "../observe/streams.ts";
import { readMessage, writeMessage } from "./message.ts";

/**
 * WebSocket as a handler receives it. Iterating yields the messages of the client. The iteration ends when the client
 * disconnects or breaks the contract, when the handler calls {@link OpenSocket.close}, and when the application closes.
 *
 * @example
 * ```ts
 * "WS /echo": async ({ socket }) => {
 *   for await (const message of socket) await socket.send(message);
 * },
 * ```
 */
export interface OpenSocket<TIn, TOut, TProtocol = string | undefined> extends AsyncIterable<TIn> {
  /** True until the client disconnects or one side closes the socket. */
  readonly isOpen: boolean;
  /**
   * Subprotocol: the first one of the client's offer that the contract names. `undefined` if the contract names none, or if the
   * client offered none.
   */
  readonly protocol: TProtocol;
  /**
   * Sends a message. Resolves immediately, or when the client has received enough of the waiting messages. A `Uint8Array` of
   * a binary message may be changed after the call.
   *
   * @throws {SocketClosedError} Rejects if the socket is closed. If the promise of the call is ignored, the rejection
   *   is not reported as unhandled.
   * @throws {Error} Rejects if the message breaks the contract.
   */
  send(message: TOut): Promise<void>;
  /**
   * Closes the socket after all sent messages. Has no effect on a closed socket.
   *
   * @param code - 1000 (the default), 1001, 1008, 1011 to 1013, or 3000 to 4999, a code of the application (RFC 6455, 7.4).
   * @param reason - Text for the client, at most 123 bytes in UTF-8.
   * @throws {RangeError} If the code or the reason is not allowed.
   */
  close(code?: number, reason?: string): void;
}

/** Error of {@link OpenSocket.send} after the end of a socket. */
export class SocketClosedError extends Error {
  override readonly name = "SocketClosedError";
  /** Close code (RFC 6455, 7.4). 1006 if the client disconnected without a close frame. */
  readonly closeCode: number;

  constructor(closeCode: number) {
    super(`The WebSocket is closed (${closeCode})`);
    this.closeCode = closeCode;
  }
}

/** Result of a request whose handler is called after the handshake is accepted. */
export class PendingSocket {
  /** Input of the handler. */
  readonly input: object;

  constructor(input: object) {
    this.input = input;
  }
}

/** End of a WebSocket. */
export interface SocketEnd {
  /** Close code (RFC 6455, 7.4). */
  readonly code: number;
  readonly reason: string;
  /** True if the handler, a broken message or the end of the application closed the socket. */
  readonly isByApplication: boolean;
}

/** Parts of a request that {@link SocketMessages} needs. */
export interface SocketOwner {
  /** Subprotocol. `null` for none. */
  readonly protocol: string | null;
  /** Functions for the messages. */
  readonly compiled: CompiledSocket;
  /** Route, such as `WS /rooms/:id`. */
  readonly ref: string;
  /** True if messages in JSON that the handler sends are checked against their type. */
  readonly isChecked: boolean;
  /** Called once if the client sends a message that breaks the contract. */
  refused(failures: readonly ValidationFailure[]): void;
  /** Log of the messages, for observers. `null` if messages are not recorded. */
  readonly log: StreamLog | null;
  /** Called once, when the connection has ended. */
  ended(end: SocketEnd): void;
}

/** Number of bytes of unread messages from which on the server does not read from the client. */
const greatestQueue = 64 * 1024;
/** Number of unread messages from which on the server does not read, because short messages also cost memory. */
const greatestCount = 1024;
/** Maximum length of a close reason in bytes (RFC 6455, 5.5). */
const longestReason = 123;

const sent: Promise<void> = Promise.resolve();
const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

type Received = string | Uint8Array;

/** Messages of one WebSocket: checks and decodes messages of the client, and writes messages of the handler. */
export class SocketMessages implements OpenSocket<unknown, unknown>, SocketEvents {
  readonly #owner: SocketOwner;
  #socket: ServerSocket | undefined;
  #unread: Received[] = [];
  #unreadBytes = 0;
  #isPaused = false;
  /** Reads of the handler that wait for messages. */
  #waiting: ((result: IteratorResult<unknown, undefined>) => void)[] = [];
  #drained: PromiseWithResolvers<void> | undefined;
  /** Code with which the server closes the socket, or with which the connection has ended. `undefined` while it is open. */
  #closeCode: number | undefined;
  #closeReason = "";

  constructor(owner: SocketOwner) {
    this.#owner = owner;
  }

  /** Sets the socket, which the adapter has accepted. */
  attach(socket: ServerSocket): void {
    this.#socket = socket;
  }

  get protocol(): string | undefined {
    return this.#owner.protocol ?? undefined;
  }

  get isOpen(): boolean {
    return this.#closeCode === undefined;
  }

  send(message: unknown): Promise<void> {
    if (this.#closeCode !== undefined) return rejected(new SocketClosedError(this.#closeCode));
    const { compiled, ref, isChecked, log } = this.#owner;
    let data: string | Uint8Array;
    try {
      data = writeMessage(message, compiled, ref, isChecked);
    } catch (error) {
      return rejected(error);
    }
    log?.sent(data);
    if (this.#socket!.send(data)) return sent;
    if (this.#drained === undefined) {
      this.#drained = Promise.withResolvers();
      ignoreRejection(this.#drained.promise);
    }
    return this.#drained.promise;
  }

  close(code = 1000, reason = ""): void {
    if (!mayBeSent(code)) {
      throw new RangeError(
        `A WebSocket cannot be closed with the code ${String(code)}; use 1000, 1001, 1008, 1011 to 1013, or a code from 3000 to 4999`,
      );
    }
    const length = Buffer.byteLength(reason);
    if (length > longestReason)
      throw new RangeError(`The reason of a close code has at most ${longestReason} bytes, not ${length}`);
    this.#close(code, reason);
  }

  /** Ends the connection without waiting for the client. */
  terminate(): void {
    this.#stop(1006);
    this.#socket?.terminate();
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown, undefined, undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        // The handler may read on with another iteration.
        return Promise.resolve(done);
      },
    };
  }

  message(data: Received): void {
    if (this.#closeCode !== undefined) return;
    this.#owner.log?.received(data);
    this.#unread.push(data);
    this.#unreadBytes += bytesOf(data);
    const resolve = this.#waiting.shift();
    if (resolve !== undefined) {
      const result = this.#take();
      if (result !== undefined) resolve(result);
      else resolve(done);
    } else if (!this.#isPaused && this.#isFull) {
      this.#isPaused = true;
      this.#socket!.pause();
    }
  }

  drain(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  closed(code: number, reason: string): void {
    const isByApplication = this.#closeCode !== undefined;
    // Messages that arrived before the close frame are still read.
    this.#stop(code, !isByApplication);
    this.#owner.ended({
      code: this.#closeCode!,
      reason: isByApplication ? this.#closeReason : reason,
      isByApplication,
    });
  }

  get #isFull(): boolean {
    return this.#unreadBytes >= greatestQueue || this.#unread.length >= greatestCount;
  }

  #next(): Promise<IteratorResult<unknown, undefined>> {
    const result = this.#unread.length === 0 ? undefined : this.#take();
    if (result !== undefined) return Promise.resolve(result);
    if (this.#closeCode !== undefined) return Promise.resolve(done);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Returns the next message. `undefined` if it breaks the contract, so that the socket closes. */
  #take(): IteratorResult<unknown, undefined> | undefined {
    const data = this.#unread.shift()!;
    this.#unreadBytes -= bytesOf(data);
    if (this.#isPaused && !this.#isFull) {
      this.#isPaused = false;
      this.#socket!.resume();
    }
    const read = readMessage(data, this.#owner.compiled);
    if (!("failures" in read)) return { done: false, value: read.value };
    const wasOpen = this.#closeCode === undefined;
    this.#close(read.code, reasonOf(read.failures));
    this.#unread = [];
    if (wasOpen) this.#owner.refused(read.failures);
    return undefined;
  }

  #close(code: number, reason: string): void {
    if (this.#closeCode !== undefined) return;
    this.#closeReason = reason;
    this.#stop(code);
    this.#socket?.close(code, reason);
  }

  /** Ends all calls that wait. `keepsUnread` is true if the handler may still read messages that have arrived. */
  #stop(code: number, keepsUnread = false): void {
    this.#closeCode ??= code;
    if (!keepsUnread) {
      this.#unread = [];
      this.#unreadBytes = 0;
    }
    if (this.#isPaused) {
      // The close frame of the client must be read.
      this.#isPaused = false;
      this.#socket?.resume();
    }
    for (const resolve of this.#waiting.splice(0)) resolve(done);
    this.#drained?.reject(new SocketClosedError(code));
    this.#drained = undefined;
  }
}

function bytesOf(data: Received): number {
  return typeof data === "string" ? Buffer.byteLength(data) : data.length;
}

/** Returns the reason of a close frame for a message that breaks the contract: the first failure. */
export function reasonOf([failure]: readonly ValidationFailure[]): string {
  if (failure === undefined) return "";
  return cut(`${failure.path}: expected ${failure.expected}`);
}

/** Shortens a text to the bytes that a close frame may have, without cutting a character. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= longestReason) return text;
  let end = longestReason - 3;
  // Bytes 10xxxxxx continue a character of UTF-8. A character that does not fit is left out.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString("utf8", 0, end)}...`;
}

/** Returns true for close codes that an application may send (RFC 6455, 7.4.2; 1012 and 1013 from the registry of IANA). */
function mayBeSent(code: number): boolean {
  if (!Number.isInteger(code)) return false;
  return (
    code === 1000 ||
    code === 1001 ||
    code === 1008 ||
    (code >= 1011 && code <= 1013) ||
    (code >= 3000 && code <= 4999)
  );
}

function rejected(failure: unknown): Promise<never> {
  const promise = Promise.reject(failure);
  ignoreRejection(promise);
  return promise;
}

/** Prevents that the process ends because a handler ignores the promise of `send`. */
function ignoreRejection(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}
