/**
 * One subject in its own process. Checks the results of the subject, warms it up with all operations that it supports, then measures the
 * scenarios that the parent process asks for.
 *
 * The loop calls a function that the engine cannot inline, as in a server, so that no work is moved out of the loop or removed. Time is the CPU
 * time of the whole process. It includes the threads of the garbage collector and the compiler, and other work on the machine affects it
 * less.
 */
import { isDeepStrictEqual } from "node:util";

import { scenarios, type Scenario } from "./scenarios.ts";
import type { Subject } from "./subject.ts";

/** Message that the parent process sends. */
export interface Ask {
  readonly scenario: string;
  readonly milliseconds: number;
}

/** Message to the parent process: first the supported scenarios, later the measured nanoseconds per value. */
export type Answer = { readonly supported: readonly string[] } | { readonly nanoseconds: number };

/** Number of values that are decoded between two readings of the clock, so that its resolution suffices. */
const BATCH = 256;

let sink = 0;

/** Loop that runs one operation for a number of rounds. Returns the microseconds of CPU time. */
type Loop = (rounds: number) => number;

function time(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function overValues(values: readonly unknown[], operation: (value: unknown) => unknown): Loop {
  return (rounds) =>
    time(() => {
      for (let round = 0; round < rounds; round += 1) {
        for (const value of values) {
          const result = operation(value);
          if (typeof result === "string") {
            // Reads a character, because the engine then joins the parts of the string, as it does before the
            // string is written to a socket.
            sink = (sink + result.charCodeAt(result.length >> 1)) | 0;
          } else if (result === true) sink = (sink + 1) | 0;
          else if (typeof result === "number") sink = (sink + result) | 0;
        }
      }
    });
}

/**
 * Returns a loop in which each call gets a newly parsed value, because the operation may change its value. The time for parsing is not
 * measured.
 */
function overFreshValues(values: readonly unknown[], operation: (value: unknown) => unknown): Loop {
  const texts = values.map((value) => JSON.stringify(value));
  const copies = Math.max(1, Math.round(BATCH / texts.length));
  return (rounds) => {
    let total = 0;
    for (let round = 0; round < rounds; round += copies) {
      const count = Math.min(copies, rounds - round);
      const fresh = Array.from({ length: count }, () =>
        texts.map((text) => JSON.parse(text) as unknown),
      ).flat();
      total += time(() => {
        for (const value of fresh) {
          if (operation(value) !== undefined) sink = (sink + 1) | 0;
        }
      });
    }
    return total;
  };
}

/**
 * Returns a value without its properties that are `undefined`, because JSON has no such properties. Some subjects leave them in the value.
 */
function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, present(item)]));
}

function operationOf(subject: Subject, scenario: Scenario): ((value: unknown) => unknown) | undefined {
  return subject[scenario.operation]?.[scenario.type] as ((value: unknown) => unknown) | undefined;
}

/** Returns the loop of a scenario, or `undefined` if the subject does not support it. Throws an error if a result is wrong. */
function prepare(subject: Subject, scenario: Scenario): Loop | undefined {
  const operation = operationOf(subject, scenario);
  if (operation === undefined) return undefined;
  for (const [index, value] of scenario.values.entries()) {
    const input: unknown = scenario.operation === "serialize" ? value : structuredClone(value);
    const result = operation(input);
    const right =
      scenario.operation === "check"
        ? result === scenario.fits
        : scenario.operation === "explain"
          ? (result as number) >= (scenario.failures ?? 1)
          : scenario.operation === "decode"
            ? isDeepStrictEqual(present(result), scenario.decoded?.[index])
            : isDeepStrictEqual(JSON.parse(result as string), JSON.parse(JSON.stringify(value)));
    if (!right) throw new Error(`${scenario.name}: wrong result for ${JSON.stringify(value).slice(0, 300)}`);
  }
  return scenario.operation === "decode"
    ? overFreshValues(scenario.values, operation)
    : overValues(scenario.values, operation);
}

const { subject } = (await import(process.argv[2] as string)) as { subject: Subject };
const loops = new Map<string, { readonly loop: Loop; readonly values: number; rounds: number }>();
for (const scenario of scenarios) {
  const loop = prepare(subject, scenario);
  if (loop !== undefined) loops.set(scenario.name, { loop, values: scenario.values.length, rounds: 1 });
}

/**
 * Runs all scenarios in turn, so that code which operations share has seen all values before the measurement. Each function gets all values
 * of its type, also invalid ones and those with undeclared properties, because servers receive such values.
 */
for (let turn = 0; turn < 3; turn += 1) {
  for (const scenario of scenarios) {
    const operation = operationOf(subject, scenario);
    const alike = scenarios.filter(
      ({ type, operation: other }) => type === scenario.type && other !== "serialize",
    );
    if (operation === undefined || scenario.operation === "serialize") continue;
    for (const { values } of alike) overFreshValues(values, operation)(20);
  }
  for (const entry of loops.values()) {
    for (let spent = 0; spent < 60_000;) {
      const took = entry.loop(entry.rounds);
      spent += Math.max(took, 1);
      if (took < 5000) entry.rounds *= 2;
    }
  }
}

process.on("message", ({ scenario, milliseconds }: Ask) => {
  const entry = loops.get(scenario);
  if (entry === undefined) throw new Error(`the subject does not support ${scenario}`);
  let spent = 0;
  let values = 0;
  while (spent < milliseconds * 1000) {
    spent += entry.loop(entry.rounds);
    values += entry.rounds * entry.values;
  }
  process.send?.({ nanoseconds: (spent * 1000) / values } satisfies Answer);
});

process.send?.({ supported: [...loops.keys()] } satisfies Answer);
process.on("exit", () => {
  // Uses the sum, because the engine could remove the loops otherwise.
  if (sink === 0.5) console.log(sink);
});
