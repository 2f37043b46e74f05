/**
 * Measures the CPU time per request that observability costs, without a server:
 * `node bench/observe/cost.ts [--subjects off,sidecar] [--slices 60] [--scenarios handler]`.
 * Each subject is a separate process, so that no subject runs code that was optimized for another subject. The subjects take turns for short
 * slices of time. Each slice is compared with the adjacent slice of `off`, because other work on the machine slows both. The results are
 * medians. README.md explains them.
 */
import { type ChildProcess, fork } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { scenarioNames } from "./scenarios.ts";

import { median } from "../figures.ts";
import { nextMessage } from "../messages.ts";

const { values } = parseArgs({
  options: {
    subjects: { type: "string", default: "off,looked-at,sidecar,sidecar-dev" },
    scenarios: { type: "string", default: scenarioNames.join(",") },
    slices: { type: "string", default: "60" },
  },
});

interface Subject {
  readonly name: string;
  readonly child: ChildProcess;
}

const root = join(import.meta.dirname, "../..");

/** Starts a subject. `off` runs this repository, and `off@DIR` the copy of it in another directory. */
function start(name: string): Subject {
  const [kind = "", directory = root] = name.split("@");
  const child = fork(join(directory, "bench/observe/subject.ts"), [kind], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  return { name, child };
}

/** Runs one slice. Returns the nanoseconds of CPU time per request. */
async function slice({ name, child }: Subject, scenario: string): Promise<number> {
  child.send(scenario);
  return nextMessage<number>(name, child);
}

const subjects = values.subjects.split(",").map(start);
const slices = Number(values.slices);
const load: number[] = [];
try {
  for (const scenario of values.scenarios.split(",")) {
    const taken = new Map(subjects.map((subject) => [subject, [] as number[]]));
    for (let round = -3; round < slices; round += 1) {
      const order = subjects.map((_, index) => subjects[(index + round + 3) % subjects.length]!);
      for (const subject of order) {
        const cost = await slice(subject, scenario);
        // The slices of the first round are a warm-up.
        if (round >= 0) taken.get(subject)!.push(cost);
      }
      load.push(loadavg()[0]!);
    }
    const [first] = subjects;
    const base = taken.get(first!)!;
    for (const [{ name }, costs] of taken) {
      const more = median(costs.map((cost, index) => cost - base[index]!));
      const ratio = median(costs.map((cost, index) => cost / base[index]!));
      console.log(
        `${scenario.padEnd(12)} ${name.padEnd(24)} ${median(costs).toFixed(0).padStart(6)} ns ${more.toFixed(0).padStart(6)} more  ${ratio.toFixed(3)}`,
      );
    }
  }
  const sorted = load.toSorted((one, other) => one - other);
  console.log(
    `load of the machine: ${sorted[0]!.toFixed(1)} to ${sorted.at(-1)!.toFixed(1)}, median ${median(load).toFixed(1)}`,
  );
} finally {
  for (const { child } of subjects) child.disconnect();
}
