/**
 * Returns the exponent with which the time of a function grows with the size of its input: about 0 for constant time, 1
 * for linear time, 2 for quadratic time. The sizes differ by a factor of eight. A time that is too short to be measured
 * counts as 0, so that a busy machine does not change the result.
 */
export function growth(make: (size: number) => string, run: (text: string) => unknown, size: number): number {
  const [little, much] = [make(size), make(size * 8)];
  let least = Number.POSITIVE_INFINITY;
  // Other processes distort some measurements, but quadratic time shows in each of them.
  for (let attempt = 0; attempt < 8 && least > 1.5; attempt++) {
    const small = best(little, run);
    const large = best(much, run);
    // If the large input takes less than a millisecond, no input can block a server.
    least = Math.min(least, large < 1 ? 0 : Math.log(large / Math.max(small, 0.02)) / Math.log(8));
  }
  return least;
}

/** Returns the least processor time of three runs in milliseconds. On a busy machine, the time of a clock would say little. */
function best(text: string, run: (text: string) => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    run(text);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
