/**
 * The power with which the time of a function grows with the size of its input: about 0 where it looks at a few characters,
 * 1 where it is linear, 2 where it is quadratic. Sizes differ by a factor of eight, and what is too quick to be measured
 * counts as 0, so that a busy machine does not decide.
 */
export function growth(make: (size: number) => string, run: (text: string) => unknown, size: number): number {
  const small = best(make(size), run);
  const large = best(make(size * 8), run);
  // Below a millisecond at the large size there is no text that could hold up a server.
  return large < 1 ? 0 : Math.log(large / Math.max(small, 0.02)) / Math.log(8);
}

function best(text: string, run: (text: string) => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    run(text);
    least = Math.min(least, performance.now() - start);
  }
  return least;
}
