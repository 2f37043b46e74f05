import type { Client, Pool } from "./driver.ts";

/** Timeout in milliseconds for PostgreSQL to accept a cancel request. */
const limitMs = 5_000;

/**
 * Requests PostgreSQL to cancel the current query of a connection. Uses a separate connection with the pool's TLS
 * settings (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS). Resolves when
 * the server has accepted the request or cannot be reached. Never rejects: an unreachable server has ended the query
 * already, or `statement_timeout` will end it.
 */
export function requestCancel(client: Client, pool: Pool): Promise<void> {
  const { processID, secretKey, host, port } = client;
  const { promise, resolve } = Promise.withResolvers<void>();
  // `pg-native` does not expose these values.
  if (typeof processID !== "number" || typeof secretKey !== "number" || port === undefined) {
    resolve();
    return promise;
  }
  const wire = new pool.Client(pool.options).connection!;
  const send = (): void => wire.cancel(processID, secretKey);
  const timer = setTimeout(() => wire.stream.destroy(), limitMs);
  timer.unref();
  const end = (): void => {
    clearTimeout(timer);
    resolve();
  };
  wire.on("connect", () => {
    if (!wire.ssl) send();
    else if (wire.sslNegotiation !== "direct") wire.requestSsl();
  });
  wire.on("sslconnect", send);
  // The server closes the connection without a response.
  wire.on("end", end);
  wire.on("error", () => {
    wire.stream.destroy();
    end();
  });
  if (host?.startsWith("/")) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host ?? "localhost");
  return promise;
}
