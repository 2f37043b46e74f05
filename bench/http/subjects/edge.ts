/** Values that the peers in JavaScript share in the scenarios with one feature of HTTP. */

/** Feature that a process serves. Every feature has its own process, so that a row measures nothing else. */
export type Feature = "cors" | "contract" | "etag" | "compression";

const features: readonly string[] = ["cors", "contract", "etag", "compression"] satisfies Feature[];

/** Origin of the page that calls the application. */
export const allowedOrigin = "https://app.example.com";

/** Returns the feature that the benchmark has chosen. */
export function chosenFeature(): Feature {
  const name = process.env["BENCH_FEATURE"] ?? "";
  if (!features.includes(name)) throw new RangeError(`BENCH_FEATURE must be one of ${features.join(", ")}`);
  return name as Feature;
}

/** Entry of the list that the scenario `gzip-10k` reads. */
export interface Entry {
  readonly id: number;
  readonly title: string;
  readonly tags: readonly string[];
}

const words = ["groceries", "weekend", "travel", "garden", "letters", "books", "music", "repairs"];

/** List whose JSON has about 10 KB. */
export const entries: readonly Entry[] = Array.from({ length: 110 }, (_, index) => ({
  id: index + 1,
  title: `${words[index % 8]!} and ${words[(index * 3 + 1) % 8]!}, part ${index}`,
  tags: [words[(index * 5) % 8]!, words[(index * 7 + 2) % 8]!],
}));

/** Input of the scenario `typed-headers`. */
export interface OrderContext {
  readonly tenant: string;
  readonly count: number;
  readonly trace: string;
  readonly sid: string;
}
