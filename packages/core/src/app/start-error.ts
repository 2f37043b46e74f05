import { writeSync } from "node:fs";

/** What is said of a start that failed. */
export interface StartErrorParts {
  /** What is wrong. */
  readonly what: string;
  /** Where: a file, an address, a variable. Lines of a list begin with `- `. */
  readonly where: readonly string[];
  /** What to do, with the command to run. */
  readonly help: string;
  /** The error that it explains. */
  readonly cause?: unknown;
  /** `code` and other properties of that error, which programs may rely on. */
  readonly properties?: object;
}

/** The words of a start error, for those that do not import this module: `kit dev` in the process of the application, and workers' primary. */
const words = Symbol.for("kit.startError");

/**
 * What keeps an application from starting, in words for whoever starts it. Whoever catches the error has its cause and stack; if nobody does, the
 * process ends with the words alone.
 */
export class StartError extends Error {
  override readonly name = "StartError";

  constructor({ what, where, help, cause, properties }: StartErrorParts) {
    const text = [what, ...where.map((line) => `  ${line}`), `help: ${help}`].join("\n");
    super(text, cause === undefined ? undefined : { cause });
    Object.assign(this, properties);
    Object.defineProperty(this, words, { value: `error: ${text}` });
  }
}

let isShown = false;

/**
 * Has Node print the words of a start error that nobody catches, without stack and source line, and end with status 1. Other errors, and programs that
 * have a listener for uncaught exceptions, are left alone.
 */
export function showStartErrors(): void {
  if (isShown) return;
  isShown = true;
  process.on("uncaughtExceptionMonitor", (error: unknown) => {
    const text = (error as { [words]?: unknown } | null | undefined)?.[words];
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
    // A pipe that is full, or nobody's any more.
    process.stderr.write(text);
  }
}
