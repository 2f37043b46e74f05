/** Options of a native server. */
export interface NativeServerOptions {
  /**
   * Number of processes that serve requests, or `"auto"` for the number of CPU cores that this process may use. Default 1: this process
   * serves. With more than one worker, each worker runs the whole program again, and this process only supervises the workers.
   */
  readonly workers?: number | "auto";
  /**
   * Maximum time between two requests on one connection. Default 72,000 ms, which is longer than the 60 s of
   * common load balancers. If yours opens connections before it has requests, `headersTimeoutMs` must be longer too.
   */
  readonly keepAliveTimeoutMs?: number;
  /**
   * Maximum time from the first byte of a request to the end of its headers. Default 10,000 ms. After this
   * time, the server responds with 408. A connection on which no request begins is closed after this time, or after
   * `keepAliveTimeoutMs` if this time is shorter.
   */
  readonly headersTimeoutMs?: number;
  /**
   * Maximum time from the end of the headers to the end of the body. Default 300,000 ms. After this time, the
   * server responds with 408.
   */
  readonly bodyTimeoutMs?: number;
  /**
   * Maximum time without data from the client, for a body that the handler reads in chunks. Default 60,000 ms. After
   * this time, the server responds with 408. `bodyTimeoutMs` does not apply to such a body, so that a large upload may
   * take longer.
   */
  readonly bodyIdleTimeoutMs?: number;
  /**
   * Minimum number of bytes per second of a body that the handler reads in chunks. The server responds with 408 as soon
   * as the client is `bodyIdleTimeoutMs` behind this rate. While the handler does not read, the time does not count.
   * Default 240. 0 for no minimum rate.
   */
  readonly bodyMinBytesPerSecond?: number;
  /**
   * Maximum time in which a client reads nothing of its response. A client that reads less than 240 bytes per second
   * falls behind this rate, and may be behind by this time. After that, the connection is closed. Default 60,000 ms.
   */
  readonly writeTimeoutMs?: number;
  /** Maximum size of the request line and the headers together; default 16,384 bytes. A larger head gets 431. */
  readonly maxHeaderBytes?: number;
  /** Maximum number of header lines; default 100. More headers get 431. */
  readonly maxHeaders?: number;
  /** Maximum length of the request target (path and query); default 8,192 bytes. A longer target gets 414. */
  readonly maxTargetBytes?: number;
  /** Maximum number of open connections; default 100,000. Further connections wait to be accepted, and the log reports this. */
  readonly maxConnections?: number;
  /** Maximum number of connections that wait to be accepted; default 4,096. The operating system may have a lower limit. */
  readonly backlog?: number;
  /**
   * Maximum number of bytes that the server reads and discards from a refused client, so that the client can
   * read the error response. Default 67,108,864 bytes. After this number, the connection is closed.
   */
  readonly maxDiscardedBytes?: number;
  /**
   * Maximum number of refused clients whose input is discarded at the same time; default 256. If there are more, the
   * server closes the oldest of these connections.
   */
  readonly maxDiscarding?: number;
  /**
   * Maximum time between two chunks of a refused client's input. Default 5,000 ms. After this time, the
   * connection is closed.
   */
  readonly discardTimeoutMs?: number;
  /**
   * Maximum total time for the input of a refused client. Default 30,000 ms. After this time, the connection
   * is closed.
   */
  readonly discardTotalTimeoutMs?: number;
}

/** Options as the addon reads them. The addon has a default for each absent option. */
export interface EngineOptions {
  readonly timeouts: Readonly<Record<string, number>>;
  readonly limits: Readonly<Record<string, number>>;
  readonly backlog?: number;
}

/** Group and valid values of an option. */
interface Rule {
  readonly group: "timeouts" | "limits" | "listener";
  /** Name of the option in the addon. */
  readonly name: string;
  readonly least: number;
  readonly greatest: number;
}

const time = (name: string): Rule => ({ group: "timeouts", name, least: 1, greatest: 2 ** 31 });
const size = (name: string, least: number, greatest: number): Rule => ({
  group: "limits",
  name,
  least,
  greatest,
});

type EngineOption = Exclude<keyof NativeServerOptions, "workers">;

const rules: Readonly<Record<EngineOption, Rule>> = {
  keepAliveTimeoutMs: time("idle"),
  headersTimeoutMs: time("head"),
  bodyTimeoutMs: time("body"),
  bodyIdleTimeoutMs: time("bodyIdle"),
  bodyMinBytesPerSecond: { group: "timeouts", name: "bodyRate", least: 0, greatest: 2 ** 31 - 1 },
  writeTimeoutMs: time("write"),
  discardTimeoutMs: time("discard"),
  discardTotalTimeoutMs: time("discardTotal"),
  maxHeaderBytes: size("headBytes", 256, 2 ** 20),
  maxHeaders: size("headerFields", 1, 10_000),
  maxTargetBytes: size("targetBytes", 16, 65_000),
  // The addon numbers open requests with 20 bits.
  maxConnections: size("connections", 1, 2 ** 20),
  maxDiscardedBytes: size("discardedBytes", 0, Number.MAX_SAFE_INTEGER),
  maxDiscarding: size("discarding", 1, 2 ** 20),
  backlog: { group: "listener", name: "backlog", least: 1, greatest: 2 ** 31 - 1 },
};

/**
 * Validates the options of a server.
 *
 * @throws {TypeError} if an option does not exist. The message names the option.
 * @throws {RangeError} if the value of an option is invalid. The message names the option and its valid values.
 */
export function readOptions(options: NativeServerOptions): EngineOptions {
  const read = { timeouts: {}, limits: {}, listener: {} } as Record<Rule["group"], Record<string, number>>;
  for (const [option, value] of Object.entries(options) as [EngineOption | "workers", unknown][]) {
    if (value === undefined || option === "workers") continue;
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined;
    if (rule === undefined) {
      const known = ["workers", ...Object.keys(rules)].join(", ");
      throw new TypeError(`nativeServer: unknown option \`${option}\`; valid options are ${known}`);
    }
    read[rule.group][rule.name] = checked(option, value, rule);
  }
  const { timeouts, limits, listener } = read;
  return { timeouts, limits, ...listener };
}

function checked(option: string, value: unknown, { group, least, greatest }: Rule): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= greatest)
    return value;
  const unit = group === "timeouts" ? "number of milliseconds" : "number";
  throw new RangeError(
    `nativeServer: \`${option}\` must be a whole ${unit} from ${least} to ${greatest}, not ${String(value)}`,
  );
}
