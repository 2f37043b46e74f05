import type { CompiledJob, ValidationFailure } from "@kit/types";

/** Maximum number of failures that an error lists. */
const maxListed = 20;

/** Error about data of a job that does not fit the type of the job. */
export class JobDataError extends Error {
  override readonly name = "JobDataError";
  /** Name of the job. */
  readonly job: string;
  /** Rules that the data breaks. */
  readonly failures: readonly ValidationFailure[];

  constructor(job: string, failures: readonly ValidationFailure[], cause?: unknown) {
    const list = failures
      .map(({ path, expected, received }) => `${path}: expected ${expected}, received ${received}`)
      .join("; ");
    super(
      `the data of the job ${job} does not fit its type: ${list || "the value cannot be written as JSON"}`,
      cause === undefined ? undefined : { cause },
    );
    this.job = job;
    this.failures = failures;
  }
}

/**
 * Returns the data of a job as JSON values: a `Date` becomes a string.
 *
 * @throws {JobDataError} If the data does not fit the type of the job.
 */
export function wireOf(name: string, { serializer, validator }: CompiledJob, data: unknown): object {
  let wire: unknown;
  try {
    wire = JSON.parse(serializer.serialize(data));
  } catch (cause) {
    throw new JobDataError(name, [], cause);
  }
  requireValid(name, validator, wire);
  return wire as object;
}

/**
 * Returns the data that a handler receives: a string of the wire becomes a `Date` again.
 *
 * @throws {JobDataError} If the data does not fit the type of the job, for example because another release enqueued the job.
 */
export function dataOf(name: string, { validator }: CompiledJob, wire: unknown): unknown {
  requireValid(name, validator, wire);
  return validator.decode(wire);
}

function requireValid(name: string, validator: CompiledJob["validator"], wire: unknown): void {
  if (!validator.is(wire)) throw new JobDataError(name, validator.failures(wire, maxListed));
}
