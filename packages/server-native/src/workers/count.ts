import { availableParallelism } from "node:os";

const most = 1024;

/**
 * Returns the number of workers that the option `workers` specifies.
 *
 * @throws {RangeError} if the value is invalid. The message names the valid values.
 */
export function readWorkers(workers: unknown): number {
  if (workers === undefined) return 1;
  if (workers === "auto") return availableParallelism();
  if (typeof workers === "number" && Number.isInteger(workers) && workers >= 1 && workers <= most)
    return workers;
  throw new RangeError(
    `nativeServer: \`workers\` must be "auto" or a whole number from 1 to ${most}, not ${String(workers)}`,
  );
}
