const signals = ["SIGTERM", "SIGINT"] as const;

/** How long the process may go on after the application closed before it is ended. */
const lingerMs = 2_000;

/**
 * Closes on SIGTERM and SIGINT, then lets the process end: with status 0, or 1 where closing failed. A second signal ends it
 * at once. Gives the function that takes the handlers away again.
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

/** Closes, then lets the process end: with status 0, or 1 where closing failed. */
export function closeAndEnd(close: () => Promise<void>, logFailure: (error: unknown) => void): void {
  void close()
    .then(
      () => (process.exitCode ??= 0),
      (error: unknown) => {
        logFailure(error);
        process.exitCode = 1;
      },
    )
    // The process ends by itself where nothing else is open. Something that was forgotten must not keep it.
    .finally(() => setTimeout(() => process.exit(), lingerMs).unref());
}
