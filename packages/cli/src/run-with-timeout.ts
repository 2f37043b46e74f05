import { setImmediate } from "node:timers/promises";

/** Error for a plugin's function that does not finish. */
export class UnfinishedTap extends Error {}

/**
 * Runs a plugin's function for a hook until it finishes or the timeout has passed.
 *
 * @throws The error of the function, also from a promise or callback that it does not await. An {@link UnfinishedTap} if the function takes
 * longer than `seconds`, or if it waits for a promise that nothing can settle any more.
 */
export async function runWithTimeout(tap: () => unknown, seconds: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const tooLong = (): void => reject(new UnfinishedTap(`the tap did not finish within ${seconds} s`));
  const nothingLeft = (): void =>
    reject(new UnfinishedTap("the tap waits for a promise that can never be settled"));
  const timer =
    seconds * 1000 < 2 ** 31 ? setTimeout(tooLong, seconds * 1000) : setTimeout(() => {}, 2 ** 31 - 1);
  // If the timer kept the event loop running, `beforeExit` would not be emitted for a function that waits for nothing.
  timer.unref();
  process.on("uncaughtException", reject).on("beforeExit", nothingLeft);
  try {
    await Promise.race([promise, afterwards(tap)]);
  } finally {
    clearTimeout(timer);
    process.off("uncaughtException", reject).off("beforeExit", nothingLeft);
  }
}

/**
 * Waits for one more turn of the event loop after the function has finished, so that unhandled rejections of
 * the function are reported.
 */
async function afterwards(tap: () => unknown): Promise<void> {
  await tap();
  await setImmediate();
}
