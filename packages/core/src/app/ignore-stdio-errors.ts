let isGuarded = false;

/**
 * Keeps the process alive if the reader of its standard output or error output has exited, or if the disk is full. Node
 * emits a failed write as an `error` event, which is an uncaught exception if no listener exists. Without this
 * listener, a `console.error` of the application, for example in the `error` event of a pool, would end the process.
 */
export function ignoreStdioErrors(): void {
  if (isGuarded) return;
  isGuarded = true;
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
