/** What a native server may be told, and how it reaches the engine. */
export interface NativeServerOptions {
  /**
   * How many processes serve, each on its own core: a number, or `"auto"` for as many as the process may use cores. This process
   * then watches over them and serves nothing; each of them runs the whole program once more. Default 1: this process serves.
   */
  readonly workers?: number | "auto";
  /** Between two requests on one connection; default 72,000 ms, which is longer than the 60 s of common load balancers. */
  readonly keepAliveTimeoutMs?: number;
  /** From the first byte of a request to the end of its headers; default 10,000. Then 408. */
  readonly headersTimeoutMs?: number;
  /** From the end of the headers to the end of the body; default 300,000. Then 408. */
  readonly bodyTimeoutMs?: number;
  /** For a client that has stopped reading its answer; default 60,000. Then its connection is cut. */
  readonly writeTimeoutMs?: number;
  /** Greatest size of request line and headers together; default 16,384 bytes. A larger one gets 431. */
  readonly maxHeaderBytes?: number;
  /** Greatest number of header lines; default 100. More get 431. */
  readonly maxHeaders?: number;
  /** Greatest length of the request target, path and query; default 8,192 bytes. A longer one gets 414. */
  readonly maxTargetBytes?: number;
  /** Greatest number of open connections; default 100,000. Further ones wait to be accepted, and the log says so. */
  readonly maxConnections?: number;
  /** Greatest number of connections that wait to be accepted; default 4,096. The system's own limit may be lower. */
  readonly backlog?: number;
  /**
   * How much of what a refused client still sends is read and thrown away, so that it gets to read why; default
   * 67,108,864 bytes. Then its connection is cut.
   */
  readonly maxDiscardedBytes?: number;
  /** From how many refused clients at once that is read; default 256. One more cuts the one that began first. */
  readonly maxDiscarding?: number;
  /** For the next byte of a refused client; default 5,000 ms. */
  readonly discardTimeoutMs?: number;
  /** For all that a refused client still sends; default 30,000 ms. */
  readonly discardTotalTimeoutMs?: number;
}

/** The options as the addon takes them; what is absent has the engine's default. */
export interface EngineOptions {
  readonly timeouts: Readonly<Record<string, number>>;
  readonly limits: Readonly<Record<string, number>>;
  readonly backlog?: number;
}

/** Where an option goes and what it may be. */
interface Rule {
  readonly group: "timeouts" | "limits" | "listener";
  /** The addon's name of it. */
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
  writeTimeoutMs: time("write"),
  discardTimeoutMs: time("discard"),
  discardTotalTimeoutMs: time("discardTotal"),
  maxHeaderBytes: size("headBytes", 256, 2 ** 20),
  maxHeaders: size("headerFields", 1, 10_000),
  maxTargetBytes: size("targetBytes", 16, 65_000),
  // The engine numbers requests with twenty bits.
  maxConnections: size("connections", 1, 2 ** 20),
  maxDiscardedBytes: size("discardedBytes", 0, Number.MAX_SAFE_INTEGER),
  maxDiscarding: size("discarding", 1, 2 ** 20),
  backlog: { group: "listener", name: "backlog", least: 1, greatest: 2 ** 31 - 1 },
};

/**
 * Reads a server's options.
 *
 * @throws {TypeError} that names an option that does not exist.
 * @throws {RangeError} that names an option and what it may be.
 */
export function readOptions(options: NativeServerOptions): EngineOptions {
  const read = { timeouts: {}, limits: {}, listener: {} } as Record<Rule["group"], Record<string, number>>;
  for (const [option, value] of Object.entries(options) as [EngineOption | "workers", unknown][]) {
    if (value === undefined || option === "workers") continue;
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined;
    if (rule === undefined) {
      const known = ["workers", ...Object.keys(rules)].join(", ");
      throw new TypeError(`nativeServer: there is no option \`${option}\`; there are ${known}`);
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
