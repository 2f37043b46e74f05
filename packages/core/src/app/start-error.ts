import { writeSync } from "node:fs";

/** Parts of the message of a failed start. */
export interface StartErrorParts {
  /** Description of the problem, which is the first line of the message. */
  readonly problem: string;
  /** Lines below the problem that name a file, an address or a variable. Items of a list begin with `- `. */
  readonly locations: readonly string[];
  /** Advice, such as the command to run. */
  readonly help: string;
  /** Error that this error explains. */
  readonly cause?: unknown;
  /** `code` and other properties of the explained error, on which programs may rely. */
  readonly properties?: object;
}

/**
 * Key of the error property that contains the message. Two programs that do not import this module read the
 * property: `kit dev`, and the primary process of workers.
 */
const startErrorText = Symbol.for("kit.startError");

/**
 * Reason why an application cannot start, written for the person who starts it. Code that catches the error can read
 * its cause and stack. If the error is not caught, the process prints only the message and exits.
 */
export class StartError extends Error {
  override readonly name = "StartError";

  constructor({ problem, locations, help, cause, properties }: StartErrorParts) {
    const text = [problem, ...locations.map((line) => `  ${line}`), `help: ${help}`].join("\n");
    super(text, cause === undefined ? undefined : { cause });
    Object.assign(this, properties);
    Object.defineProperty(this, startErrorText, { value: `error: ${text}` });
  }
}

let isShown = false;

/**
 * Makes Node print only the message of an uncaught start error, without stack and source line, and exit with status 1.
 * Has no effect on other errors, or if the program has a listener for uncaught exceptions.
 */
export function showStartErrors(): void {
  if (isShown) return;
  isShown = true;
  process.on("uncaughtExceptionMonitor", (error: unknown) => {
    const text = (error as { [startErrorText]?: unknown } | null | undefined)?.[startErrorText];
    if (typeof text !== "string") return;
    if (process.listenerCount("uncaughtException") > 0 || process.hasUncaughtExceptionCaptureCallback())
      return;
    print(`${text}\n`);
    process.exit(1);
  });
}

function print(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // The pipe is full or closed.
    process.stderr.write(text);
  }
}
