let isGuarded = false;

/**
 * Keeps the process alive if nobody reads its standard output or error any more, or if their disk is full. `console.error` of an application, as in a
 * pool's `error` event, would otherwise end it: Node emits the failed write as an `error` event, which is an uncaught exception without a listener.
 */
export function surviveLostReaders(): void {
  if (isGuarded) return;
  isGuarded = true;
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
