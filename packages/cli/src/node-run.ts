import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { NodeReply, NodeRunRequest, SeenContracts } from "@kit/transform-native";

import { logsIn } from "./captured-logs.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** End of a Node process, with the signal that kit received while the process ran. */
export interface Ended extends NodeReply {
  readonly received: NodeJS.Signals | undefined;
}

/** Time that a process has to end before it is killed. */
const graceMs = 5000;

/** Options of {@link runNode}. */
export interface RunOptions {
  /** Ends the process when it is aborted. */
  readonly stop?: AbortSignal | undefined;
  /** False if kit reads standard input itself, so that the process must not read from it. */
  readonly ownsInput?: boolean;
}

/**
 * Runs the version of Node that runs kit, until it exits. Its output goes to standard error, because standard output is for the result of
 * the command. A signal to kit is passed on to Node, and a second signal kills Node.
 */
export async function runNode(
  { args, directory, env }: NodeRunRequest,
  { stop, ownsInput = true }: RunOptions = {},
): Promise<Ended> {
  const scratch = await mkdtemp(join(tmpdir(), "kit-"));
  try {
    const [report, seen, log] = [join(scratch, "report"), join(scratch, "seen"), join(scratch, "log")];
    await Promise.all([mkdir(seen), mkdir(log)]);
    const places = new Map([
      ["{log}", log],
      ["{report}", report],
      ["{reporter}", import.meta.resolve("#test-reporter")],
      ["{seen}", seen],
    ]);
    const placed = (text: string): string => places.get(text) ?? text;
    const variables = Object.entries(env).map(([name, value]) => [name, placed(value)] as const);
    const modules = [
      import.meta.resolve("#source-imports"),
      ...(env["KIT_TEST_SEEN"] === undefined ? [] : coverageModules(directory)),
    ];
    const all = { ...Object.fromEntries(variables), ...importing(modules) };
    // Applications write their log to the directory only if they know that this process is their runner.
    const began = (pid: number): void => writeFileSync(join(log, "runner"), String(pid));
    const end = await ended(args.map(placed), directory, all, { stop, ownsInput, began });
    return { ...end, report: await textOf(report), seen: await seenIn(seen), logs: await logsIn(log) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Returns environment variables that make every process load these modules first. Arguments would not reach all processes: test runners
 * start processes with arguments of their own, and tests may start the application as a process.
 */
function importing(modules: readonly string[]): Record<string, string> {
  const given = process.env["NODE_OPTIONS"] ?? "";
  return { NODE_OPTIONS: [given, ...modules.map((url) => `--import=${url}`)].join(" ").trimStart() };
}

/** Returns the URL of the coverage recorder, which counts the requests of all clients. */
function coverageModules(directory: string): string[] {
  try {
    const file = createRequire(join(directory, "package.json")).resolve("@kit/testing/coverage");
    return [pathToFileURL(file).href];
  } catch (error) {
    // If coverage cannot be recorded, the tests run without it.
    process.emitWarning(
      `The coverage of routes counts only requests of clients of @kit/testing, because @kit/testing/coverage cannot be loaded: ${String(error)}`,
    );
    return [];
  }
}

/** Matches variables of a test run that has started kit. With them, the tests that kit starts would report to that outer run. */
const OF_AN_OUTER_RUN = /^(?:NODE_TEST_CONTEXT$|KIT_TEST_(?:CONTRACTS|SEEN|LOG|RUNS|SEED|REPLAY)$)/;

/** End of a Node process, without the files that it has written. */
type Exited = Omit<Ended, "report" | "seen" | "logs">;

async function ended(
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>>,
  { stop, ownsInput = true, began }: RunOptions & { began: (pid: number) => void },
): Promise<Exited> {
  const { promise, resolve, reject } = Promise.withResolvers<Exited>();
  const inherited = Object.entries(process.env).filter(([name]) => !OF_AN_OUTER_RUN.test(name));
  const env = { ...Object.fromEntries(inherited), ...variables };
  const child = spawn(process.execPath, args, { cwd, env, stdio: [ownsInput ? "inherit" : "ignore", 2, 2] });
  if (child.pid !== undefined) began(child.pid);
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill("SIGTERM");
    timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  };
  stop?.addEventListener("abort", end);
  // The agent may have cancelled the call before the process started.
  if (stop?.aborted === true) end();
  let received: NodeJS.Signals | undefined;
  const pass = (signal: NodeJS.Signals): void => {
    if (received !== undefined) child.kill("SIGKILL");
    // Ctrl-C sends the signal to all processes in the foreground of the terminal, so Node has received it already.
    else if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    received = signal;
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  child.once("error", reject);
  child.once("close", (code, signal) =>
    resolve({ code, signal, interrupted: received !== undefined, received }),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener("abort", end);
    for (const signal of SIGNALS) process.off(signal, pass);
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Reads the coverage that tests have recorded in a directory. The files `items.*` contain all items, and the files `seen.*` contain
 * the indexes of the covered items.
 */
async function seenIn(directory: string): Promise<SeenContracts | null> {
  const names = (await readdir(directory)).toSorted();
  const texts = (start: string): Promise<string[]> =>
    Promise.all(
      names.filter((name) => name.startsWith(start)).map((name) => readFile(join(directory, name), "utf8")),
    );
  const [items] = await texts("items.");
  if (items === undefined) return null;
  // A process that was killed may have written only a part of its last line.
  const lines = (await texts("seen.")).flatMap((text) => text.split("\n").slice(0, -1));
  const seen = [...new Set(lines.map(Number))].toSorted((one, other) => one - other);
  return { items: JSON.parse(items) as unknown[], seen };
}
