// Fuzzer of the server on node:http. Run it with `node tests/conformance/fuzz-node-http.ts`. `KIT_SECONDS` is its duration (default 60),
// and `KIT_SEED` its seed (default 1).
//
// Inputs are bytes on a real socket. The coverage of `packages/server-node` in V8 decides which inputs are stored and mutated. Those that
// reach new code are written to `fuzz/corpus/node-http`; `node-http-corpus.test.ts` sends them to every server. An input that breaks a rule
// is written to the current directory and stops the run.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { join } from "node:path";

import { nativeServer } from "@kit/server-native";

import { Random } from "../property/support/random.ts";
import { assertProportion } from "./bounds.ts";
import { serveGuarded } from "./guarded.ts";
import { randomConnection } from "./hostile.ts";
import { mutate } from "./mutate.ts";
import { rawBytes, readRawCases } from "./raw-case.ts";
import { readResponses, sendBytes } from "./raw-client.ts";
import { withKitServer } from "./servers.ts";
import { assertAllowed } from "./verdict.ts";

const corpus = join(import.meta.dirname, "../../fuzz/corpus/node-http");
const watched = "/packages/server-node/src/";
const longestKept = 1200;

/** Reports which ranges of the watched files ran since the last call. */
class Coverage {
  readonly #session = new Session();
  readonly #ranges = new Set<string>();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Returns the number of code ranges that ran for the first time. */
  async take(): Promise<number> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    const before = this.#ranges.size;
    for (const { url, functions } of result) {
      if (!url.includes(watched)) continue;
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges) {
          // Similar counts are in the same class, as in other fuzzers.
          if (count > 0)
            this.#ranges.add(`${url} ${startOffset} ${endOffset} ${Math.min(4, 32 - Math.clz32(count))}`);
        }
      }
    }
    return this.#ranges.size - before;
  }
}

function nameOf(input: Buffer): string {
  return createHash("sha256").update(input).digest("hex").slice(0, 12);
}

async function seeds(random: Random): Promise<Buffer[]> {
  await mkdir(corpus, { recursive: true });
  const kept = await Promise.all((await readdir(corpus)).map((name) => readFile(join(corpus, name))));
  const written = readRawCases().map(rawBytes);
  const made = Array.from({ length: 100 }, () => randomConnection(random));
  return [...kept, ...[...written, ...made].filter(({ length }) => length <= longestKept)];
}

const seconds = Number(process.env["KIT_SECONDS"] ?? 60);
const random = new Random(Number(process.env["KIT_SEED"] ?? 1));
await using served = await serveGuarded(
  withKitServer("node", () => nativeServer({ headersTimeoutMs: 1000, bodyTimeoutMs: 1000 })),
  true,
);
const coverage = new Coverage();
await coverage.start();
const pool = await seeds(random);
const known = new Set((await readdir(corpus)).map((name) => name));
const end = performance.now() + seconds * 1000;
let runs = 0;
let added = 0;

for (let next = 0; performance.now() < end; next++) {
  const isSeed = next < pool.length && runs === next;
  const input = isSeed ? pool[next]! : mutate(random, random.pick(pool), random.pick(pool));
  runs++;
  const received = await sendBytes(served.port, input, 2000, true);
  try {
    assertProportion(received, input);
    for (const response of readResponses(received)) assertAllowed(response, false);
    if (received.timedOut) throw new Error("the server neither answered nor closed");
  } catch (error) {
    const file = `fuzz-node-http-${nameOf(input)}`;
    await writeFile(file, input);
    throw new Error(`run ${runs}: the input is in ${file}: ${JSON.stringify(input.toString("latin1"))}`, {
      cause: error,
    });
  }
  if ((await coverage.take()) === 0 || input.length > longestKept) continue;
  if (!isSeed) pool.push(input);
  const name = nameOf(input);
  if (known.has(name)) continue;
  known.add(name);
  await writeFile(join(corpus, name), input);
  added++;
}
process.stdout.write(
  `${runs} inputs in ${seconds} s, ${added} added to ${known.size} in fuzz/corpus/node-http\n`,
);
