/** Value of the header `retry-after` after a temporary failure of the database, in seconds. */
export const retryAfter = "1";

/** Maximum number of errors to read in a chain of causes. A longer chain is circular. */
const depth = 8;

/** Codes of Node's `net` and `dns` for a server that cannot be reached, or for a broken connection. */
const network = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/**
 * SQL states of an outage: too many connections, or a server that shuts down, crashed, or is starting
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html). The connection exceptions (class 08) are also
 * outages.
 */
const states = new Set(["53300", "57P01", "57P02", "57P03"]);
const connectionException = /^08[0-9A-Z]{3}$/;

/**
 * SQL states of a statement that met another transaction: a serialization failure, a deadlock, and a lock that was not
 * free in time (`NOWAIT`, `lock_timeout`).
 */
const statesOfConflicts = new Set(["40001", "40P01", "55P03"]);

/** Error codes of the package `postgres` for a failed or lost connection. */
const ofPostgres = new Set([
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
]);

/** Messages of `pg` and its pool about a lost connection or a connection timeout. These errors have no code. */
const ofPg = new Set([
  "Client has encountered a connection error and is not queryable",
  "Connection terminated",
  "Connection terminated due to connection timeout",
  "Connection terminated unexpectedly",
  "timeout exceeded when trying to connect",
  "timeout expired",
]);

/**
 * Returns true if an error, or one of its causes, shows that the database cannot be reached or accepts no more
 * connections at the moment. Query builders set the driver's error as the `cause` of their own. A failed `fetch` is not
 * an outage of the database, although its cause has the same codes. Never throws.
 */
export function isDatabaseOutage(thrown: unknown): boolean {
  return temporaryFailure(thrown) === "outage";
}

/**
 * Returns the kind of a failure of the database after which the same request may succeed: an outage, or a conflict with
 * another transaction. Looks at the causes of the error too. Never throws.
 */
export function temporaryFailure(thrown: unknown): "outage" | "conflict" | undefined {
  try {
    let error = thrown;
    for (let level = 0; level < depth && error instanceof Error; level += 1) {
      // `fetch` of undici throws a `TypeError`.
      if (error instanceof TypeError) return undefined;
      if (saysOutage(error)) return "outage";
      if (statesOfConflicts.has((error as NodeJS.ErrnoException).code ?? "")) return "conflict";
      error = error.cause;
    }
    return undefined;
  } catch {
    // A getter of a foreign error threw.
    return undefined;
  }
}

function saysOutage(error: Error): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== "string") return ofPg.has(error.message);
  if (network.has(code) || states.has(code) || ofPostgres.has(code)) return true;
  // The Unix socket of a local server that is not running.
  if (code === "ENOENT") return syscall === "connect";
  return connectionException.test(code);
}
