import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { isGlibc } from "./libc.ts";

/** Names a request until it is answered. */
export type RequestId = number;

/**
 * Called once for each request. `route` is a route's number or one of the negative codes of `match.ts`; `traits` is
 * explained in `exchange.ts`; `body` is there where it is UTF-8 text sent as plain `application/json`.
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

/** Called for each refusal; status 0 and empty texts say that nobody was answered: connections have to wait. */
export type OnRefused = (
  status: number,
  code: string,
  message: string,
  traceId: string,
  remoteAddress: string,
) => void;

/** Called for an answer that is a stream: what happened is a code of `response-stream.ts`. */
export type OnStream = (id: RequestId, event: number) => void;

/** What `create` takes besides its options: for requests, clients that leave, the end, refusals, and streams. */
export type Callbacks = readonly [
  onRequest: OnRequest,
  onAbort: (id: RequestId) => void,
  onClosed: () => void,
  onRefused: OnRefused,
  onStream: OnStream,
];

/** The content type of an answer: none, JSON, or any other as text. */
export type ContentTypeCode = 0 | 1 | string;

/** The functions of the addon. The counterpart is `crates/kit-node-server/src/exports.rs`. */
export interface Addon {
  /** Binds and listens. Takes and gives JSON; the result is {@link Created}. */
  create(options: string, ...callbacks: Callbacks): string;
  respond(
    server: number,
    id: RequestId,
    status: number,
    contentType: ContentTypeCode,
    body: string | Uint8Array | null,
    headers: readonly string[] | null,
  ): void;
  /** Begins an answer that comes piece by piece; 0 where the client has left already. */
  respondStream(
    server: number,
    id: RequestId,
    status: number,
    contentType: ContentTypeCode,
    length: number | null,
    headers: readonly string[] | null,
  ): 0 | 1;
  /** 1 where there is room for more. Like the next two, it does nothing where the stream is no more. */
  write(server: number, id: RequestId, chunk: Uint8Array): 0 | 1;
  end(server: number, id: RequestId): void;
  destroy(server: number, id: RequestId): void;
  method(server: number, id: RequestId): string;
  header(server: number, id: RequestId, name: string): string | undefined;
  headers(server: number, id: RequestId): string[];
  bodyText(server: number, id: RequestId): string | undefined;
  bodyBytes(server: number, id: RequestId): Uint8Array;
  remoteAddress(server: number, id: RequestId): string;
  close(server: number, graceMs: number): void;
  connections(server: number): number;
  forget(server: number): void;
  /** Keeps a port for servers that share it. The result is {@link Reserved}, as JSON. */
  reserve(host: string | null, port: number): string;
  release(reservation: number): void;
}

/** What `reserve` gives, as JSON. */
export interface Reserved {
  readonly reservation: number;
  readonly host: string;
  readonly port: number;
}

/** What `create` gives, as JSON. */
export interface Created {
  readonly server: number;
  /** Nothing where the server listens on a Unix socket. */
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

/** Loads the addon of this platform, once. Fails with a message that says what to do. */
export function loadAddon(): Addon {
  loaded ??= load(platformTriple());
  return loaded;
}

/** The Node that runs, as addons are named after it: `linux-x64-gnu`. */
export function platformTriple(): string {
  const triple = `${process.platform}-${process.arch}`;
  return process.platform === "linux" ? `${triple}-${isGlibc() ? "gnu" : "musl"}` : triple;
}

/** Whether this package has an addon for a platform. */
export function isBuiltFor(triple: string): boolean {
  return builtFor.has(triple);
}

/** Loads the addon of a platform from this package. */
export function load(triple: string): Addon {
  if (!isBuiltFor(triple)) {
    throw addonError(
      `@kit/server-native does not run on ${triple}; it runs on ${[...builtFor].join(", ")}. ` +
        "Without `KIT_SERVER=native` it falls back to node:http there.",
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

/** The addon that was built here, else the one that npm installed for this platform. */
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
