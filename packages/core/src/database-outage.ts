/** At most so many errors of a chain of causes are looked at; a longer one is a circle. */
const depth = 8;

/** Codes of Node's `net` and `dns` for a server that cannot be reached, or whose connection broke. */
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
 * SQL states of an outage: too many connections, and a server that was told to stop, crashed, or is starting
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html). Class 08, connection exceptions, belongs to them too.
 */
const states = new Set(["53300", "57P01", "57P02", "57P03"]);
const connectionException = /^08[0-9A-Z]{3}$/;

/** Codes of the package `postgres`. */
const ofPostgres = new Set([
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
]);

/** Messages of `pg` and its pool about a connection that is gone or did not come in time. These errors have no code. */
const ofPg = new Set([
  "Client has encountered a connection error and is not queryable",
  "Connection terminated",
  "Connection terminated due to connection timeout",
  "Connection terminated unexpectedly",
  "timeout exceeded when trying to connect",
  "timeout expired",
]);

/**
 * Tells if an error, or one that caused it, says that the database cannot be reached or takes no more connections at the moment. Query builders wrap
 * the driver's error as their `cause`. A failed `fetch` is not an outage of the database, although its cause has the same codes. Never throws.
 */
export function isDatabaseOutage(thrown: unknown): boolean {
  try {
    let error = thrown;
    for (let level = 0; level < depth && error instanceof Error; level += 1) {
      // undici's `fetch`.
      if (error instanceof TypeError) return false;
      if (saysOutage(error)) return true;
      error = error.cause;
    }
    return false;
  } catch {
    // A getter of a foreign error.
    return false;
  }
}

function saysOutage(error: Error): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== "string") return ofPg.has(error.message);
  if (network.has(code) || states.has(code) || ofPostgres.has(code)) return true;
  // The socket of a server on the same machine that does not run.
  if (code === "ENOENT") return syscall === "connect";
  return connectionException.test(code);
}
