import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Response whose body has been received completely. */
export interface Answer {
  /** Protocol version, such as `HTTP/1.1`. */
  readonly version: string;
  readonly status: number;
  /** Headers in the order in which they arrived. Their names are in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Response, or `none`: the way in which the server closed the connection without a response. */
export type Outcome = Answer | { readonly none: string };

/** Pause in milliseconds between the pieces of a request, so that the server reads each piece separately. */
const PAUSE_MS = 2;

const TIMEOUT_MS = 20_000;

/** Connection to a server. It sends the bytes of requests, one request after the other. */
export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #isEnded = false;
  #requests = 0;
  #closes = false;
  #reason = "closed";
  #wake: (() => void) | undefined;

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#wake?.();
    });
    this.#socket.on("error", (error: NodeJS.ErrnoException) => (this.#reason = error.code ?? error.message));
    // Either event may come alone: `end` if the server closes its side, `close` if the connection breaks.
    this.#socket.on("end", () => this.#end());
    this.#socket.on("close", () => this.#end());
  }

  /** True if another request can be sent on the connection. */
  get isOpen(): boolean {
    return !this.#isEnded && !this.#closes;
  }

  /** True if at most one request was sent on the connection. */
  get isFresh(): boolean {
    return this.#requests === 1;
  }

  /**
   * Sends a request and reads its response. `isHead` is true for HEAD, whose response has no body. `cuts` are the positions at which the
   * bytes are divided.
   */
  async exchange(bytes: Buffer, isHead: boolean, cuts: readonly number[] = []): Promise<Outcome> {
    let from = 0;
    for (const share of cuts) {
      const to = Math.floor(bytes.length * share);
      if (to <= from) continue;
      this.#socket.write(bytes.subarray(from, to));
      from = to;
      await pause(PAUSE_MS);
    }
    this.send(bytes.subarray(from));
    const timer = setTimeout(() => {
      this.#reason = `nothing within ${TIMEOUT_MS} ms`;
      this.#socket.destroy();
    }, TIMEOUT_MS);
    try {
      return await this.#read(isHead);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends bytes, closes the sending side and reads the response, if the server still responds. */
  exchangeLast(bytes: Buffer, isHead: boolean): Promise<Outcome> {
    const timer = setTimeout(() => {
      this.#reason = `nothing within ${TIMEOUT_MS} ms`;
      this.#socket.destroy();
    }, TIMEOUT_MS);
    this.#requests += 1;
    this.#socket.end(bytes);
    return this.#read(isHead).finally(() => clearTimeout(timer));
  }

  send(bytes: Buffer): void {
    this.#requests += 1;
    this.#socket.write(bytes);
  }

  /** Waits for the next response on the connection. */
  receive(): Promise<Outcome> {
    return this.#read(false);
  }

  close(): void {
    this.#isEnded = true;
    this.#socket.destroy();
  }

  async #read(isHead: boolean): Promise<Outcome> {
    for (;;) {
      const head = await this.#until(() => this.#received.indexOf("\r\n\r\n"));
      if (head === undefined) return { none: this.#reason };
      const [statusLine = "", ...lines] = this.#received.toString("latin1", 0, head).split("\r\n");
      this.#received = this.#received.subarray(head + 4);
      const [, version = "", code] = /^(HTTP\/1\.[01]) (\d{3}) /.exec(`${statusLine} `) ?? [];
      if (code === undefined) return { none: `no status line: ${statusLine.slice(0, 80)}` };
      const status = Number(code);
      const headers = lines.map((line): readonly [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      });
      // Skips 100 Continue, because the body has been sent already.
      if (status === 100) continue;
      const body = await this.#body(status, headers, isHead);
      const closes = headers.some(
        ([name, value]) => name === "connection" && value.toLowerCase() === "close",
      );
      // Bytes after the response show how the connection closes.
      if (closes) this.#closes = true;
      return body === undefined
        ? { none: `${this.#reason} within the body of ${status}` }
        : { version, status, headers, body };
    }
  }

  async #body(status: number, headers: Answer["headers"], isHead: boolean): Promise<Buffer | undefined> {
    const header = (wanted: string): string | undefined => headers.find(([name]) => name === wanted)?.[1];
    if (isHead || status === 204 || status === 304) return Buffer.alloc(0);
    if (header("transfer-encoding") !== undefined) return this.#chunked();
    const length = header("content-length");
    if (length !== undefined) return this.#take(Number(length));
    await this.#until(() => -1);
    return this.#received;
  }

  async #chunked(): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    for (;;) {
      const line = await this.#until(() => this.#received.indexOf("\r\n"));
      if (line === undefined) return undefined;
      const size = Number.parseInt(this.#received.toString("latin1", 0, line), 16);
      await this.#take(line + 2);
      const piece = await this.#take(size + 2);
      if (piece === undefined) return undefined;
      if (size === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, size));
    }
  }

  async #take(length: number): Promise<Buffer | undefined> {
    const found = await this.#until(() => (this.#received.length >= length ? length : -1));
    if (found === undefined) return undefined;
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }

  /** Waits until `find` returns a position in the received bytes. Resolves to `undefined` if the connection closes before that. */
  async #until(find: () => number): Promise<number | undefined> {
    for (;;) {
      const found = find();
      if (found >= 0) return found;
      if (this.#isEnded) return undefined;
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }

  #end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }
}

/** All responses on a connection, and its state at the end. */
export interface RawOutcome {
  readonly answers: readonly Answer[];
  /** State of the connection at the end, such as `closed` or `it waits`. */
  readonly rest: string;
}

/** Time in milliseconds without data after which a server counts as waiting for more bytes. */
const SILENCE_MS = 1500;

/**
 * Sends bytes on a new connection, and reads responses until the server closes it. If the server waits for more bytes, closes the sending
 * side. The bytes must not contain a HEAD request.
 */
export async function exchange(port: number, bytes: Buffer): Promise<RawOutcome> {
  const connection = new Connection(port);
  connection.send(bytes);
  const answers: Answer[] = [];
  let waited = false;
  const timer = setTimeout(() => {
    waited = true;
    connection.close();
  }, SILENCE_MS);
  for (;;) {
    const outcome = await connection.receive();
    timer.refresh();
    if ("none" in outcome) {
      clearTimeout(timer);
      connection.close();
      return { answers, rest: waited ? "it waits" : outcome.none === "ECONNRESET" ? "closed" : outcome.none };
    }
    answers.push(outcome);
  }
}
