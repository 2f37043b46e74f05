/**
 * One subject in a process of its own: makes sure that it is right, warms it up on everything it can do, then measures what
 * the parent asks for.
 *
 * The loop calls a function that it does not know, as a server does; so nothing is inlined into it, hoisted out of it, or found to be
 * without effect. Time is the processor time of the whole process, so that the collector's and compiler's threads count and
 * what else the machine does counts less.
 */
import { isDeepStrictEqual } from "node:util";

import { scenarios, type Scenario } from "./scenarios.ts";
import type { Subject } from "./subject.ts";

/** What the parent asks for. */
export interface Ask {
  readonly scenario: string;
  readonly milliseconds: number;
}

/** What comes back: nanoseconds for one value, or what is wrong. */
export type Answer = { readonly supported: readonly string[] } | { readonly nanoseconds: number };

/** Values whose decoding takes about as long as a clock is exact for. */
const BATCH = 256;

let sink = 0;

/** Loops over one operation; answers microseconds of processor time. */
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
            // Reading a character makes one flat text of the pieces, as writing it to a socket would.
            sink = (sink + result.charCodeAt(result.length >> 1)) | 0;
          } else if (result === true) sink = (sink + 1) | 0;
          else if (typeof result === "number") sink = (sink + result) | 0;
        }
      }
    });
}

/** `operation` may change its values, so each gets a fresh one, parsed while no clock runs. */
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

/** A value without properties that are `undefined`, which JSON has not: some subjects leave them behind. */
function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, present(item)]));
}

function operationOf(subject: Subject, scenario: Scenario): ((value: unknown) => unknown) | undefined {
  return subject[scenario.operation]?.[scenario.type] as ((value: unknown) => unknown) | undefined;
}

/** The loop of a scenario, where the subject can do it and does it right. */
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
    if (!right) throw new Error(`${scenario.name}: wrong answer to ${JSON.stringify(value).slice(0, 300)}`);
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
 * Everything in turn, so that what the operations share has seen all of them before any is measured; and each function on all values of
 * its type, right, wrong and with unknown keys, because that is what a server is sent.
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
  if (entry === undefined) throw new Error(`${scenario} was asked of a subject that cannot do it`);
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
  // The one use of what was summed up: without it the loops would be free to do nothing.
  if (sink === 0.5) console.log(sink);
});
