import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { pathsOf } from "../src/paths.ts";
import { isAlive, isServerOf, readPostmaster } from "../src/process.ts";
import { open } from "../src/postgres-protocol.ts";

/** Time in milliseconds after which an unused keeper stops. It is short, because tests wait for it. */
export const IDLE_MS = 300;
process.env["KIT_DATABASE_IDLE_MS"] = String(IDLE_MS);

/** Clients that are running. They are killed at the end, because those of a failed test would keep the test process alive. */
const clients = new Set<ChildProcess>();
after(() => {
  for (const child of clients) child.kill("SIGKILL");
});

/** Creates a data directory for a test. After the test, waits until its servers have stopped and removes it. */
export function dataDirectory(context: TestContext, ...below: string[]): string {
  const top = mkdtempSync(join(tmpdir(), "kit-database-"));
  // If the tests run as root, PostgreSQL runs as another account, which must be able to enter the directory.
  chmodSync(top, 0o755);
  context.after(async () => {
    // Node documents this property, but its type definitions lack it.
    const { passed } = context as TestContext & { readonly passed: boolean };
    if (!passed) context.diagnostic(logsOf(join(top, ...below)));
    const dataDir = join(top, ...below);
    await until(() => serverOf(dataDir) === undefined, "the server to stop", 60_000);
    await until(() => serverOf(dataDir, "tests") === undefined, "the server of tests to stop", 60_000);
    rmSync(top, { recursive: true, force: true });
  });
  return join(top, ...below);
}

/** Returns the last log lines of the keeper and of PostgreSQL, which are printed if a test fails. */
function logsOf(dataDir: string): string {
  const files = ["postgres", "tests"].flatMap((of) => [`${of}/keeper.log`, `${of}/postgres.log`]);
  const tails = files.map((name) => {
    const file = join(dataDir, name);
    const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").slice(-30) : ["none"];
    return [`--- ${name}`, ...lines].join("\n");
  });
  return tails.join("\n");
}

/** Server of a project: the one for development, or the one for tests. */
type Which = "postgres" | "tests";

/** Returns the data directory of PostgreSQL. It is not in the state directory if PostgreSQL's account may not enter that. */
export function clusterOf(dataDir: string, which: Which = "postgres"): string {
  const { state } = pathsOf({ dataDir }, which);
  const pointer = join(state, "location");
  return join(existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : state, "cluster");
}

/** Returns the process id of the running PostgreSQL, or `undefined` if it does not run. */
export function serverOf(dataDir: string, which: Which = "postgres"): number | undefined {
  const cluster = clusterOf(dataDir, which);
  const found = readPostmaster(cluster);
  return found !== undefined && isServerOf(found.pid, cluster) ? found.pid : undefined;
}

/** Returns the process id of the keeper that started last. */
export function keeperOf(dataDir: string, which: Which = "postgres"): number {
  const log = readFileSync(join(pathsOf({ dataDir }, which).state, "keeper.log"), "utf8");
  return Number([...log.matchAll(/keeper (\d+) begins/g)].at(-1)?.[1]);
}

/** Runs a query with a new connection. */
export async function query(url: string, sql: string): Promise<(string | null)[][]> {
  const { port, username, password, pathname } = new URL(url);
  const connection = await open({
    port: Number(port),
    user: username,
    password: decodeURIComponent(password),
    database: pathname.slice(1),
  });
  try {
    return await connection.query(sql);
  } finally {
    connection.end();
  }
}

/** Process that has opened a database. */
export interface Client {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts a process that opens the database in `dataDir`. */
export async function client(dataDir: string, options: { uid?: number; gid?: number } = {}): Promise<Client> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("client.ts", import.meta.url)), dataDir], {
    stdio: ["pipe", "pipe", "pipe"],
    ...options,
  });
  clients.add(child);
  child.once("exit", () => clients.delete(child));
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  await until(() => output.includes("\n") || child.exitCode !== null, "a client to open its database");
  if (!output.startsWith("postgres://")) throw new Error(`the client failed: ${output}${errors}`);
  return { child, url: output.trim() };
}

/** Ends a client. Sends the signal if one is given, otherwise closes the client's standard input. */
export async function leave({ child }: Client, signal?: NodeJS.Signals): Promise<void> {
  const gone = once(child, "exit");
  if (signal === undefined) child.stdin?.end();
  else child.kill(signal);
  await gone;
}

/** Kills a process and waits until it has exited. */
export async function kill(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await until(() => !isAlive(pid), `process ${pid} to die`);
}

/** Repeats a query until it returns this value. Ignores errors and other values until then. */
export async function untilAnswers(url: string, sql: string, value: string): Promise<void> {
  let last: unknown;
  const answers = async (): Promise<boolean> => {
    try {
      last = (await query(url, sql))[0]?.[0];
    } catch (error) {
      last = error;
    }
    return last === value;
  };
  try {
    await until(answers, "PostgreSQL to answer");
  } catch (error) {
    throw new Error(`${sql} does not give ${value}: ${String(last)}`, { cause: error });
  }
}

/** Waits until a condition is true. Throws an error if that takes too long. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  // oxlint-disable-next-line no-await-in-loop -- repeats the check
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    // oxlint-disable-next-line no-await-in-loop -- waits before the next check
    await sleep(20);
  }
}
