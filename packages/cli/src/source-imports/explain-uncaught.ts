/**
 * Makes a process end with a text of kit in place of Node's own message, if `explain` returns a text for an uncaught error. Has no effect
 * if the program has a listener for uncaught exceptions. `showStartErrors` of core does the same for programs without kit.
 */
export function explainUncaught(explain: (error: unknown) => string | undefined): void {
  process.on("uncaughtExceptionMonitor", (error: unknown) => {
    const text = explain(error);
    if (text === undefined || process.listenerCount("uncaughtException") > 0) return;
    process.stderr.write(`${text}\n`);
    process.exit(1);
  });
}
