/**
 * The power with which the time of a function grows with the size of its input: about 0 where it looks at a few characters,
 * 1 where it is linear, 2 where it is quadratic. Sizes differ by a factor of eight, and what is too quick to be measured
 * counts as 0, so that a busy machine does not decide.
 */
export function growth(make: (size: number) => string, run: (text: string) => unknown, size: number): number {
  const [little, much] = [make(size), make(size * 8)];
  let least = Number.POSITIVE_INFINITY;
  // Whoever else uses the processor spoils some measurements; what is quadratic is so in each of them.
  for (let attempt = 0; attempt < 8 && least > 1.5; attempt++) {
    const small = best(little, run);
    const large = best(much, run);
    // Below a millisecond at the large size there is no text that could hold up a server.
    least = Math.min(least, large < 1 ? 0 : Math.log(large / Math.max(small, 0.02)) / Math.log(8));
  }
  return least;
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
