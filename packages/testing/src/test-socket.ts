import type { HeaderTexts } from "./header-texts.ts";
import type { TestResponse } from "./test-response.ts";
import { jsonOf } from "./values/wire.ts";
import { connectSocket, sendHandshake } from "./web-socket.ts";

/** Milliseconds for which {@link TestSocket.receive} waits by default. */
const receiveMs = 5_000;

/** Error of a handshake that the application refused. */
export class HandshakeError extends Error {
  override readonly name = "HandshakeError";
  /** Response to the handshake. */
  readonly response: TestResponse;

  constructor(target: string, response: TestResponse) {
    super(`The application refused the WebSocket ${target} with ${response.status}: ${response.text}`);
    this.response = response;
  }
}

/** WebSocket that a test opened. `TReceived` is the type of messages after `JSON.parse`: a `Date` is a string. */
export interface TestSocket<TSent, TReceived> extends AsyncIterable<TReceived> {
  /** Subprotocol that the application chose. `undefined` if the test offered none. */
  readonly protocol: string | undefined;
  /** Resolves to the close code and the reason when the socket has closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Sends a message as JSON: dates as RFC 3339 strings, bigints as digits, bytes as base64. */
  send(message: TSent): void;
  /** Sends a text message that is possibly not JSON. */
  sendText(text: string): void;
  /** Sends a binary message. */
  sendBytes(bytes: Uint8Array): void;
  /**
   * Returns the next message of the application: the value of its JSON, the text itself if the text is not JSON, or a
   * `Uint8Array` for a binary message. A socket of an integration suite does not parse the text of a route that sends `Text`.
   * {@link TestSocket.receiveText} returns text as it arrived.
   *
   * @param timeoutMs - Milliseconds to wait for a message. Default 5,000.
   * @throws {Error} If no message arrives in time, or if the socket has closed. The message names the close code.
   */
  receive(timeoutMs?: number): Promise<TReceived>;
  /**
   * Returns the text of the next message, without parsing JSON.
   *
   * @param timeoutMs - Milliseconds to wait for a message. Default 5,000.
   * @throws {Error} As {@link TestSocket.receive}, and if the message is binary.
   */
  receiveText(timeoutMs?: number): Promise<string>;
  /** Closes the socket. `code` is 1000, which is the default, or a code from 3000 to 4999. */
  close(code?: number, reason?: string): void;
}

/** Opens a WebSocket. If `isPlain` is true, text is not parsed as JSON. Rejects with {@link HandshakeError} if the application refuses the handshake. */
export async function openTestSocket(
  origin: string,
  target: string,
  headers: HeaderTexts,
  isPlain = false,
): Promise<OpenTestSocket> {
  const socket = connectSocket(origin, target, headers);
  const opened = new OpenTestSocket(socket, target, isPlain);
  if (await opened.isOpened) return opened;
  // The WebSocket of Node does not tell the response, so another handshake asks for it.
  throw new HandshakeError(target, await sendHandshake(origin, target, headers));
}

/** Open WebSocket of a test, which stores messages until the test reads them. */
export class OpenTestSocket implements TestSocket<unknown, unknown> {
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Resolves to false if the application refused the handshake. */
  readonly isOpened: Promise<boolean>;
  readonly #socket: WebSocket;
  readonly #target: string;
  readonly #isPlain: boolean;
  readonly #unread: (string | Uint8Array)[] = [];
  /** Functions that wait for a message or for the end of the socket. */
  #waiting: (() => void)[] = [];
  #end: { readonly code: number; readonly reason: string } | undefined;

  constructor(socket: WebSocket, target: string, isPlain: boolean) {
    this.#socket = socket;
    this.#target = target;
    this.#isPlain = isPlain;
    const { promise, resolve } = Promise.withResolvers<{ readonly code: number; readonly reason: string }>();
    this.closed = promise;
    this.isOpened = new Promise((tell) => {
      socket.addEventListener("open", () => tell(true), { once: true });
      socket.addEventListener("close", () => tell(false), { once: true });
      socket.addEventListener("error", () => tell(false), { once: true });
    });
    socket.addEventListener("message", ({ data }) => {
      this.#unread.push(typeof data === "string" ? data : new Uint8Array(data as ArrayBuffer));
      this.#wake();
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.#end = { code, reason };
      resolve(this.#end);
      this.#wake();
    });
  }

  get protocol(): string | undefined {
    return this.#socket.protocol || undefined;
  }

  send(message: unknown): void {
    this.#socket.send(jsonOf(message));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  async receive(timeoutMs: number = receiveMs): Promise<unknown> {
    return this.#valueOf(await this.#next(timeoutMs));
  }

  async receiveText(timeoutMs: number = receiveMs): Promise<string> {
    const message = await this.#next(timeoutMs);
    if (typeof message === "string") return message;
    throw new Error(
      `The WebSocket ${this.#target} received a binary message of ${message.length} bytes, not text`,
    );
  }

  async #next(timeoutMs: number): Promise<string | Uint8Array> {
    const end = Date.now() + timeoutMs;
    while (this.#unread.length === 0) {
      if (this.#end !== undefined) {
        const { code, reason } = this.#end;
        throw new Error(
          `The WebSocket ${this.#target} closed with ${`${code} ${reason}`.trim()} before a message arrived`,
        );
      }
      const left = end - Date.now();
      if (left <= 0) throw new Error(`The WebSocket ${this.#target} received no message in ${timeoutMs} ms`);
      await this.#changed(left);
    }
    return this.#unread.shift()!;
  }

  #valueOf(message: string | Uint8Array): unknown {
    return this.#isPlain ? message : parsed(message);
  }

  close(code = 1000, reason = ""): void {
    this.#socket.close(code, reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, undefined> {
    for (;;) {
      while (this.#unread.length > 0) yield this.#valueOf(this.#unread.shift()!);
      if (this.#end !== undefined) return;
      await this.#changed();
    }
  }

  /** Waits for a message, the end of the socket, or the end of the time. */
  #changed(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** Returns parsed JSON, the text of a message that is not JSON, or bytes. */
function parsed(message: string | Uint8Array): unknown {
  if (typeof message !== "string") return message;
  try {
    return JSON.parse(message);
  } catch {
    return message;
  }
}
