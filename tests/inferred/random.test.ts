// Random schemas of zod: kit accepts the values that zod accepts. If kit warns that it does not check a part of a schema, kit may accept more
// values, and never fewer. `KIT_SEED` selects other schemas, and `KIT_RUNS` their number.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Random } from "../oracle/support/values.ts";
import { installed, type Validator } from "./support/installed.ts";

const seed = process.env["KIT_SEED"] ?? "2026";
const runs = Number(process.env["KIT_RUNS"] ?? 60);
/** Number of values for each schema. */
const VALUES = 40;
const DEEPEST = 3;

/** A random schema: its source, and a function that returns values which the schema accepts or nearly accepts. */
interface Schema {
  readonly source: string;
  readonly sample: () => unknown;
}

const random = new Random(seed);

function list<T>(least: number, most: number, item: () => T): T[] {
  return Array.from({ length: least + random.below(most - least + 1) }, item);
}

/** Returns a part of a source with a probability in percent. */
function maybe(percent: number, part: () => string): string {
  return random.chance(percent) ? part() : "";
}

const LEAVES: readonly (() => Schema)[] = [
  () => ({
    source: `z.string()${maybe(60, () => `.min(${random.below(4)})`)}${maybe(40, () => `.max(${3 + random.below(3)})`)}`,
    sample: () => "abcdefgh".slice(0, random.below(8)),
  }),
  () => ({
    source: `z.number()${maybe(40, () => ".int()")}${maybe(50, () => `.min(${random.below(4)})`)}${maybe(40, () => `.lt(${5 + random.below(5)})`)}`,
    sample: () => random.pick([-1, 0, 1, 2, 2.5, 3, 4, 5, 7, 9, 10]),
  }),
  () => ({ source: "z.boolean()", sample: () => random.chance(50) }),
  () => ({ source: 'z.literal("x")', sample: () => random.pick(["x", "y", 1]) }),
  () => ({ source: 'z.enum(["p", "q"])', sample: () => random.pick(["p", "q", "r"]) }),
];

const NESTED: readonly ((depth: number) => Schema)[] = [
  (depth) => {
    const item = schema(depth);
    const bounds = `${maybe(50, () => `.min(${random.below(3)})`)}${maybe(40, () => `.max(${2 + random.below(2)})`)}`;
    return { source: `z.array(${item.source})${bounds}`, sample: () => list(0, 4, item.sample) };
  },
  (depth) => object(depth, []),
  (depth) => {
    const members = list(2, 3, () => schema(depth));
    return {
      source: `z.union([${members.map(({ source }) => source).join(", ")}])`,
      sample: () => random.pick(members).sample(),
    };
  },
  (depth) => {
    const kinds = ["a", "b", "c"].slice(0, 2 + random.below(2));
    const members = kinds.map((kind) => object(depth, [["kind", `z.literal("${kind}")`, kind]]));
    return {
      source: `z.discriminatedUnion("kind", [${members.map(({ source }) => source).join(", ")}])`,
      sample: () => random.pick(members).sample(),
    };
  },
  (depth) => {
    const items = list(1, 3, () => schema(depth));
    return {
      source: `z.tuple([${items.map(({ source }) => source).join(", ")}])`,
      sample: () => items.slice(0, random.chance(85) ? 3 : 0).map(({ sample }) => sample()),
    };
  },
  (depth) => {
    const value = schema(depth);
    return {
      source: `z.record(z.string(), ${value.source})`,
      sample: () => Object.fromEntries(["k", "l"].slice(random.below(3)).map((key) => [key, value.sample()])),
    };
  },
];

function object(depth: number, fixed: readonly (readonly [string, string, unknown])[]): Schema {
  const names = ["id", "name", "tags"].slice(0, 1 + random.below(3));
  const properties = names.map((name) => ({ name, isOptional: random.chance(30), inner: schema(depth) }));
  const sources = [
    ...fixed.map(([name, source]) => `${name}: ${source}`),
    ...properties.map(
      ({ name, isOptional, inner }) => `${name}: ${inner.source}${isOptional ? ".optional()" : ""}`,
    ),
  ];
  return {
    source: `z.object({ ${sources.join(", ")} })`,
    sample: () => ({
      ...Object.fromEntries(fixed.map(([name, , value]) => [name, value])),
      ...Object.fromEntries(
        properties
          .filter(({ isOptional }) => !random.chance(isOptional ? 50 : 5))
          .map(({ name, inner }) => [name, inner.sample()]),
      ),
    }),
  };
}

function schema(depth: number): Schema {
  const isLeaf = depth >= DEEPEST || random.chance(30);
  const made = isLeaf ? random.pick(LEAVES)() : random.pick(NESTED)(depth + 1);
  const isNullable = random.chance(15);
  return {
    source: `${made.source}${isNullable ? ".nullable()" : ""}`,
    sample: () => (random.chance(4) ? random.pick([null, "z", 3, [], {}]) : made.sample()),
  };
}

interface Parser {
  readonly safeParse: (value: unknown) => { success: boolean };
}

test(`kit accepts the values that ${runs} random schemas of zod accept`, async (context) => {
  const schemas = Array.from({ length: runs }, () => schema(0));
  // Each schema is in one line, to which warnings refer.
  const lines = schemas.map(
    ({ source }, index) =>
      `export const s${index} = ${source}; export type S${index} = z.infer<typeof s${index}>;`,
  );
  const project = await installed({
    "src/schemas.ts": `import { z } from "zod";\n${lines.join("\n")}\n`,
    "src/all.routes.ts": `import type { RouteContract } from "@kit/types";
import type * as schemas from "./schemas.ts";
${schemas.map((_, index) => `export interface B${index} { value: schemas.S${index} }`).join("\n")}
export interface Routes {
${schemas.map((_, index) => `  "PUT /b${index}": RouteContract<void, void, B${index}, B${index}>;`).join("\n")}
}
`,
  });
  try {
    const { code, stdout } = await project.kit(["build", "--json"], { timeout: 120_000 });
    assert.equal(code, 0, stdout);
    const { warnings = [] } = JSON.parse(stdout) as { warnings?: { code: string; line: number }[] };
    const warned = new Set(warnings.filter((one) => one.code === "KIT1323").map(({ line }) => line - 2));
    const parsers = (await import(pathToFileURL(join(project.root, "src/schemas.ts")).href)) as Record<
      string,
      Parser
    >;
    // A large project has no file of its own for each validator.
    const validators = (await import(pathToFileURL(join(project.root, ".kit/codecs.js")).href)) as Record<
      string,
      Validator
    >;
    const counts = { accepted: 0, tested: 0 };
    for (const [index, { source, sample }] of schemas.entries()) {
      const { is } = validators[`B${index}Validator`] ?? assert.fail(`B${index} has no validator`);
      for (const value of Array.from({ length: VALUES }, sample)) {
        const expected = parsers[`s${index}`]?.safeParse(value).success;
        const found = is({ value });
        counts.tested += 1;
        counts.accepted += Number(expected);
        if (warned.has(index) && found) continue;
        assert.equal(found, expected, `${source}\n${JSON.stringify(value)} (KIT_SEED=${seed})`);
      }
    }
    const { accepted, tested } = counts;
    context.diagnostic(`${tested} values, ${accepted} accepted; ${warned.size} schemas with warnings`);
    assert.ok(warned.size < runs / 3, `${warned.size} of ${runs} schemas have warnings`);
    assert.ok(accepted > tested / 5 && accepted < (tested * 4) / 5, `${accepted} of ${tested} were accepted`);
  } finally {
    await project.remove();
  }
});
