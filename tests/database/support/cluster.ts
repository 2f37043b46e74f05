// PostgreSQL server for a test. It can be stopped and started again on the same port.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Client } from "pg";

import { freePort } from "../../../packages/core/test/support/free-port.ts";
import { isRoot, NOBODY } from "../../../packages/dev-database/src/account.ts";
import { type Binaries, findBinaries } from "../../../packages/dev-database/src/binaries.ts";

/** Certificate of the server with TLS. It is self-signed, is valid for 127.0.0.1, and expires in 2126. */
const certificate = readFileSync(new URL("../fixtures/server.pem", import.meta.url), "utf8");

export class Cluster {
  readonly url: string;
  /** Option `ssl` for clients and pools. `undefined` if the server does not use TLS. */
  readonly ssl: { readonly ca: string } | undefined;
  readonly #directory: string;
  readonly #binaries: Binaries;
  readonly #port: number;
  /** Settings of PostgreSQL in addition to those that every test server has. */
  readonly #settings: readonly string[];
  #server: ChildProcess | undefined;

  private constructor(
    directory: string,
    binaries: Binaries,
    port: number,
    settings: readonly string[],
    tls: boolean,
  ) {
    this.#settings = settings;
    this.ssl = tls ? { ca: certificate } : undefined;
    this.#directory = directory;
    this.#binaries = binaries;
    this.#port = port;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  /**
   * Creates a data directory without a password and starts PostgreSQL. With `tls`, the server accepts only TLS connections, with the
   * certificate `fixtures/server.pem`.
   */
  static async start({ tls = false }: { readonly tls?: boolean } = {}): Promise<Cluster> {
    const account = isRoot() ? NOBODY : undefined;
    const binaries = findBinaries(account);
    const directory = mkdtempSync(join(tmpdir(), "kit-cluster-"));
    chmodSync(directory, 0o755);
    const data = join(directory, "data");
    mkdirSync(data, { mode: 0o700 });
    if (account !== undefined) chownSync(data, account.uid, account.gid);
    execFileSync(
      binaries.initdb,
      ["-D", data, "-U", "postgres", "--no-sync", "--locale=C", "--encoding=UTF8", "--auth=trust"],
      { ...account, cwd: directory, stdio: "ignore" },
    );
    const settings: string[] = [];
    if (tls) {
      const file = (name: string): string => join(directory, name);
      for (const name of ["server.pem", "server.key"]) {
        copyFileSync(new URL(`../fixtures/${name}`, import.meta.url), file(name));
        if (account !== undefined) chownSync(file(name), account.uid, account.gid);
        // PostgreSQL refuses a private key that others may read.
        chmodSync(file(name), 0o600);
      }
      writeFileSync(file("hba.conf"), "hostssl all all 127.0.0.1/32 trust\n");
      settings.push(
        "ssl=on",
        `ssl_cert_file=${file("server.pem")}`,
        `ssl_key_file=${file("server.key")}`,
        `hba_file=${file("hba.conf")}`,
      );
    }
    const cluster = new Cluster(directory, binaries, await freePort(), settings, tls);
    await cluster.run();
    return cluster;
  }

  /** Starts PostgreSQL and waits until it accepts connections. */
  async run(): Promise<void> {
    const settings = [
      `port=${this.#port}`,
      "listen_addresses=127.0.0.1",
      "unix_socket_directories=",
      "fsync=off",
      ...this.#settings,
    ];
    this.#server = spawn(
      this.#binaries.postgres,
      ["-D", join(this.#directory, "data"), ...settings.flatMap((setting) => ["-c", setting])],
      { ...(isRoot() && NOBODY), cwd: this.#directory, stdio: "ignore" },
    );
    for (let tries = 0; ; tries += 1) {
      try {
        await this.query("select 1");
        return;
      } catch (error) {
        if (tries === 200) throw error;
        await sleep(50);
      }
    }
  }

  /** Stops PostgreSQL. `SIGINT` ends its connections properly, `SIGQUIT` breaks them as a crash does. */
  async stop(signal: "SIGINT" | "SIGQUIT" = "SIGINT"): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  }

  /** Runs a statement with a new connection. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url, ssl: this.ssl });
    // Without a listener, the process would end when the server closes this connection.
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Returns the number of sessions that now run a statement containing this text. */
  async running(text: string): Promise<number> {
    const rows = await this.query(
      `select count(*)::int as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like '%${text}%'`,
    );
    return rows[0]!["n"] as number;
  }

  async remove(): Promise<void> {
    await this.stop("SIGQUIT");
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Returns true if a program accepts connections on a port. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Waits until a condition is true. A condition that throws ends the wait. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  ms = 30_000,
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Waited ${ms / 1000} s for ${what}`);
    await sleep(20);
  }
}
