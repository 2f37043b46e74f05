// pgbouncer in front of a test server.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePort } from "../../../packages/core/test/support/free-port.ts";
import { isRoot, NOBODY } from "../../../packages/dev-database/src/account.ts";
import { accepts, type Cluster, until } from "./cluster.ts";

/** Path of pgbouncer. `TEST_PGBOUNCER` names another program than the one in `PATH`. */
export const bouncerProgram: string | undefined = process.env["TEST_PGBOUNCER"] || findProgram();

function findProgram(): string | undefined {
  // Debian installs pgbouncer in a directory that is in `PATH` for root only.
  return ["pgbouncer", "/usr/sbin/pgbouncer"].find((name) => spawnSync(name, ["--version"]).status === 0);
}

/** Returns the reason why pgbouncer cannot be started on this machine, or `undefined` if it can. */
export function missingBouncer(): string | undefined {
  return bouncerProgram === undefined
    ? "there is no pgbouncer in PATH, and TEST_PGBOUNCER is not set"
    : undefined;
}

export class Bouncer implements AsyncDisposable {
  /** URL of the server's database, for the role that the pooler uses. */
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #directory: string;

  private constructor(child: ChildProcess, url: string, directory: string) {
    this.#child = child;
    this.url = url;
    this.#directory = directory;
  }

  /** Starts pgbouncer with `pool_mode = transaction` and the given number of connections to the server. */
  static async start(cluster: Cluster, role: string, size: number): Promise<Bouncer> {
    const directory = mkdtempSync(join(tmpdir(), "kit-bouncer-"));
    const port = await freePort();
    const { port: serverPort, pathname } = new URL(cluster.url);
    const file = join(directory, "pgbouncer.ini");
    writeFileSync(
      file,
      `[databases]
* = host=127.0.0.1 port=${serverPort} user=${role}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${size}
max_client_conn = 500
`,
      { mode: 0o644 },
    );
    // pgbouncer refuses to run as root, as PostgreSQL does.
    const account = isRoot() ? NOBODY : undefined;
    if (account !== undefined) chownSync(directory, account.uid, account.gid);
    const child = spawn(bouncerProgram!, ["-q", file], { ...account, stdio: "ignore" });
    const bouncer = new Bouncer(child, `postgres://${role}@127.0.0.1:${port}${pathname}`, directory);
    await until(() => accepts(port), "pgbouncer to listen");
    return bouncer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, "exit");
      this.#child.kill("SIGKILL");
      await ended;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
