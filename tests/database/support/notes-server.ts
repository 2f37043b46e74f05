// The notes API in its own process, on Node or in Rust.

import { type ChildProcess, spawn, spawnSync, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { type Cluster, until } from "./cluster.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const notes = join(repository, "examples/notes");
/** Program for Node if the environment sets a request timeout. Only the Rust server reads that variable itself. */
const withTimeout = fileURLToPath(new URL("../fixtures/notes-with-timeout.ts", import.meta.url));
const rust = join(repository, "target/generated/debug/notes-rust");

/** Start of a command that runs a shell script in its own mount namespace. The mounts vanish with the process. */
const inNamespace = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"];
/** Shell command that mounts a disk of 16 MiB at the directory `$0`. */
const mount = 'mount -t tmpfs -o size=16m tmpfs "$0" || exit 1';

/** Returns true if this machine permits to mount a disk of a chosen size for one process. */
export function canMountDisk(directory: string): boolean {
  const [program, ...args] = [...inNamespace, mount, directory];
  return spawnSync(program!, args).status === 0;
}

export type Runtime = "node" | "rust";

/** Returns the reason why a server cannot be started on this machine, or `undefined` if it can. */
export function missing(runtime: Runtime): string | undefined {
  if (runtime === "rust" && !existsSync(rust))
    return `${rust} is not built: kit build in examples/notes-rust`;
  if (runtime === "node" && !existsSync(join(notes, ".kit"))) return "examples/notes is not built: kit build";
  return undefined;
}

/** Creates the tables of the notes API. */
export async function migrate(cluster: Cluster): Promise<void> {
  for (const name of readdirSync(join(notes, "migrations"))) {
    const file = join(notes, "migrations", name, "migration.sql");
    if (existsSync(file)) await cluster.query(readFileSync(file, "utf8"));
  }
}

/** Response with the time that it took. */
export interface Timed {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly ms: number;
}

export class NotesServer {
  readonly url: string;
  readonly pid: number;
  output = "";
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    this.pid = child.pid!;
  }

  /** Starts a server and waits until it listens. */
  static async start(
    runtime: Runtime,
    databaseUrl: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<NotesServer> {
    const child = spawnServer(runtime, databaseUrl, { PORT: "0", ...env });
    let output = "";
    const url = await new Promise<string>((resolve, reject) => {
      const onData = (data: Buffer): void => {
        output += data.toString();
        const found = /Listening on (http:\S+)/.exec(output);
        if (found) resolve(found[1]!.replace("localhost", "127.0.0.1"));
      };
      child.stdout!.on("data", onData);
      child.stderr!.on("data", onData);
      child.once("exit", (code) => reject(new StartError(code, output)));
    });
    const server = new NotesServer(child, url);
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (data: Buffer) => (server.output += data.toString()));
    }
    return server;
  }

  /**
   * Starts a server whose standard output and error are closed from the beginning. The caller chooses the port, because it cannot be read
   * from the output.
   */
  static async startUnread(runtime: Runtime, databaseUrl: string, port: number): Promise<NotesServer> {
    const child = spawnServer(runtime, databaseUrl, { PORT: String(port), LOG_LEVEL: "debug" });
    child.stdout!.destroy();
    child.stderr!.destroy();
    return NotesServer.#at(child, port);
  }

  /** Starts a server whose standard output and error are an open file, such as a pipe. The caller chooses the port. */
  static async startWritingTo(
    output: number,
    runtime: Runtime,
    databaseUrl: string,
    port: number,
  ): Promise<NotesServer> {
    const stdio: StdioOptions = ["ignore", output, output];
    return NotesServer.#at(spawnServer(runtime, databaseUrl, { PORT: String(port) }, stdio), port);
  }

  /**
   * Starts a server whose standard output is the file `log` on a disk of 16 MiB with 32 KiB of free space. Deleting the file `ballast` on
   * this disk gives it space. The disk is mounted at `directory`, which only the server sees; `disk` is its path for other processes.
   */
  static async startOnFullDisk(
    runtime: Runtime,
    databaseUrl: string,
    port: number,
    directory: string,
  ): Promise<{ readonly server: NotesServer; readonly disk: string }> {
    const script = `${mount}; head -c 16352k /dev/zero > "$0/ballast"; exec "$@" > "$0/log"`;
    const env = { PORT: String(port) };
    const stdio: StdioOptions = ["ignore", "ignore", "ignore"];
    const child = spawnServer(runtime, databaseUrl, env, stdio, [...inNamespace, script, directory]);
    const server = await NotesServer.#at(child, port);
    return { server, disk: join(`/proc/${child.pid}/root`, directory) };
  }

  /** Waits until a server that prints nothing responds. */
  static async #at(child: ChildProcess, port: number): Promise<NotesServer> {
    const server = new NotesServer(child, `http://127.0.0.1:${port}`);
    await until(async () => {
      if (!server.isRunning()) throw new StartError(child.exitCode, "");
      return server.get("/notes").then(
        () => true,
        () => false,
      );
    }, "the server to answer");
    return server;
  }

  async get(path: string, signal?: AbortSignal): Promise<Timed> {
    const begin = performance.now();
    const headers = { authorization: "Bearer ada:user" };
    const answer = await fetch(this.url + path, { headers, ...(signal && { signal }) });
    const text = await answer.text();
    return { status: answer.status, text, headers: answer.headers, ms: performance.now() - begin };
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async stop(): Promise<number | null> {
    if (!this.isRunning()) return this.#child.exitCode;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
    return this.#child.exitCode;
  }
}

function spawnServer(
  runtime: Runtime,
  databaseUrl: string,
  env: Readonly<Record<string, string>>,
  stdio: StdioOptions = ["ignore", "pipe", "pipe"],
  wrapper: readonly string[] = [],
): ChildProcess {
  const main = env["REQUEST_TIMEOUT_MS"] === undefined ? "src/main.ts" : withTimeout;
  const command = runtime === "rust" ? [rust] : [process.execPath, main];
  const [program, ...args] = [...wrapper, ...command];
  return spawn(program!, args, {
    cwd: notes,
    env: { ...process.env, NODE_ENV: "production", DATABASE_URL: databaseUrl, HOST: "127.0.0.1", ...env },
    stdio,
  });
}

/** Error for a server that has exited before it listened. */
export class StartError extends Error {
  constructor(code: number | null, output: string) {
    super(`The server ended with ${code}:\n${output}`);
  }
}
