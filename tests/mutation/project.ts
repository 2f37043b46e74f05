/**
 * Breaks the rules of one contract group in a built project, one at a time, while its application runs. Prints a JSON line for each rule:
 * the mutation, and whether the generated contract tests failed.
 *
 * `node tests/mutation/project.ts <root> <group>`
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { explain, type Shape } from "@kit/core/codec";
import type { CompiledApplication, CompiledRoute, Validator } from "@kit/types";
import { Pool } from "pg";

import { mutantsOf, type Slot } from "./shapes.ts";

type Changeable = { -readonly [K in keyof CompiledRoute]: CompiledRoute[K] };
type Run = () => Promise<void>;

/** Route with a validator that replaces its own for a while. */
interface RouteMutant {
  readonly what: string;
  readonly route: Changeable;
  readonly slot: Slot;
  readonly validator: Partial<Validator<unknown>>;
}

/** Collects the tests that a file of contract tests declares, so that they can run many times. */
class Collector {
  readonly tests: { readonly group: string; readonly name: string; readonly run: Run }[] = [];
  readonly before: Run[] = [];
  readonly after: Run[] = [];
  #group = "";

  readonly runner = {
    describe: (name: string, define: () => void): void => {
      const outer = this.#group;
      this.#group = name;
      define();
      this.#group = outer;
    },
    test: (name: string, run: (context: { skip(): void }) => Promise<void>): void => {
      const skip = (): void => {
        throw new Error(`${name} was skipped`);
      };
      this.tests.push({ group: this.#group, name, run: () => run({ skip }) });
    },
    before: (run: Run): unknown => this.before.push(run),
    after: (run: Run): unknown => this.after.push(run),
  };

  /** Runs the tests of a route. Returns the message of the first one that fails, or `undefined` if all pass. */
  async failure(route: string): Promise<string | undefined> {
    for (const { group, name, run } of this.tests) {
      if (group !== route) continue;
      try {
        await run();
      } catch (error) {
        return `${name}: ${String(error)}`;
      }
    }
    return undefined;
  }
}

const [root = "", group = ""] = process.argv.slice(2);
// The application looks for the build output in the directory of the program.
process.argv[1] = join(root, "mutants.ts");
const built = (path: string): Promise<Record<string, unknown>> =>
  import(pathToFileURL(join(root, ".kit", path)).href) as Promise<Record<string, unknown>>;
const { default: application } = (await built("routes/index.ts")) as { default: CompiledApplication };
const collector = await collect();
for (const run of collector.before) await run();
try {
  for (const route of application.routes.filter((one) => one.group === group)) await mutate(route);
} finally {
  for (const run of collector.after) await run();
}

async function mutate(route: Changeable): Promise<void> {
  const failure = await collector.failure(route.ref);
  if (failure !== undefined) throw new Error(`${route.ref} breaks its contract already: ${failure}`);
  for (const mutant of await mutantsOfRoute(route)) {
    const isCaught = await caught(mutant);
    // Removes data that the mutant has accepted, because later tests would fail.
    await empty();
    process.stdout.write(
      `${JSON.stringify({ what: `${route.ref} ${mutant.slot} ${mutant.what}`, isCaught })}\n`,
    );
  }
}

/** Deletes the rows of all tables except those of kit itself. */
async function empty(): Promise<void> {
  const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });
  try {
    const { rows } = await pool.query<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = current_schema() and tablename not like 'kit\\_%'",
    );
    if (rows.length > 0) await pool.query(`truncate ${rows.map((row) => row.name).join(", ")} cascade`);
  } finally {
    await pool.end();
  }
}

/** Imports the tests of a group with a collector in place of node:test. */
async function collect(): Promise<Collector> {
  const found = new Collector();
  const directory = join(root, ".kit/tests");
  const text = await readFile(join(directory, `${group}.contract.test.ts`), "utf8");
  const runner = 'import { after, before, describe, test } from "node:test";';
  if (!text.includes(runner)) throw new Error(`The tests of ${group} import another runner`);
  Object.assign(globalThis, { collectingRunner: found.runner });
  const copy = join(directory, `${group}.collected.ts`);
  await writeFile(
    copy,
    text.replace(runner, "const { after, before, describe, test } = (globalThis as any).collectingRunner;"),
  );
  await import(pathToFileURL(copy).href);
  return found;
}

async function mutantsOfRoute(route: Changeable): Promise<RouteMutant[]> {
  const found: RouteMutant[] = [];
  for (const slot of ["params", "query", "body"] as const) {
    const validator = route[slot];
    if (validator === null) continue;
    const { name } = validator;
    const module = await built("codecs.js");
    const shape = module[`${name}Shape`] as Shape;
    for (const mutant of mutantsOf(shape, slot)) {
      found.push({
        what: mutant.what,
        route,
        slot,
        validator: {
          is: (value) => explain(mutant.shape, value, "wire", 1).length === 0,
          failures: (value, limit) => explain(mutant.shape, value, "wire", limit),
        },
      });
    }
    found.push(...decodings(route, slot, validator, shape));
  }
  return found;
}

/** Returns mutants that decode wrongly: undeclared properties are not dropped, or defaults are not set. */
function decodings(
  route: Changeable,
  slot: Slot,
  { decode }: Validator<unknown>,
  shape: Shape,
): RouteMutant[] {
  const target = shape.kind === "reference" ? shape.to() : shape;
  if (target.kind !== "object") return [];
  const found: RouteMutant[] = [];
  const add = (what: string, changed: (value: unknown) => unknown): unknown =>
    found.push({ what, route, slot, validator: { decode: changed } });
  // In a query, undeclared properties are never read.
  if (target.index === undefined && slot === "body")
    add("$: undeclared members are kept", (value) => ({
      ...(value as object),
      ...(decode(value) as object),
    }));
  for (const { key, optional } of target.properties) {
    if (optional !== "input") continue;
    const isGiven = (value: unknown): boolean => Reflect.get(value as object, key) !== undefined;
    // The validator does not set a default that the database generates.
    if (!isDefaulted(decode, key)) continue;
    add(`$.${key}: no default is filled in`, (value) => {
      const decoded = decode(value) as Record<string, unknown>;
      if (!isGiven(value)) delete decoded[key];
      return decoded;
    });
  }
  return found;
}

/** Returns true if the decoder sets this property in `{}`. */
function isDefaulted(decode: (value: unknown) => unknown, key: string): boolean {
  try {
    return Reflect.get(decode({}) as object, key) !== undefined;
  } catch {
    return false;
  }
}

/** Returns true if a test fails while the route uses the mutant in place of its validator. */
async function caught({ route, slot, validator }: RouteMutant): Promise<boolean> {
  const real = route[slot];
  Object.assign(route, { [slot]: { ...real, ...validator } });
  try {
    return (await collector.failure(route.ref)) !== undefined;
  } finally {
    Object.assign(route, { [slot]: real });
  }
}
