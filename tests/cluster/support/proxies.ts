// HAProxy in front of the replicas, PgBouncer in front of PostgreSQL, Valkey, and the receiver of telemetry.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { isRoot, NOBODY } from "../../../packages/dev-database/src/account.ts";
import { accepts } from "../../database/support/cluster.ts";
import { answers, Part } from "./part.ts";
import { own } from "./postgres.ts";
import type { Programs } from "./programs.ts";

/** Creates the load balancer. `replicas` are the ports of the replicas, by name. */
export function createBalancer(
  directory: string,
  programs: Programs,
  port: number,
  replicas: ReadonlyMap<string, number>,
): Part {
  const file = join(directory, "haproxy.cfg");
  const servers = [...replicas].map(([name, itsPort]) => `  server ${name} 127.0.0.1:${itsPort}`);
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 12s
  timeout queue 3s
  option redispatch
  retries 2
frontend clients
  bind 127.0.0.1:${port}
  default_backend replicas
backend replicas
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  default-server check inter 500ms fall 2 rise 1
${servers.join("\n")}
`,
  );
  return new Part({
    name: "haproxy",
    command: programs.haproxy,
    args: ["-db", "-f", file],
    log: join(directory, "haproxy.log"),
    ready: () => accepts(port),
  });
}

/**
 * Creates PgBouncer. The database `app` has transactions of any client on any connection, as the replicas on Node use it. The
 * database `sessions` keeps a connection for each client: sqlx of the Rust server names its statements, which needs PgBouncer 1.21
 * in the other mode.
 */
export function createBouncer(directory: string, programs: Programs, port: number, serverPort: number): Part {
  const file = writeBouncerFile(directory, port, serverPort);
  return new Part({
    name: "pgbouncer",
    command: programs.pgbouncer,
    args: ["-q", file],
    // PgBouncer refuses to run as root.
    account: isRoot() ? NOBODY : undefined,
    log: join(directory, "pgbouncer.log"),
    ready: () => accepts(port),
    stopSignal: "SIGINT",
  });
}

/** Writes the configuration of PgBouncer. Returns its path. `serverPort` is the port of PostgreSQL. */
export function writeBouncerFile(directory: string, port: number, serverPort: number): string {
  const file = join(directory, "pgbouncer.ini");
  const target = `host=127.0.0.1 port=${serverPort} user=postgres dbname=postgres`;
  writeFileSync(
    file,
    `[databases]
app = ${target}
sessions = ${target} pool_mode=session
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 40
max_client_conn = 500
server_login_retry = 1
ignore_startup_parameters = extra_float_digits,options,statement_timeout
`,
  );
  own(file);
  return file;
}

/** Creates Valkey, which keeps nothing on the disk. */
export function createValkey(directory: string, programs: Programs, port: number): Part {
  return new Part({
    name: "valkey",
    command: programs.valkey,
    args: ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
    cwd: directory,
    log: join(directory, "valkey.log"),
    ready: () => accepts(port),
  });
}

/** Creates the receiver of telemetry. */
export function createReceiver(directory: string, port: number): Part {
  return new Part({
    name: "receiver",
    command: process.execPath,
    args: [join(import.meta.dirname, "receiver.ts")],
    env: { PORT: String(port) },
    log: join(directory, "receiver.log"),
    ready: () => answers(`http://127.0.0.1:${port}/`),
  });
}
