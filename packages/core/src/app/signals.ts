const signals = ["SIGTERM", "SIGINT"] as const;

/** Maximum time in milliseconds from the end of closing until the process exits. */
const lingerMs = 2_000;

/**
 * Closes the application on SIGTERM and SIGINT, then lets the process exit: with status 0, or 1 if closing failed. A
 * second signal ends the process immediately. Returns a function that removes the signal handlers.
 */
export function closeOnSignal(close: () => Promise<void>, logFailure: (error: unknown) => void): () => void {
  let isClosing = false;
  const remove = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  const onSignal = (signal: (typeof signals)[number]): void => {
    if (isClosing) process.exit(signal === "SIGINT" ? 130 : 143);
    isClosing = true;
    closeAndEnd(close, logFailure);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return remove;
}

/** Closes the application, then lets the process exit: with status 0, or 1 if closing failed. */
export function closeAndEnd(close: () => Promise<void>, logFailure: (error: unknown) => void): void {
  void close()
    .then(
      () => (process.exitCode ??= 0),
      (error: unknown) => {
        logFailure(error);
        process.exitCode = 1;
      },
    )
    // The process exits by itself if no handles are open. A forgotten handle must not keep it alive.
    .finally(() => setTimeout(() => process.exit(), lingerMs).unref());
}
