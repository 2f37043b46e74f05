import type { ChildProcess } from "node:child_process";

/** What a primary tells a worker process through its environment. */
export interface WorkerPlan {
  /** From 1. */
  readonly worker: number;
  /** The primary's process id. */
  readonly primary: number;
  /** What its workers have in common. */
  readonly group: string;
  /** What the primary has reserved. */
  readonly host: string;
  readonly port: number;
}

const variable = "KIT_WORKER_PLAN";

/** This process's part; nothing where it is no worker. */
export const plan: WorkerPlan | undefined = takePlan();

/**
 * The number of this worker process, from 1 to `workers`; nothing in the primary process and where there are no workers.
 *
 * @example
 * ```ts
 * import { workerNumber } from "@kit/server-native";
 *
 * // Once for the whole application, and not once a process:
 * if (workerNumber === undefined) console.log("Starting");
 * ```
 */
export const workerNumber: number | undefined = plan?.worker;

function takePlan(): WorkerPlan | undefined {
  const text = process.env[variable];
  // Processes that the worker starts are none.
  delete process.env[variable];
  return text === undefined || process.send === undefined ? undefined : (JSON.parse(text) as WorkerPlan);
}

/**
 * Starts the program of this process once more, as a worker.
 *
 * @throws {Error} where this process runs no file.
 */
export function startWorker(entry: string, itsPlan: WorkerPlan): ChildProcess {
  // Not imported above: every start would load it, and few applications have workers.
  const { fork } = process.getBuiltinModule("node:child_process");
  const isInspected = process.execArgv.some((argument) => argument.startsWith("--inspect"));
  return fork(entry, process.argv.slice(2), {
    // The inspector's port is the primary's; each worker takes a free one.
    execArgv: isInspected ? [...process.execArgv, "--inspect-port=0"] : process.execArgv,
    env: { ...process.env, [variable]: JSON.stringify(itsPlan) },
  });
}

/**
 * The file that this process runs.
 *
 * @throws {Error} where it runs none, as with `node --eval`.
 */
export function entryModule(): string {
  const entry = process.argv[1];
  if (entry !== undefined && entry !== "-") return entry;
  throw new Error(
    "nativeServer: `workers` starts the program's file once for each worker, and this process runs none. " +
      "Start the application from a file, or leave `workers` out",
  );
}
