/**
 * `cargo xtask bench client`: measures how much time a type checker and an editor need for the typed client of an API with 300 routes.
 * Compares kit's client with those of openapi-fetch and Hono for the same API. Only the ratios matter.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { writeProject } from "../compile/project.ts";
import { columns, median } from "../figures.ts";
import { installPeers } from "../peers.ts";
import { type } from "./service.ts";
import { app, peers, routes, subjects, write } from "./subjects.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const rounds = values.quick ? 3 : 11;
const repository = join(import.meta.dirname, "../..");

interface Row {
  readonly scenario: string;
  readonly subject: string;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
}

/** Runs `tsc --extendedDiagnostics` on a module with all of its imports. Returns the type instantiations and seconds that it reports. */
function check(file: string, name: string): { instantiations: number; seconds: number } {
  const project = join(app, `tsconfig.${name}.json`);
  writeFileSync(project, `${JSON.stringify({ extends: "./tsconfig.json", include: [], files: [file] })}\n`);
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  const text = execFileSync(process.execPath, [tsc, "-p", project, "--noEmit", "--extendedDiagnostics"], {
    encoding: "utf8",
    cwd: app,
  });
  const figure = (label: string): number => {
    const found = new RegExp(`^${label}:\\s+([\\d.]+)`, "mu").exec(text);
    if (found === null) throw new Error(`the output of tsc does not contain "${label}":\n${text}`);
    return Number(found[1]);
  };
  return { instantiations: figure("Instantiations"), seconds: figure("Check time") };
}

installPeers(peers);
writeProject(app);
execFileSync(process.execPath, [join(repository, "packages/cli/bin/kit.js"), "build"], {
  cwd: app,
  stdio: ["ignore", "ignore", "inherit"],
});
const all = routes();

const rows: Row[] = [];
for (const subject of subjects) {
  const { client, calls } = write(subject, all);
  const runs = Array.from({ length: rounds }, () => {
    const alone = check(client, subject.name);
    const called = check(calls, subject.name);
    return { alone, called };
  });
  const add = (scenario: string, metric: string, unit: string, taken: readonly number[]): void => {
    rows.push({ scenario, subject: subject.name, metric, value: median(taken), unit });
  };
  add(
    "client",
    "instantiations",
    "",
    runs.map((run) => run.alone.instantiations),
  );
  add(
    "client",
    "check",
    "ms",
    runs.map((run) => run.alone.seconds * 1000),
  );
  add(
    "calls",
    "instantiations",
    "",
    runs.map((run) => run.called.instantiations),
  );
  add(
    "calls",
    "check",
    "ms",
    runs.map((run) => run.called.seconds * 1000),
  );
  const typed = type(subject, rounds);
  if (typed.pathCount === 0 || typed.propertyCount === 0) {
    throw new Error(
      `the language service found no completions for ${subject.name}: ${JSON.stringify(typed)}`,
    );
  }
  add("completion", "paths", "ms", typed.paths);
  add("completion", "properties", "ms", typed.properties);
}

console.log(`${all.length} routes\n\n${table()}`);
if (values.json !== undefined) {
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  writeFileSync(values.json, `${JSON.stringify({ bench: "client", machine, rows }, null, 2)}\n`);
}

function table(): string {
  const keys = [...new Set(rows.map((row) => `${row.scenario} ${row.metric}`))];
  const read = (key: string, subject: string): number =>
    rows.find((row) => `${row.scenario} ${row.metric}` === key && row.subject === subject)?.value ??
    Number.NaN;
  const lines = [["subject", ...keys.flatMap((key) => [key, "ratio"])]];
  for (const { name } of subjects) {
    const cells = keys.flatMap((key) => [
      read(key, name).toFixed(key.endsWith("instantiations") ? 0 : 1),
      `${(read(key, name) / read(key, "kit")).toFixed(2)}x`,
    ]);
    lines.push([name, ...cells]);
  }
  return columns(lines);
}
