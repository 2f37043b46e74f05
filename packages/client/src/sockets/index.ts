/**
 * WebSockets. Generated clients import this module if their API has routes with WebSockets.
 *
 * @module
 */
import { decode, encode } from "../codec.ts";
import { ApiError } from "../error.ts";
import { cookieText, headerText } from "../header.ts";
import { addressOf } from "../request.ts";
import { LONGEST_TIMER_MS } from "../retry.ts";
import type {
  ApiSocket,
  MessageKind,
  MessageKinds,
  OpenSocket,
  SocketCall,
  SocketClient,
  SocketClose,
} from "../socket-types.ts";

/** Messages that wait for the caller from which on the client closes the socket, because memory is limited. */
const greatestQueue = 10_000;

/** Bytes and characters of waiting messages from which on the client closes the socket. */
const greatestQueueSize = 64 * 1024 * 1024;

const onlyJson: MessageKinds = { in: ["json"], out: ["json"] };

/**
 * Opens a WebSocket. Resolves when the server has accepted the handshake.
 *
 * @throws {ApiError} With the code `TIMEOUT` if the server does not answer the handshake within `timeoutMs`, by default 30,000.
 */
export const openSocket: OpenSocket = async (options, path, call = {}) => {
  const { codecs } = options;
  const route = `WS ${path}`;
  const address = String(options.baseUrl).replace(/\/$/, "") + addressOf(path, call);
  const url = new URL(address, (globalThis as { location?: { href: string } }).location?.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = create(url, await headersOf(options, call), call.protocols ?? [], route);
  socket.binaryType = "arraybuffer";
  const kinds = codecs?.sockets?.kinds?.[route] ?? call.messages ?? onlyJson;
  const messages = new Messages(socket, route, codecs, kinds);
  const { signal } = call;
  const abort = (): void => messages.close(1000, "");
  signal?.addEventListener("abort", abort, { once: true });
  void messages.closed.then(() => signal?.removeEventListener("abort", abort));
  if (signal?.aborted === true) abort();
  const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 30_000;
  let hasTimedOut = false;
  const stop = (): void => {
    hasTimedOut = true;
    messages.close(1000, "");
  };
  const timer = timeoutMs > 0 ? setTimeout(stop, Math.min(timeoutMs, LONGEST_TIMER_MS)) : undefined;
  try {
    await messages.opened;
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (hasTimedOut)
      throw new ApiError("TIMEOUT", 0, `${route}: the handshake took longer than ${timeoutMs} ms`);
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return messages as ApiSocket<unknown, unknown>;
};

/** Returns the headers of the handshake, which only programs on Node can send. */
async function headersOf(options: SocketClient, call: SocketCall): Promise<Record<string, string>> {
  const shared = typeof options.headers === "function" ? await options.headers() : options.headers;
  const headers = new Headers(shared);
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    const text = headerText(name, value);
    if (text !== undefined) headers.set(name, text);
  }
  const cookies = cookieText(headers.get("cookie"), call.cookies ?? {});
  if (cookies !== undefined) headers.set("cookie", cookies);
  return Object.fromEntries(headers);
}

function create(
  url: URL,
  headers: Record<string, string>,
  offered: readonly string[],
  route: string,
): WebSocket {
  const protocols = [...offered];
  const isNode = "process" in globalThis && "versions" in process;
  if (isNode) {
    // Node's WebSocket takes an object with headers in place of the subprotocols, which types of browsers do not declare.
    const Constructor = WebSocket as unknown as new (
      url: URL,
      init: { headers: object; protocols: string[] },
    ) => WebSocket;
    return new Constructor(url, { headers, protocols });
  }
  if (Object.keys(headers).length > 0) {
    throw new TypeError(
      `${route}: a browser sends no headers with a WebSocket; use cookies, which the browser sends itself, or the query`,
    );
  }
  return new WebSocket(url, protocols);
}

/** Returns the types of messages that are not JSON: `string or Uint8Array`. */
function namesOf(kinds: readonly MessageKind[]): string {
  return kinds.map((kind) => (kind === "text" ? "string" : "Uint8Array")).join(" or ");
}

class Messages implements ApiSocket<unknown, unknown> {
  readonly closed: Promise<SocketClose>;
  readonly opened: Promise<void>;
  readonly #socket: WebSocket;
  readonly #route: string;
  readonly #codecs: SocketClient["codecs"];
  readonly #kinds: MessageKinds;
  #unread: { readonly value: unknown; readonly size: number }[] = [];
  /** Bytes and characters of the messages in `#unread`. */
  #unreadSize = 0;
  #waiting: ((result: IteratorResult<unknown, undefined>) => void)[] = [];
  #end: SocketClose | undefined;
  #failure: ApiError | undefined;

  constructor(socket: WebSocket, route: string, codecs: SocketClient["codecs"], kinds: MessageKinds) {
    this.#socket = socket;
    this.#route = route;
    this.#codecs = codecs;
    this.#kinds = kinds;
    const { promise: opened, resolve: open, reject } = Promise.withResolvers<void>();
    const { promise: closed, resolve: close } = Promise.withResolvers<SocketClose>();
    this.opened = opened;
    this.closed = closed;
    socket.addEventListener("open", () => open());
    socket.addEventListener("message", ({ data }) => this.#receive(data as unknown));
    socket.addEventListener("close", ({ code, reason }) => {
      this.#end = { code, reason };
      reject(new ApiError("NETWORK_ERROR", 0, `${route}: the server did not accept the WebSocket (${code})`));
      close(this.#end);
      for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  get protocol(): string | undefined {
    return this.#socket.protocol || undefined;
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: unknown): void {
    if (!this.isOpen) throw new ApiError("NETWORK_ERROR", 0, `${this.#route}: the WebSocket is closed`);
    const kinds = this.#kinds.in;
    const isBinary = message instanceof Uint8Array && kinds.includes("bytes");
    const isPlain = typeof message === "string" && kinds.includes("text");
    if (!isBinary && !isPlain && !kinds.includes("json"))
      throw new TypeError(`${this.#route}: the WebSocket has no messages in JSON; send ${namesOf(kinds)}`);
    this.#socket.send(isBinary || isPlain ? (message as string) : encode(message));
  }

  close(code = 1000, reason = ""): void {
    this.#socket.close(code, reason);
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown, undefined, undefined> {
    return {
      next: async () => {
        if (this.#failure !== undefined) throw this.#failure;
        const next = this.#unread.shift();
        if (next !== undefined) {
          this.#unreadSize -= next.size;
          return { done: false, value: next.value };
        }
        if (this.#end !== undefined) return { done: true, value: undefined };
        const result = await new Promise<IteratorResult<unknown, undefined>>((resolve) =>
          this.#waiting.push(resolve),
        );
        if (this.#failure !== undefined) throw this.#failure;
        return result;
      },
    };
  }

  #receive(data: unknown): void {
    // After a failure, the socket is about to close.
    if (this.#failure !== undefined) return;
    let value: unknown;
    try {
      value = this.#read(data);
    } catch (cause) {
      this.#fail(`${this.#route}: the server sent a message that does not fit the contract`, cause);
      return;
    }
    const resolve = this.#waiting.shift();
    if (resolve !== undefined) resolve({ done: false, value });
    else this.#keep(value, typeof data === "string" ? data.length : (data as ArrayBuffer).byteLength);
  }

  #keep(value: unknown, size: number): void {
    this.#unreadSize += size;
    const count = this.#unread.push({ value, size });
    if (count <= greatestQueue && this.#unreadSize <= greatestQueueSize) return;
    const limit =
      count > greatestQueue ? `${greatestQueue} messages` : `${greatestQueueSize} bytes or characters`;
    this.#fail(`${this.#route}: more than ${limit} were received and not read`, undefined);
  }

  /** Returns the value of a message: bytes, plain text, or the decoded value of its JSON. */
  #read(data: unknown): unknown {
    const kinds = this.#kinds.out;
    if (typeof data !== "string") {
      if (!kinds.includes("bytes")) throw new TypeError("the message is binary");
      return new Uint8Array(data as ArrayBuffer);
    }
    if (kinds.includes("text")) return data;
    if (!kinds.includes("json")) throw new TypeError("the message is text");
    const value: unknown = JSON.parse(data);
    const codec = this.#codecs?.sockets?.messages[this.#route];
    return codec === undefined || codec === null ? value : decode(codec, value, this.#codecs!.types);
  }

  #fail(message: string, cause: unknown): void {
    this.#failure = new ApiError("UNEXPECTED_RESPONSE", 101, message, { cause });
    this.#unread = [];
    this.#socket.close(3008, "The client cannot read the messages");
  }
}
