/**
 * Makes a process end with a text of kit in place of Node's own message, if `explain` returns a text for an uncaught error. Calls
 * `explain` for each uncaught error, also if the program handles the error itself; the process then goes on. The rule is the same as in
 * `showStartErrors` of core, which does this for its own errors.
 */
export function explainUncaught(explain: (error: unknown) => string | undefined): void {
  process.on("uncaughtExceptionMonitor", (error: unknown) => {
    const text = explain(error);
    if (text === undefined || process.listenerCount("uncaughtException") > 0) return;
    if (process.hasUncaughtExceptionCaptureCallback()) return;
    process.stderr.write(`${text}\n`);
    process.exit(1);
  });
}
