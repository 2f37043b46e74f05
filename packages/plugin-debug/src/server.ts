import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { type Access, Guard, type RefusalResponse } from "./access/guard.ts";
import { respond } from "./responses/endpoints.ts";
import { ErrorResponse } from "./responses/error-response.ts";
import { fileAnswer, isForFile } from "./dashboard-files.ts";
import { greatestRequest, replay, replayPath } from "./replay.ts";
import type { SidecarState } from "./responses/sidecar-state.ts";

/** Maximum number of connections. A sidecar has few clients. */
const mostConnections = 256;
const retryMs = 250;
/**
 * Time in milliseconds to wait for a port in use before the warning. Under `kit dev`, the previous process uses the port a little longer.
 */
const patienceMs = 6_000;

/** Address that the sidecar listens on. */
export interface SidecarAddress {
  readonly port: number;
  readonly host: string;
  /** URL such as `http://localhost:9800`. */
  readonly url: string;
}

/** Events of the server. */
export interface ServerEvents {
  listening(address: SidecarAddress): void;
  /** Called once if the port has been in use for some seconds. The server continues to try. */
  waiting(port: number): void;
  /** Called if the server cannot listen at all. */
  failed(error: Error): void;
  /** Called if an error occurred while a response was created. */
  broken(error: unknown, target: string): void;
}

/** HTTP server of the sidecar, separate from the application's server. */
export class SidecarServer {
  readonly #state: SidecarState;
  readonly #guard: Guard;
  readonly #events: ServerEvents;
  readonly #server: Server;
  #retry: NodeJS.Timeout | undefined;
  #warnAt: number | undefined;
  #isClosed = false;

  constructor(state: SidecarState, access: Access, events: ServerEvents) {
    this.#state = state;
    this.#guard = new Guard(access, state.replayToken);
    this.#events = events;
    this.#server = createServer(
      { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 5_000, requireHostHeader: false },
      (request, response) => void this.#respond(request, response),
    );
    this.#server.maxConnections = mostConnections;
    // Closes the connection of an upgrade or of the method CONNECT.
    for (const event of ["upgrade", "connect"]) this.#server.on(event, (_, socket) => socket.destroy());
  }

  /**
   * Starts to listen, immediately or as soon as the port is free. Failures are reported as events, because they must not affect
   * the application.
   */
  listen(port: number, hostname: string): void {
    const server = this.#server;
    const onError = (error: NodeJS.ErrnoException): void => {
      server.off("listening", onListening);
      if (this.#isClosed) return;
      if (error.code !== "EADDRINUSE") return this.#events.failed(error);
      this.#warnAt ??= performance.now() + patienceMs;
      if (performance.now() >= this.#warnAt) {
        this.#events.waiting(port);
        this.#warnAt = Infinity;
      }
      this.#retry = setTimeout(() => this.listen(port, hostname), retryMs);
      this.#retry.unref();
    };
    const onListening = (): void => {
      server.off("error", onError);
      server.on("error", (error) => this.#events.failed(error));
      this.#events.listening(addressOf(server));
    };
    server.once("error", onError);
    server.once("listening", onListening);
    // Without `exclusive`, the primary process of a cluster would share one socket among all processes.
    server.listen({ port, host: hostname, exclusive: true });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    if (!this.#server.listening) {
      this.#server.close();
      return;
    }
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: target = "", rawHeaders, socket } = request;
    // Only the dashboard's page sends requests with a body. After such a request the connection closes, so an unread rest does not
    // matter.
    const hasBody =
      request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"]) > 0;
    if (hasBody) response.setHeader("connection", "close");
    const { accept = "" } = request.headers;
    const isFile = isForFile({ method, target, accept });
    const isReplay = method === "POST" && target === replayPath && this.#state.replayToken !== null;
    const purpose = isFile ? "file" : isReplay ? "action" : "read";
    const remoteAddress = socket.remoteAddress ?? "";
    const refusal = this.#guard.refuse({ method, rawHeaders, remoteAddress, purpose }, performance.now());
    if (refusal !== null) return send(response, refusal.status, errorOf(refusal), refusal.headers);
    try {
      if (isFile) return await sendFile(request, response);
      if (!target.startsWith("/")) throw new ErrorResponse(400, "BAD_REQUEST", "the target must be a path");
      if (isReplay) {
        const text = await bodyOf(request);
        return send(response, 200, await replay(this.#state, text, remoteAddress));
      }
      send(response, 200, await respond(this.#state, target));
    } catch (error) {
      if (error instanceof ErrorResponse) return send(response, error.status, errorOf(error));
      this.#events.broken(error, target);
      const message = "the debug sidecar failed; the application's log says why";
      send(response, 500, errorOf({ code: "INTERNAL_SERVER_ERROR", message }));
    }
  }
}

function errorOf({ code, message }: Pick<RefusalResponse, "code" | "message">): object {
  return { error: { code, message } };
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    // The response is current and is meant for this client only, so nothing may store it.
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  // In the response to HEAD, Node leaves the body out.
  response.end(text);
}

async function sendFile(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url: target = "", headers } = request;
  const { accept = "", "accept-encoding": encodings = "", "if-none-match": ifNoneMatch = "" } = headers;
  const acceptEncoding = String(encodings);
  const {
    status,
    headers: own,
    body,
  } = await fileAnswer({ method, target, accept, acceptEncoding, ifNoneMatch });
  const length = status === 304 ? {} : { "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { ...own, ...length });
  response.end(body);
}

/** Reads the body of a request. Refuses a long body before it has arrived completely. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  // By default, the end of the loop would close the connection, but the response needs it.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length > greatestRequest) {
      throw new ErrorResponse(
        413,
        "PAYLOAD_TOO_LARGE",
        `the body may have at most ${greatestRequest / 1024} KiB`,
      );
    }
  }
  return Buffer.concat(pieces).toString("utf8");
}

function addressOf(server: Server): SidecarAddress {
  const { port, address: host } = server.address() as AddressInfo;
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const name = isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return { port, host, url: `http://${name}:${port}` };
}
