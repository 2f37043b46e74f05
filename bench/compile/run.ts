/**
 * `cargo xtask bench compile`: compares `kit build` with TypeScript's own compilers, with a program that derives JSON Schemas from
 * types, and with typia, which generates validators and serializers. All build the same generated project, in turn, in one run. Only the ratios matter.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { measure } from "./in-process.ts";
import { edit, size, writeProject } from "./project.ts";
import { median, type Row } from "../figures.ts";
import { hooks, table } from "./report.ts";
import { app, clean, install, run, subjects, versions } from "./subjects.ts";
import { writeInput } from "./typia.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const rounds = values.quick ? 3 : 11;

install();
writeProject(app);
writeInput(app);
const original = readFileSync(join(app, edit.file), "utf8");
const edited = original.replaceAll(edit.from, edit.to);

const samples = new Map<string, number[]>();
function record(scenario: string, subject: string, milliseconds: number): void {
  const key = `${scenario} ${subject}`;
  samples.set(key, [...(samples.get(key) ?? []), milliseconds]);
}

try {
  // The first round only fills the caches of the file system and checks outputs. Its times are discarded.
  for (let round = 0; round <= rounds; round += 1) {
    for (const subject of subjects) {
      writeFileSync(join(app, edit.file), original);
      subject.forget();
      const cold = run(subject);
      if (round === 0) await subject.check?.(false);
      writeFileSync(join(app, edit.file), edited);
      const incremental = run(subject);
      if (round === 0) await subject.check?.(true);
      if (round === 0) continue;
      record("cold", subject.name, cold);
      record("incremental", subject.name, incremental);
    }
  }
  writeFileSync(join(app, edit.file), original);
  measure(rounds + 1).forEach((build, index) => {
    // Discards the first round, which has five builds, here too.
    if (index < 5 || (build.scenario !== "cold" && build.scenario !== "incremental")) return;
    record(build.scenario, "kit-in-process", build.total);
  });
} finally {
  writeFileSync(join(app, edit.file), original);
  clean();
}

const rows: Row[] = [...samples].map(([key, taken]) => {
  const [scenario = "", subject = ""] = key.split(" ");
  return { scenario, subject, metric: "ms", value: median(taken), unit: "ms" };
});
console.log(`${size.types} named types, ${size.routes} routes, ${size.files} files\n\n${table(rows)}`);
console.log(`\n${hooks(rows)}`);
if (values.json !== undefined) {
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const result = { bench: "compile", machine, project: size, versions: versions(), rows };
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
