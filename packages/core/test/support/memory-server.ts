import type {
  CloseOptions,
  ListenAddress,
  ListenOptions,
  ResponseBody,
  ResponseStreamEvents,
  ResponseWriter,
  RouteMatch,
  ServerAdapter,
  ServerExchange,
  ServerService,
} from "@kit/types";

/** Request to a {@link MemoryServer}. */
export interface MemoryRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Result of a matcher that the server runs itself. */
  readonly match?: RouteMatch;
  /** Called with a function that disconnects the client. */
  readonly client?: (leave: () => void) => void;
  /** Client that receives the body in chunks. Without it, the server cannot stream. */
  readonly stream?: StreamClient;
  /** Error that the server throws when the pipeline sends the response. */
  readonly failToWrite?: Error;
}

/** Response to a {@link MemoryRequest}. */
export interface MemoryResponse {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string | null;
  readonly headers: readonly string[];
}

/** Server adapter without a socket. It follows the rules of `ServerExchange`, and fails if the pipeline breaks them. */
export class MemoryServer implements ServerAdapter {
  readonly name = "memory";
  readonly platform = "test";
  service: ServerService | undefined;
  /** Calls of `listen` and `close`, with their arguments. */
  readonly calls: string[] = [];
  failToListen: Error | undefined;
  /** Promise that `close` waits for. */
  closesAfter: Promise<unknown> | undefined;

  listen(service: ServerService, options: ListenOptions): Promise<ListenAddress> {
    this.calls.push(`listen ${options.port}`);
    if (this.failToListen !== undefined) return Promise.reject(this.failToListen);
    this.service = service;
    const port = options.port === 0 ? 40_000 : options.port;
    return Promise.resolve({ port, host: "localhost", url: `http://localhost:${port}` });
  }

  async close(options: CloseOptions): Promise<void> {
    this.calls.push(`close ${options.graceMs}`);
    this.service = undefined;
    await this.closesAfter;
  }

  getNativeServer(): unknown {
    return this;
  }

  /** Sends a request, such as `GET /notes?page=2`. */
  send(line: string, request: MemoryRequest = {}): Promise<MemoryResponse> {
    const { service } = this;
    if (service === undefined) throw new Error("The server does not listen");
    return send(service, line, request);
  }
}

/** Sends a request to a service. */
export function send(
  service: ServerService,
  line: string,
  request: MemoryRequest = {},
): Promise<MemoryResponse> {
  return new Promise((resolve, reject) => {
    const [method = "", target = ""] = line.split(" ");
    const limit = service.bodyLimits?.of(method, target) ?? service.limits.bodyBytes;
    const exchange = new MemoryExchange(line, request, limit, resolve, reject);
    request.client?.(() => exchange.leave());
    service.handle(exchange);
  });
}

/** Client that reads the body of its response when the test tells it to. */
export class StreamClient implements ResponseWriter {
  head: MemoryResponse | undefined;
  length: number | null = null;
  readonly pieces: string[] = [];
  outcome: "whole" | "cut" | undefined;
  /** True to make `write` return false, as if too many bytes waited for the client. */
  isFull = false;
  events: ResponseStreamEvents | undefined;
  readonly #ended: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  /** Resolves when the server has ended the body. */
  readonly ended: Promise<void> = this.#ended.promise;

  write(chunk: Uint8Array): boolean {
    if (this.outcome !== undefined) throw new Error("Something was written after the end");
    this.pieces.push(Buffer.from(chunk).toString());
    return !this.isFull;
  }

  end(): void {
    this.#over("whole");
  }

  destroy(): void {
    this.#over("cut");
  }

  #over(outcome: "whole" | "cut"): void {
    if (this.outcome !== undefined) throw new Error("The answer was ended twice");
    this.outcome = outcome;
    this.#ended.resolve();
  }
}

class MemoryExchange implements ServerExchange {
  readonly method: string;
  readonly target: string;
  readonly match?: RouteMatch;
  readonly bodyTooLarge: boolean;
  readonly bodyLength: number;
  readonly remoteAddress = "::ffff:192.0.2.7";
  readonly #bytes: Uint8Array;
  readonly #headers: Map<string, string>;
  readonly #resolve: (answer: MemoryResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #failToWrite: Error | undefined;
  respondStream?: NonNullable<ServerExchange["respondStream"]>;
  readonly #leaveListeners: (() => void)[] = [];
  #answered = false;

  constructor(
    line: string,
    request: MemoryRequest,
    limit: number,
    resolve: (answer: MemoryResponse) => void,
    reject: (error: Error) => void,
  ) {
    const [method = "", target = ""] = line.split(" ");
    this.method = method;
    this.target = target;
    if (request.match !== undefined) this.match = request.match;
    const { body = "" } = request;
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    this.bodyTooLarge = bytes.length > limit;
    this.#bytes = this.bodyTooLarge ? new Uint8Array(0) : bytes;
    this.bodyLength = this.#bytes.length;
    this.#headers = new Map(
      Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    this.#failToWrite = request.failToWrite;
    const { stream } = request;
    if (stream !== undefined) {
      this.respondStream = (status, contentType, length, headers_, events) => {
        stream.head = { status, contentType, text: null, headers: headers_ ?? [] };
        stream.length = length;
        stream.events = events;
        this.#answered = true;
        if (this.#failToWrite !== undefined) {
          this.#answered = false;
          throw this.#failToWrite;
        }
        resolve(stream.head);
        return stream;
      };
    }
    this.#resolve = resolve;
    this.#reject = reject;
  }

  bodyText(): string | undefined {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.#bytes);
    } catch {
      return undefined;
    }
  }

  bodyBytes(): Uint8Array {
    return this.#bytes;
  }

  header(name: string): string | undefined {
    this.#mustBeOpen();
    return this.#headers.get(name);
  }

  headers(): Record<string, string> {
    this.#mustBeOpen();
    return Object.fromEntries(this.#headers);
  }

  onAbort(listener: () => void): void {
    this.#mustBeOpen();
    this.#leaveListeners.push(listener);
  }

  /** Throws if the response was sent, because a server releases a request when it has sent the response. */
  #mustBeOpen(): void {
    if (this.#answered) throw new Error("The response was already sent");
  }

  leave(): void {
    for (const listener of this.#leaveListeners.splice(0)) listener();
  }

  respond(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    if (this.#answered) {
      this.#reject(new Error(`${this.method} ${this.target} was answered twice`));
      return;
    }
    this.#answered = true;
    if (this.#failToWrite !== undefined) {
      this.#resolve({ status: 0, contentType: null, text: null, headers: [] });
      throw this.#failToWrite;
    }
    const text = body === null || typeof body === "string" ? body : Buffer.from(body).toString();
    this.#resolve({ status, contentType, text, headers: headers ?? [] });
  }
}
