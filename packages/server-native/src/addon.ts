import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { isGlibc } from "./libc.ts";

/** Identifies a request until its response is sent. */
export type RequestId = number;

/**
 * Called once for each request. `route` is the index of a route, or one of the negative codes in `match.ts`. `traits` contains the method
 * and four flags, see `exchange.ts`. `body` is set if the body is UTF-8 text and the content type is exactly `application/json`.
 */
export type OnRequest = (
  id: RequestId,
  route: number,
  traits: number,
  target: string,
  bodyLength: number,
  body: string | undefined,
  ...params: string[]
) => void;

/**
 * Called for each refusal: an error that the server sends without the application. A status of 0 means that no response was sent: the
 * connection limit is reached, and further connections wait, a TLS handshake has failed (code `TLS_HANDSHAKE`), or a connection of HTTP/2 was
 * closed because its client has exceeded a limit (code `HTTP2_LIMIT`).
 */
export type OnRefused = (
  status: number,
  code: string,
  message: string,
  traceId: string,
  remoteAddress: string,
) => void;

/** Called for events of a streamed response. `response-stream.ts` defines the codes. */
export type OnStream = (id: RequestId, event: number) => void;

/**
 * Called after `readBody` returned 1. `part` is a chunk, or a code for the end or a failure. `body-reader.ts` defines the
 * codes.
 */
export type OnBody = (id: RequestId, part: Uint8Array | number) => void;

/**
 * Called for events of a WebSocket. `event` is a message, or a code: `socket.ts` defines the code for more room, all
 * other codes are the close codes of a socket that has ended. Only the end has a `reason`.
 */
export type OnSocket = (id: RequestId, event: string | Uint8Array | number, reason?: string) => void;

/**
 * Callbacks of `create`: for requests, for clients that disconnect, for the end of the server, for refused requests, for
 * streamed responses, for request bodies in chunks, and for WebSockets.
 */
export type Callbacks = readonly [
  onRequest: OnRequest,
  onAbort: (id: RequestId) => void,
  onClosed: () => void,
  onRefused: OnRefused,
  onStream: OnStream,
  onBody: OnBody,
  onSocket: OnSocket,
];

/** Content type of a response: 0 for none, 1 for `application/json`, or any other type as a string. */
export type ContentTypeCode = 0 | 1 | string;

/** Functions of the addon. `crates/kit-node-server/src/exports.rs` implements them. */
export interface Addon {
  /** Creates a server and starts to listen. Accepts options as JSON and returns {@link Created} as JSON. */
  create(options: string, ...callbacks: Callbacks): string;
  /** Returns the errors that a server sends by itself, as JSON: a list of `ErrorBodySource`. */
  errors(): string;
  respond(
    server: number,
    id: RequestId,
    status: number,
    contentType: ContentTypeCode,
    body: string | Uint8Array | null,
    headers: string | null,
  ): void;
  /** Starts a streamed response. Returns 0 if the client has already disconnected. */
  respondStream(
    server: number,
    id: RequestId,
    status: number,
    contentType: ContentTypeCode,
    length: number | null,
    headers: string | null,
  ): 0 | 1;
  /**
   * Returns 1 if the buffer has room for more bytes, and 0 if the caller must wait. `write`, `end` and
   * `destroy` do nothing if the stream has ended already.
   */
  write(server: number, id: RequestId, chunk: Uint8Array): 0 | 1;
  end(server: number, id: RequestId): void;
  destroy(server: number, id: RequestId): void;
  method(server: number, id: RequestId): string;
  header(server: number, id: RequestId, name: string): string | undefined;
  headers(server: number, id: RequestId): string[];
  bodyText(server: number, id: RequestId): string | undefined;
  bodyBytes(server: number, id: RequestId): Uint8Array;
  /**
   * Requests the next chunk of a body. Returns 0 if nothing is left to read. In this case, `onBody` is not
   * called.
   */
  readBody(server: number, id: RequestId): 0 | 1;
  /** Ends reading of a body. */
  cancelBody(server: number, id: RequestId): void;
  /** Accepts a request as a WebSocket. Returns 0 if the client has already disconnected. */
  acceptSocket(
    server: number,
    id: RequestId,
    messageBytes: number,
    compression: 0 | 1,
    pingMs: number,
    protocol: string | null,
    headers: string | null,
  ): 0 | 1;
  /** Sends a message. Returns 0 if the sender must wait. This function and the next ones do nothing if the socket has ended. */
  sendSocket(server: number, id: RequestId, data: string | Uint8Array): 0 | 1;
  closeSocket(server: number, id: RequestId, code: number, reason: string): void;
  terminateSocket(server: number, id: RequestId): void;
  pauseSocket(server: number, id: RequestId): void;
  resumeSocket(server: number, id: RequestId): void;
  remoteAddress(server: number, id: RequestId): string;
  /** Returns the verified certificate of a TLS client in DER. */
  clientCertificate(server: number, id: RequestId): Uint8Array | undefined;
  close(server: number, graceMs: number): void;
  connections(server: number): number;
  /** Reads the files of TLS again, for new connections. Fails if a file cannot be used; the server then keeps its certificate. */
  reloadTls(server: number): void;
  forget(server: number): void;
  /** Reserves a port for several servers, in several processes, that share it. Returns {@link Reserved} as JSON. */
  reserve(host: string | null, port: number): string;
  release(reservation: number): void;
}

/** Result of `Addon.reserve`, after parsing. */
export interface Reserved {
  readonly reservation: number;
  readonly host: string;
  readonly port: number;
}

/** Result of `Addon.create`, after parsing. */
export interface Created {
  readonly server: number;
  /** `null` if the server listens on a Unix socket. */
  readonly host: string | null;
  readonly port: number | null;
}

const builtFor: ReadonlySet<string> = new Set([
  "linux-x64-gnu",
  "linux-x64-musl",
  "linux-arm64-gnu",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
]);

let loaded: Addon | undefined;

/**
 * Loads the addon for this platform. Later calls return the same addon.
 *
 * @throws {Error} with the code `ERR_KIT_ADDON` and a message that explains what to do.
 */
export function loadAddon(): Addon {
  loaded ??= load(platformTriple());
  return loaded;
}

/** Returns the name of the platform that Node runs on, as the file names of addons contain it: `linux-x64-gnu`. */
export function platformTriple(): string {
  const triple = `${process.platform}-${process.arch}`;
  return process.platform === "linux" ? `${triple}-${isGlibc() ? "gnu" : "musl"}` : triple;
}

/** Returns true if this package has an addon for the platform. */
export function isBuiltFor(triple: string): boolean {
  return builtFor.has(triple);
}

/**
 * Loads the addon for a platform. An addon that was built in this package takes precedence over the addon that npm
 * installed.
 *
 * @throws {Error} with the code `ERR_KIT_ADDON` if the platform has no addon, or if the addon is missing or cannot be loaded.
 */
export function load(triple: string): Addon {
  if (!isBuiltFor(triple)) {
    throw addonError(
      `@kit/server-native does not run on ${triple}; it runs on ${[...builtFor].join(", ")}. ` +
        "On this platform, leave out `KIT_SERVER=native`, and the application uses node:http.",
    );
  }
  const require = createRequire(import.meta.url);
  const path = pathOf(triple, require.resolve);
  try {
    return require(path) as Addon;
  } catch (cause) {
    throw addonError(`The addon of @kit/server-native cannot be loaded: ${path}`, cause);
  }
}

/**
 * Returns the path of the addon that was built in this package, or else of the addon that npm installed for the platform.
 */
function pathOf(triple: string, resolve: (name: string) => string): string {
  const built = fileURLToPath(new URL(`../native/kit-server.${triple}.node`, import.meta.url));
  if (existsSync(built)) return built;
  const name = `@kit/server-native-${triple}`;
  try {
    return resolve(name);
  } catch (cause) {
    throw addonError(
      `@kit/server-native has no addon for ${triple}: ${name} is not installed. npm installs it with @kit/server-native, unless ` +
        "optional dependencies are left out (`--omit=optional`) or node_modules was made on another machine: run " +
        "`npm install` here. In kit's own repository, run `cargo xtask addons`.",
      cause,
    );
  }
}

function addonError(message: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { code: "ERR_KIT_ADDON" });
}
