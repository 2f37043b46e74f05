/**
 * `cargo xtask bench dev`: measures the time from saving a file under `kit dev` to the first response of the new code, and the effects on
 * clients. A copy of the Notes example is edited fifty times while clients send requests at a constant rate.
 */
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";

import { freePort } from "../../packages/core/test/support/free-port.ts";
import { ask } from "./ask.ts";
import { breakBuild, type Kind, kindsOf, user, writeNote } from "./edits.ts";
import { KitDev } from "./kit-dev.ts";
import { Load } from "./load.ts";
import { writeProject } from "./project.ts";
import { type Edit, row, rowsOf, table } from "./report.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const edits = values.quick ? 12 : 50;
/** Number of edits between two mistakes, which are introduced, reported and fixed. */
const mistakeEvery = 10;
/** Pause between two edits in milliseconds. Users do not save more often. */
const pauseMs = 1_000;
/** Load average of the machine before the benchmark starts. */
const [otherWork = 0] = loadavg();
const root = join(import.meta.dirname, "generated/notes");

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}

try {
  console.error("copying the Notes example, packing kit for it and creating its database");
  await writeProject(root, stop.signal);
  breakBuild(root, false);
  await measure();
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.error("stopped; no results were written");
  process.exitCode = 130;
}

async function measure(): Promise<void> {
  const kinds = kindsOf(root);
  const port = await freePort();
  const dev = await KitDev.start(root, port, stop.signal);
  let load: Load | undefined;
  try {
    await writeNote(port);
    // Requests to this path query the database, so that each response needs the whole application.
    load = new Load(
      port,
      "/notes?pageSize=1",
      user,
      ({ status, text }) => status === 200 && text.includes("Groceries"),
    );
    const done: Edit[] = [];
    const mistakes: number[] = [];
    for (let count = 1; count <= edits; count += 1) {
      await setTimeout(pauseMs, undefined, { signal: stop.signal });
      done.push(await edit(dev, port, kinds[count % kinds.length]!, count));
      if (count % mistakeEvery === 0)
        mistakes.push(await mistake(dev, port, kinds[count % kinds.length]!, count));
      process.stderr.write(`\r${count} of ${edits} edits, the last ${done.at(-1)!.total.toFixed(0)} ms  `);
    }
    process.stderr.write("\n");
    finish(done, mistakes, load, await load.stop());
  } finally {
    await load?.stop();
    await dev.stop();
  }
}

/** Makes an edit and waits for the first response of the new code. */
async function edit(dev: KitDev, port: number, kind: Kind, count: number): Promise<Edit> {
  const before = dev.buildTimes().length;
  const path = kind.path(count);
  if (kind.isNew(await ask(port, path, { headers: user }), count))
    throw new Error(`edit ${count} cannot be noticed: ${path} already has the expected response before it`);
  const start = performance.now();
  kind.write(count);
  await dev.until(async () => {
    stop.signal.throwIfAborted();
    const answer = await ask(port, path, { headers: user });
    return answer.headers["x-kit-build"] === undefined && kind.isNew(answer, count);
  }, `edit ${count} (${kind.name}) is not served`);
  const total = performance.now() - start;
  await dev.until(() => dev.buildTimes().length > before, `edit ${count} was not told`);
  return { kind: kind.name, total, ...dev.buildTimes().at(-1)! };
}

/**
 * Introduces a syntax error, waits until responses of the last working version report it, and fixes it. Returns the milliseconds until the
 * report.
 */
async function mistake(dev: KitDev, port: number, kind: Kind, count: number): Promise<number> {
  const build = async (): Promise<unknown> => {
    stop.signal.throwIfAborted();
    const answer = await ask(port, kind.path(count), { headers: user });
    if (!kind.isNew(answer, count))
      throw new Error(`after a mistake, the last working version no longer responds: ${answer.text}`);
    return answer.headers["x-kit-build"];
  };
  const start = performance.now();
  breakBuild(root, true);
  await dev.until(
    async () => (await build()) === "failed",
    `the mistake after edit ${count} is not reported`,
  );
  const took = performance.now() - start;
  await setTimeout(pauseMs, undefined, { signal: stop.signal });
  breakBuild(root, false);
  await dev.until(
    async () => (await build()) === undefined,
    `the mistake after edit ${count} is still reported after its repair`,
  );
  return took;
}

function finish(
  done: readonly Edit[],
  mistakes: readonly number[],
  load: Load,
  counts: Load["counts"],
): void {
  const rows = [...rowsOf(done, mistakes, counts), row("machine", "load", otherWork, "processes")];
  console.log(
    `${done.length} edits of the Notes example, from saving the file to the first response of the new code\n`,
  );
  console.log(table(rows));
  for (const words of load.errors) console.log(words);
  if (counts.refused + counts.reset + counts.wrong > 0) process.exitCode = 1;
  if (values.json === undefined) return;
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const result = { bench: "dev", machine, edits: done.length, rows };
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
