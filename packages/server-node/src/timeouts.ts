/** How long a server waits for clients, in milliseconds. */
export interface HttpTimeouts {
  /** Between two requests on one connection; default 72,000. */
  readonly keepAliveTimeoutMs?: number;
  /** From the first byte of a request to the end of its headers; default 10,000. Then 408. */
  readonly headersTimeoutMs?: number;
  /** From the first byte of a request to the end of its body; default 300,000. Then 408. */
  readonly requestTimeoutMs?: number;
  /** For a client that has stopped reading its answer; default 60,000. Then its connection is cut. */
  readonly writeTimeoutMs?: number;
}

/** Timeouts as Node's servers have them, and those that they have not. */
export interface CheckedTimeouts {
  readonly keepAliveTimeout: number;
  readonly headersTimeout: number;
  /** 0 where `bodyTimeout` takes its place. */
  readonly requestTimeout: number;
  /** From the end of the headers to the end of the body; nothing where `requestTimeout` is all. */
  readonly bodyTimeout?: number;
  /** For a client that has stopped reading its answer. */
  readonly writeTimeout: number;
}

/** Reads an adapter's options. */
export function checkTimeouts(adapter: string, options: HttpTimeouts): CheckedTimeouts {
  const read = (name: keyof HttpTimeouts, standard: number): number => {
    const value = options[name] ?? standard;
    if (!Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1) {
      throw new RangeError(
        `${adapter}: \`${name}\` must be a whole number of milliseconds, not ${String(value)}`,
      );
    }
    return value;
  };
  const headersTimeout = read("headersTimeoutMs", 10_000);
  return {
    keepAliveTimeout: read("keepAliveTimeoutMs", 72_000),
    headersTimeout,
    // The one includes the other.
    requestTimeout: Math.max(read("requestTimeoutMs", 300_000), headersTimeout),
    writeTimeout: read("writeTimeoutMs", 60_000),
  };
}
