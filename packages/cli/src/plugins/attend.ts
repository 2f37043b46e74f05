import { setImmediate } from "node:timers/promises";

/** A tap that does not come to its end. */
export class Unsettled extends Error {}

/**
 * Runs a tap to its end.
 *
 * @throws What it throws, itself or in a promise or a callback of its own that nobody waits for; an {@link Unsettled} where it
 * takes longer than `seconds`, or where nothing is left that could finish it.
 */
export async function attend(tap: () => unknown, seconds: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const tooLong = (): void => reject(new Unsettled(`it did not finish within ${seconds} s`));
  const nothingLeft = (): void =>
    reject(new Unsettled("it waits for a promise that nothing is left to settle"));
  const timer =
    seconds * 1000 < 2 ** 31 ? setTimeout(tooLong, seconds * 1000) : setTimeout(() => {}, 2 ** 31 - 1);
  // With a timer that is waited for, nobody would notice that there is nothing else to wait for.
  timer.unref();
  process.on("uncaughtException", reject).on("beforeExit", nothingLeft);
  try {
    await Promise.race([promise, afterwards(tap)]);
  } finally {
    clearTimeout(timer);
    process.off("uncaughtException", reject).off("beforeExit", nothingLeft);
  }
}

/** One turn of the event loop longer than the tap: a promise that was rejected without anybody waiting is known then. */
async function afterwards(tap: () => unknown): Promise<void> {
  await tap();
  await setImmediate();
}
