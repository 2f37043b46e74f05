/**
 * `cargo xtask bench validate`: compares the code that kit generates for a type with typia, ajv, TypeBox's compiler, zod and
 * fast-json-stringify, on this machine, in turn, in one run. Only the ratios matter. README.md explains the results.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";

import { prepare, versions } from "./prepare.ts";
import { SubjectProcess } from "./process.ts";
import { median, type Row } from "../figures.ts";
import { table } from "./report.ts";
import { scenarios } from "./scenarios.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    /** Beginning of the names of the scenarios to run. */
    only: { type: "string", default: "" },
  },
});
const rounds = values.quick ? 3 : 9;
const milliseconds = values.quick ? 40 : 120;

prepare();
const modules = {
  kit: "./subjects/kit.ts",
  "kit-in-full": "./subjects/kit-in-full.ts",
  typia: "./peers/subjects/typia.ts",
  "typia-clone": "./peers/subjects/typia-clone.ts",
  ajv: "./peers/subjects/ajv.ts",
  typebox: "./peers/subjects/typebox.ts",
  zod: "./peers/subjects/zod.ts",
  "fast-json-stringify": "./peers/subjects/fast-json-stringify.ts",
  "json-stringify": "./subjects/json.ts",
};

const subjects: SubjectProcess[] = [];
const rows: Row[] = [];
try {
  for (const [name, module] of Object.entries(modules))
    subjects.push(await SubjectProcess.start(name, module));
  for (const scenario of scenarios.filter(({ name }) => name.startsWith(values.only))) {
    const able = subjects.filter(
      (subject) =>
        subject.supported.has(scenario.name) &&
        // `kit-in-full` supports all operations so that it is warmed up like kit, but only its `explain` is different
        // and is measured.
        (subject.name !== "kit-in-full" || scenario.operation === "explain"),
    );
    const samples = new Map(able.map((subject) => [subject.name, [] as number[]]));
    // The first round only loads the code into the CPU caches and is discarded.
    for (let round = 0; round <= rounds; round += 1) {
      for (const subject of able) {
        const nanoseconds = await subject.measure(scenario.name, round === 0 ? 10 : milliseconds);
        if (round > 0) samples.get(subject.name)?.push(nanoseconds);
      }
    }
    for (const [subject, taken] of samples) {
      rows.push({ scenario: scenario.name, subject, metric: "ns", value: median(taken), unit: "ns" });
    }
  }
} finally {
  for (const subject of subjects) subject.stop();
}

console.log(table(rows));
if (values.json !== undefined) {
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const result = { bench: "validate", machine, versions: versions(), rows };
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
