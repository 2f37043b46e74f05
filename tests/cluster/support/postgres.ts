// PostgreSQL with a standby that receives its changes.

import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Client } from "pg";

import { isRoot, NOBODY } from "../../../packages/dev-database/src/account.ts";
import { findBinaries } from "../../../packages/dev-database/src/binaries.ts";
import { Part } from "./part.ts";

const account = isRoot() ? NOBODY : undefined;

/** Primary and standby, which do not run yet. */
export interface Postgres {
  readonly primary: Part;
  readonly standby: Part;
  readonly primaryUrl: string;
  readonly standbyUrl: string;
}

/** Creates the data directories of both servers. */
export function createPostgres(directory: string, [port, standbyPort]: readonly [number, number]): Postgres {
  const binaries = findBinaries(account);
  const data = join(directory, "primary");
  mkdirSync(data, { mode: 0o700 });
  own(data);
  execFileSync(
    binaries.initdb,
    ["-D", data, "-U", "postgres", "--no-sync", "--locale=C", "--encoding=UTF8", "--auth=trust"],
    { ...account, cwd: directory, stdio: "ignore" },
  );
  // The directory of a server that never ran is a valid copy for the standby.
  const copy = join(directory, "standby");
  cpSync(data, copy, { recursive: true });
  chmodSync(copy, 0o700);
  writeFileSync(join(copy, "standby.signal"), "");
  ownAll(copy);
  const server = (name: string, at: string, itsPort: number, settings: readonly string[]): Part =>
    new Part({
      name,
      command: binaries.postgres,
      args: [
        "-D",
        at,
        ...[
          `port=${itsPort}`,
          "listen_addresses=127.0.0.1",
          "unix_socket_directories=",
          "max_connections=200",
          "wal_keep_size=1024",
          "hot_standby=on",
          ...settings,
        ].flatMap((setting) => ["-c", setting]),
      ],
      cwd: directory,
      account,
      log: join(directory, `${name}.log`),
      ready: async () => (await query(urlOf(itsPort), "select 1").catch(() => [])).length === 1,
      // A fast shutdown: open sessions end.
      stopSignal: "SIGINT",
    });
  return {
    // A commit waits for the standby, so that a failover loses no confirmed payment.
    primary: server("postgres", data, port, ["synchronous_standby_names=*"]),
    standby: server("standby", copy, standbyPort, [
      `primary_conninfo=host=127.0.0.1 port=${port} user=postgres`,
    ]),
    primaryUrl: urlOf(port),
    standbyUrl: urlOf(standbyPort),
  };
}

/** Makes the standby the primary. */
export async function promote(standbyUrl: string): Promise<void> {
  await query(standbyUrl, "select pg_promote(true, 30)");
}

function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** Runs a statement with a new connection. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 30_000 });
  // Without a listener, the process would end when the server closes this connection.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Gives a file to the account of PostgreSQL. */
export function own(path: string): void {
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}

function ownAll(directory: string): void {
  own(directory);
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }))
    own(join(directory, name));
}
