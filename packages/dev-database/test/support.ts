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

import { placesOf } from "../src/places.ts";
import { isAlive, isServerOf, readPostmaster } from "../src/process.ts";
import { open } from "../src/wire.ts";

/** Leases end quickly here, or each test would wait for two seconds. */
export const IDLE_MS = 300;
process.env["KIT_DATABASE_IDLE_MS"] = String(IDLE_MS);

/** Clients that a failed test left behind would keep the tests waiting. */
const clients = new Set<ChildProcess>();
after(() => {
  for (const child of clients) child.kill("SIGKILL");
});

/** A data directory of the test's own; afterwards its server is down and it is gone. */
export function dataDirectory(context: TestContext, ...below: string[]): string {
  const top = mkdtempSync(join(tmpdir(), "kit-database-"));
  // PostgreSQL of root runs as someone else, who may then go there.
  chmodSync(top, 0o755);
  context.after(async () => {
    // Node documents it, its types do not have it.
    const { passed } = context as TestContext & { readonly passed: boolean };
    if (!passed) context.diagnostic(logsOf(join(top, ...below)));
    const dataDir = join(top, ...below);
    await until(() => serverOf(dataDir) === undefined, "the server to stop", 60_000);
    await until(() => serverOf(dataDir, "tests") === undefined, "the server of tests to stop", 60_000);
    rmSync(top, { recursive: true, force: true });
  });
  return join(top, ...below);
}

/** What the keeper and PostgreSQL said last, for a test that failed. */
function logsOf(dataDir: string): string {
  const files = ["postgres", "tests"].flatMap((of) => [`${of}/keeper.log`, `${of}/postgres.log`]);
  const tails = files.map((name) => {
    const file = join(dataDir, name);
    const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").slice(-30) : ["none"];
    return [`--- ${name}`, ...lines].join("\n");
  });
  return tails.join("\n");
}

/** The project's server, or that of its tests. */
type Which = "postgres" | "tests";

/** PostgreSQL's data directory, which is elsewhere where its account may not enter the state directory. */
export function clusterOf(dataDir: string, which: Which = "postgres"): string {
  const { state } = placesOf({ dataDir }, which);
  const pointer = join(state, "location");
  return join(existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : state, "cluster");
}

/** The process number of the running PostgreSQL. */
export function serverOf(dataDir: string, which: Which = "postgres"): number | undefined {
  const cluster = clusterOf(dataDir, which);
  const found = readPostmaster(cluster);
  return found !== undefined && isServerOf(found.pid, cluster) ? found.pid : undefined;
}

/** The process number of the keeper that began last. */
export function keeperOf(dataDir: string, which: Which = "postgres"): number {
  const log = readFileSync(join(placesOf({ dataDir }, which).state, "keeper.log"), "utf8");
  return Number([...log.matchAll(/keeper (\d+) begins/g)].at(-1)?.[1]);
}

/** Runs a query with a connection of its own. */
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

/** A process with an open database. */
export interface Client {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts a process that opens the database. */
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

/** Ends a client, by force where a signal is named. */
export async function leave({ child }: Client, signal?: NodeJS.Signals): Promise<void> {
  const gone = once(child, "exit");
  if (signal === undefined) child.stdin?.end();
  else child.kill(signal);
  await gone;
}

/** Kills a process and waits until it is gone. */
export async function kill(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await until(() => !isAlive(pid), `process ${pid} to die`);
}

/** Waits until a query gives a value, whatever it says before. */
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

/** Waits for something, and fails where it does not come. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  // oxlint-disable-next-line no-await-in-loop -- waiting is the point
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    // oxlint-disable-next-line no-await-in-loop -- waiting is the point
    await sleep(20);
  }
}
