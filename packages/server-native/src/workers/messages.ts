/** Message between a worker process and its primary process. */
export type Message =
  | { readonly kit: "ready" }
  | { readonly kit: "failed"; readonly failure: Failure }
  | { readonly kit: "close"; readonly graceMs: number; readonly delayMs: number };

/** Error as it is sent to another process. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  /** The error as Node prints it, with its stack and causes. */
  readonly inspected: string;
  /** Message for the user who starts the application; set if the error is a start error of `@kit/core`. */
  readonly startMessage?: string;
}

/**
 * Key under which `@kit/core` stores the message of a start error, which it prints if no code catches the
 * error.
 */
const words = Symbol.for("kit.startError");

/**
 * Returns the value if it is a message of kit. Returns `undefined` for other values, because the application
 * and `node --watch` may use the same channel.
 */
export function readMessage(value: unknown): Message | undefined {
  const isMessage = typeof value === "object" && value !== null && Object.hasOwn(value, "kit");
  return isMessage ? (value as Message) : undefined;
}

/** Converts an error to the form in which it is sent to another process. */
export function toFailure(error: unknown): Failure {
  // An import of `node:util` would load more modules of Node at each start.
  const inspected = process.getBuiltinModule("node:util").inspect(error);
  if (!(error instanceof Error)) return { message: inspected, inspected };
  const { code, [words]: startMessage } = error as NodeJS.ErrnoException & { [words]?: unknown };
  return {
    message: error.message,
    inspected,
    ...(typeof code === "string" && { code }),
    ...(typeof startMessage === "string" && { startMessage }),
  };
}

/** Creates the error with which `listen` of the primary rejects if a worker has failed. */
export function toError(worker: number, { message, code, inspected, startMessage }: Failure): Error {
  const cause = new Error(message);
  cause.stack = inspected;
  return Object.assign(new Error(`Worker ${worker} could not start: ${message}`, { cause }), {
    ...(code !== undefined && { code }),
    ...(startMessage !== undefined && { [words]: startMessage }),
  });
}
