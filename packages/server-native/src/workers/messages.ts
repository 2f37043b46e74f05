import { inspect } from "node:util";

/** What a worker and its primary say to each other. */
export type Message =
  | { readonly kit: "ready" }
  | { readonly kit: "failed"; readonly failure: Failure }
  | { readonly kit: "close"; readonly graceMs: number; readonly delayMs: number };

/** An error on its way to another process. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  /** As Node prints it, with its causes. */
  readonly text: string;
  /** Words for whoever starts the application, if it is a start error of `@kit/core`. */
  readonly words?: string;
}

/** `@kit/core` gives a start error its words under this name, and prints them if nobody catches the error. */
const words = Symbol.for("kit.startError");

/** Others may use the channel too: the application, `node --watch`. */
export function readMessage(value: unknown): Message | undefined {
  const isMessage = typeof value === "object" && value !== null && Object.hasOwn(value, "kit");
  return isMessage ? (value as Message) : undefined;
}

/** An error as it can be sent. */
export function toFailure(error: unknown): Failure {
  const text = inspect(error);
  if (!(error instanceof Error)) return { message: text, text };
  const { code, [words]: said } = error as NodeJS.ErrnoException & { [words]?: unknown };
  return {
    message: error.message,
    text,
    ...(typeof code === "string" && { code }),
    ...(typeof said === "string" && { words: said }),
  };
}

/** The error that a primary rejects with for one of a worker. */
export function toError(worker: number, { message, code, text, words: said }: Failure): Error {
  const cause = new Error(message);
  cause.stack = text;
  return Object.assign(new Error(`Worker ${worker} could not start: ${message}`, { cause }), {
    ...(code !== undefined && { code }),
    ...(said !== undefined && { [words]: said }),
  });
}
