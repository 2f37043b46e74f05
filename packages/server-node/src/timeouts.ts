/** Timeouts of a server, in milliseconds. */
export interface HttpTimeouts {
  /** Maximum time between two requests on one connection. Default 72,000. */
  readonly keepAliveTimeoutMs?: number;
  /**
   * Maximum time from the first byte of a request to the end of its headers. After this time, the server
   * responds with 408. A connection on which no request begins is closed after this time. Default 10,000.
   */
  readonly headersTimeoutMs?: number;
  /**
   * Maximum time from the first byte of a request to the end of its body. After this time, the server
   * responds with 408. Default 300,000.
   */
  readonly requestTimeoutMs?: number;
  /**
   * Maximum time in which a client sends nothing of a body that the handler reads in chunks. After this time,
   * the server responds with 408. `requestTimeoutMs` does not apply to such a body, so that a large upload may
   * take longer. Default 60,000.
   */
  readonly bodyIdleTimeoutMs?: number;
  /**
   * Minimum number of bytes per second of a body that the handler reads in chunks. The server responds with 408 as soon as the
   * client is `bodyIdleTimeoutMs` behind this rate. The time in which the handler does not read does not count. Default 240. 0 for
   * no minimum rate.
   */
  readonly bodyMinBytesPerSecond?: number;
  /**
   * Maximum time in which a client reads nothing of its response. A client that reads less than 240 bytes per second falls behind this
   * rate, and may be behind by this time. After that, the connection is closed. Default 60,000.
   */
  readonly writeTimeoutMs?: number;
}

/** Default of `bodyIdleTimeoutMs`, equal to the default of the native server. */
export const defaultBodyIdleTimeout = 60_000;

/** Default of `bodyMinBytesPerSecond`, equal to the default of the native server. */
export const defaultBodyRate = 240;

/** Names of the options that are timeouts. */
export const timeoutNames: readonly (keyof HttpTimeouts)[] = [
  "keepAliveTimeoutMs",
  "headersTimeoutMs",
  "requestTimeoutMs",
  "bodyIdleTimeoutMs",
  "bodyMinBytesPerSecond",
  "writeTimeoutMs",
];

/**
 * Validated timeouts in milliseconds. The first three have the names of Node's server properties. Node has no property for the other
 * timeouts.
 */
export interface CheckedTimeouts {
  readonly keepAliveTimeout: number;
  readonly headersTimeout: number;
  /**
   * Maximum time from the first byte of a request to the end of its body. 0 if `bodyTimeout` applies instead.
   */
  readonly requestTimeout: number;
  /**
   * Maximum time from the end of the headers to the end of the body. `undefined` if only `requestTimeout`
   * applies.
   */
  readonly bodyTimeout?: number;
  /** Maximum time in which a client sends nothing of a body in chunks. 60,000 if it is absent. */
  readonly bodyIdleTimeout?: number;
  /** Minimum number of bytes per second of a body in chunks, 0 for no minimum. 240 if it is absent. */
  readonly bodyRate?: number;
  /**
   * Maximum time in which a client reads nothing of its response. A client that reads less than 240 bytes per second falls behind this
   * rate, and may be behind by this time. After that, the connection is closed.
   */
  readonly writeTimeout: number;
}

/**
 * Validates the timeouts of an adapter and applies the defaults.
 *
 * @throws {RangeError} if a timeout is not a whole number from 1 to 2,147,483,647, or the rate not one from 0.
 */
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
  const { bodyMinBytesPerSecond: bodyRate = defaultBodyRate } = options;
  if (!Number.isInteger(bodyRate) || bodyRate < 0 || bodyRate > 2 ** 31 - 1) {
    throw new RangeError(
      `${adapter}: \`bodyMinBytesPerSecond\` must be a whole number of bytes, not ${String(bodyRate)}`,
    );
  }
  const headersTimeout = read("headersTimeoutMs", 10_000);
  return {
    keepAliveTimeout: read("keepAliveTimeoutMs", 72_000),
    headersTimeout,
    // The time for the request includes the time for its headers.
    requestTimeout: Math.max(read("requestTimeoutMs", 300_000), headersTimeout),
    bodyIdleTimeout: read("bodyIdleTimeoutMs", defaultBodyIdleTimeout),
    bodyRate,
    writeTimeout: read("writeTimeoutMs", 60_000),
  };
}
