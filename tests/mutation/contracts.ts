/**
 * Tests the generated contract tests: they must fail if the application breaks its contract. In a copy of an example, this program weakens
 * or removes the rules of the request types in the validators, one at a time, while the application runs. The last line of the output is `N
 * of N mutants caught`.
 *
 * `node tests/mutation/contracts.ts [example …]`
 *
 * @module
 */
import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";

import { type Example, Project } from "../e2e/support/project.ts";

const EXAMPLES: readonly Example[] = ["notes", "teams"];

const named = process.argv.slice(2);
const unknown = named.find((name) => !EXAMPLES.some((example) => example === name));
if (unknown !== undefined)
  throw new Error(`There is no example ${unknown}; there are ${EXAMPLES.join(", ")}`);

let [caught, made] = [0, 0];
for (const example of EXAMPLES.filter((one) => named.length === 0 || named.includes(one))) {
  const project = await Project.ready(example);
  try {
    const files = await readdir(join(project.root, ".kit/tests"));
    const groups = files.flatMap((name) => /^(.*)\.contract\.test\.ts$/.exec(name)?.[1] ?? []);
    for (const group of groups) await mutate(example, project.root, group);
  } finally {
    await project.remove();
  }
}
console.log(`${caught} of ${made} mutants caught`);
process.exitCode = caught === made && made > 0 ? 0 : 1;

/** Runs the mutants of one contract group in a process of its own, which loads the modules of the project and uses its database. */
async function mutate(example: string, root: string, group: string): Promise<void> {
  const program = join(import.meta.dirname, "project.ts");
  const child = spawn(process.execPath, [program, root, group], {
    cwd: root,
    // In production, Teams does not start without its own secret.
    env: { ...process.env, NODE_ENV: "test" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    // Log entries of the application are JSON lines too, but have other properties.
    const { what, isCaught } = JSON.parse(line) as { what?: string; isCaught?: boolean };
    if (what === undefined || isCaught === undefined) continue;
    made += 1;
    if (isCaught) caught += 1;
    console.log(`${isCaught ? "caught    " : "NOT CAUGHT"} ${example}: ${what}`);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`The mutants of ${example} could not be run: exit code ${code}`);
}
