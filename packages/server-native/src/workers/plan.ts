import type { ChildProcess } from "node:child_process";

/** Settings that a primary passes to a worker process in its environment. */
export interface WorkerPlan {
  /** Number of the worker, from 1. */
  readonly worker: number;
  /** Process id of the primary. */
  readonly primary: number;
  /** Identifier that all workers of the primary share. */
  readonly group: string;
  /** Host that the primary has reserved. */
  readonly host: string;
  readonly port: number;
}

const variable = "KIT_WORKER_PLAN";

/** Settings of this process if it is a worker; `undefined` in any other process. */
export const plan: WorkerPlan | undefined = readPlan();

/**
 * Number of this worker process, from 1 to `workers`; `undefined` in the primary process and in applications without workers.
 *
 * @example
 * ```ts
 * import { workerNumber } from "@kit/server-native";
 *
 * // Once for the whole application, not once per process:
 * if (workerNumber === undefined) console.log("Starting");
 * ```
 */
export const workerNumber: number | undefined = plan?.worker;

function readPlan(): WorkerPlan | undefined {
  const text = process.env[variable];
  // Processes that this worker starts inherit the environment, and must not become workers.
  delete process.env[variable];
  if (text === undefined || process.send === undefined) return undefined;
  const read = JSON.parse(text) as WorkerPlan;
  // Tells packages that do not depend on this one, such as @kit/rate-limit, that the process is a worker.
  Reflect.set(globalThis, Symbol.for("kit.worker"), read.worker);
  return read;
}

/** Starts the program of this process once more, as a worker process. */
export function startWorker(entry: string, workerPlan: WorkerPlan): ChildProcess {
  // Not imported at the top of the file, because every start would load the module and few applications have workers.
  const { fork } = process.getBuiltinModule("node:child_process");
  const isInspected = process.execArgv.some((argument) => argument.startsWith("--inspect"));
  return fork(entry, process.argv.slice(2), {
    // The primary uses the inspector's port. Each worker uses a free one.
    execArgv: isInspected ? [...process.execArgv, "--inspect-port=0"] : process.execArgv,
    env: { ...process.env, [variable]: JSON.stringify(workerPlan) },
  });
}

/**
 * Returns the path of the program that this process runs.
 *
 * @throws {Error} if the process runs no file, as with `node --eval`.
 */
export function entryModule(): string {
  const entry = process.argv[1];
  if (entry !== undefined && entry !== "-") return entry;
  throw new Error(
    "nativeServer: `workers` starts the program's file once for each worker, but this process runs no file. " +
      "Start the application from a file, or leave `workers` out",
  );
}
