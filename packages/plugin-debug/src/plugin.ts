import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import type { ErrorFields, Plugin, PluginHost, RequestFailure } from "@kit/core";
import type { ListenAddress, LogEntry, RequestObserver } from "@kit/types";

import { CurrentSpan } from "./calls/current-span.ts";
import { recordOutgoingCalls } from "./calls/watch.ts";
import { EventLoopLag } from "./health/event-loop-lag.ts";
import type { History } from "./history/history.ts";
import { MemoryHistory } from "./history/memory.ts";
import { joinDirectory, type SharedDirectory } from "./history/shared-directory.ts";
import { type ProcessState, StoredHistory } from "./history/stored.ts";
import { type DebugOptions, type ReadDebugOptions, readDebugOptions } from "./options.ts";
import { ownHealth } from "./health/process-health.ts";
import { Redaction } from "./history/redaction.ts";
import { type SidecarAddress, SidecarServer } from "./server.ts";

/**
 * Maximum number of requests in progress that a worker shares with the other workers. If there are more, shares the oldest
 * requests.
 */
const mostShared = 100;
/** Maximum number of bytes of a request body that are recorded. Bodies are recorded only in development. */
const receivedBodyBytes = 8 * 1024;

/**
 * Maximum numbers of WebSockets and streams that are kept, and of their latest messages. Messages are kept only in
 * development. All of them take at most 200 times 20 times 2 KiB, about 8 MiB.
 */
const keptStreams = { count: 200, messages: 20, messageLength: 1_024 } as const;
/** Maximum number of messages of a stream that a worker shares with the other workers. */
const sharedMessages = 5;

/** Debug sidecar of an application. */
export interface DebugPlugin extends Plugin {
  /** Address that the sidecar listens on. Null before it listens, and while another process uses its port. */
  readonly address: SidecarAddress | null;
}

/**
 * Creates a plugin that serves data about an application on a separate port: requests, errors, logs, spans, latencies, health, routes and
 * types. `kit inspect` and the dashboard read the data.
 *
 * The sidecar listens on 127.0.0.1 and hides credentials in every mode. In production it requires a key, limits the requests of each
 * client, and shows neither source code nor the content of requests. To listen on an address that other machines can reach requires a key
 * of at least 16 characters.
 *
 * @example
 * ```ts
 * createApp({
 *   server: nativeServer(),
 *   routes,
 *   plugins: [debugPlugin({ mode: "production", apiKey: process.env["DEBUG_KEY"] ?? "" })],
 * });
 * ```
 * @throws {TypeError} if an option is invalid or unknown (with the most similar name), or if a required key is missing or too short.
 */
export function debugPlugin(options: DebugOptions = {}): DebugPlugin {
  return new Sidecar(readDebugOptions(options));
}

class Sidecar implements DebugPlugin {
  readonly name = "debug";
  readonly observe: RequestObserver;
  readonly errorFields: ErrorFields;
  readonly #options: ReadDebugOptions;
  readonly #memory: MemoryHistory;
  readonly #current = new CurrentSpan(() => this.#host?.requests?.unassignedCall());
  #host: PluginHost | undefined;
  #redaction: Redaction | undefined;
  #stopWatching: (() => void) | undefined;
  #stored: StoredHistory | undefined;
  #shared: SharedDirectory | undefined;
  #server: SidecarServer | undefined;
  #lag: EventLoopLag | undefined;
  #address: SidecarAddress | null = null;
  #isStopping = false;

  constructor(options: ReadDebugOptions) {
    this.#options = options;
    this.errorFields = options.errorFields;
    const memory = new MemoryHistory(options.keep);
    this.#memory = memory;
    this.observe = {
      capacity: options.keep,
      spans: true,
      // Development needs the outgoing calls of every request, also those of the first request of a route.
      calls: { around: this.#current.run, always: !options.isProduction },
      // Recorded requests can be shown and repeated. In production, the content of requests is private.
      ...(!options.isProduction && { captureRequests: { bodyBytes: receivedBodyBytes } }),
      // Like the content of requests, the content of messages is private in production.
      streams: options.isProduction ? { ...keptStreams, messages: 0 } : keptStreams,
      onResponse: (request) => {
        memory.answered(request);
        this.#stored?.answered(request);
      },
    };
  }

  get address(): SidecarAddress | null {
    return this.#address;
  }

  onStart(host: PluginHost): void {
    this.#host = host;
    this.#redaction = new Redaction(host, this.#options.access.redact);
    this.#memory.attach(host.requests);
    this.#lag = new EventLoopLag();
    this.#stored = this.#openStore(host);
    if (host.worker !== null) this.#stored?.share(() => this.#present(host));
    this.#stopWatching = recordOutgoingCalls(this.#current, host);
  }

  onReady(address: ListenAddress): void {
    const { access, port, isProduction } = this.#options;
    const host = this.#host!;
    const history: History = this.#stored ?? this.#memory;
    const isStopping = (): boolean => this.#isStopping;
    const others = (): readonly ProcessState[] => this.#stored?.others() ?? [];
    const state = {
      host,
      history,
      active: () => [...this.#memory.active(), ...others().flatMap(({ active }) => active)],
      streams: () => [
        ...(host.requests?.streams() ?? []),
        ...others().flatMap(({ streams = [] }) => streams),
      ],
      others,
      redaction: this.#redaction!,
      lag: this.#lag!,
      address,
      isProduction,
      instance: randomBytes(8).toString("hex"),
      isShared: this.#stored !== undefined,
      replayToken: isProduction ? null : randomBytes(32).toString("base64url"),
      rateLimit: access.rateLimit,
      get isStopping() {
        return isStopping();
      },
    };
    this.#server = new SidecarServer(state, access, {
      listening: (listening) => {
        this.#address = listening;
        host.log.info(`The debug sidecar listens on ${listening.url}`);
      },
      waiting: (taken) => {
        // Only one of several workers runs the sidecar. If that worker ends, another one starts it.
        if (host.worker !== null) return;
        host.log.warn(
          `The debug sidecar waits for port ${taken}, which another program uses: give debugPlugin another \`port\`, or 0 for a free one`,
        );
      },
      failed: (error) =>
        host.log.warn("The debug sidecar cannot listen; the application goes on without it", { error }),
      broken: (error, target) => host.log.error("The debug sidecar failed", { error, target }),
    });
    this.#server.listen(port, access.hostname);
  }

  /** Returns the state of this process, which the worker that runs the sidecar shows. */
  #present(host: PluginHost): ProcessState {
    // Hides values before the state is written, because the file must not contain hidden values either.
    const active = this.#memory.active().slice(0, mostShared);
    return {
      health: ownHealth(host, this.#lag!),
      active: active.map((record) => this.#redaction!.request(record)),
      streams: host
        .requests!.streams()
        .slice(0, mostShared)
        .map((record) =>
          this.#redaction!.stream({ ...record, messages: record.messages.slice(-sharedMessages) }),
        ),
    };
  }

  onError(error: unknown, request: RequestFailure): void {
    this.#memory.failed(() => this.#host!.describeError(error, request));
  }

  onLog(entry: LogEntry, json: () => string): void {
    this.#memory.logged(entry, json);
  }

  async onStop(): Promise<void> {
    this.#isStopping = true;
    this.#stopWatching?.();
    this.#lag?.stop();
    await this.#server?.close();
    this.#stored?.close();
    this.#shared?.leave();
    this.#address = null;
  }

  /**
   * Opens the history file. Returns `undefined` if no file is configured, or if it cannot be opened: the
   * application must start nevertheless.
   */
  #openStore({ projectRoot, log, workerGroup }: PluginHost): StoredHistory | undefined {
    const { store } = this.#options;
    if (store === null || (store.path === null && workerGroup === null)) return undefined;
    let path = resolve(projectRoot, store.path ?? tmpdir());
    const failed = (error: unknown): void =>
      log.warn(
        `The debug sidecar cannot keep its history in ${path}; until the next start, the history is only in memory`,
        { error },
      );
    try {
      if (store.path === null) {
        this.#shared = joinDirectory(workerGroup!, process.ppid);
        path = join(this.#shared.path, "history.db");
      }
      return new StoredHistory(path, store.maxBytes, this.#memory, this.#redaction!, failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }
}
