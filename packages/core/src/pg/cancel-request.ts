import type { Client, Pool } from "./driver.ts";

/** Time that PostgreSQL may take to accept a cancel request, in milliseconds. */
const limitMs = 5_000;

/**
 * Asks PostgreSQL to cancel what a connection runs, over a connection of its own and with the pool's TLS settings
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS). Resolves when the server has taken the request or
 * cannot be asked. Never rejects: a server that cannot be reached has ended the query, or `statement_timeout` will.
 */
export function requestCancel(client: Client, pool: Pool): Promise<void> {
  const { processID, secretKey, host, port } = client;
  const { promise, resolve } = Promise.withResolvers<void>();
  // pg-native keeps these to itself.
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
  // The server closes the connection without an answer.
  wire.on("end", end);
  wire.on("error", () => {
    wire.stream.destroy();
    end();
  });
  if (host?.startsWith("/")) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host ?? "localhost");
  return promise;
}
