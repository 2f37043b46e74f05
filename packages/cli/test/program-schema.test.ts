// Checks `@kit/cli/program.schema.json` against the data that plugins get, with a JSON Schema validator that is not part of kit.

import assert from "node:assert/strict";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

import { NOTES, Project } from "./support/project.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** File of a plugin that stores the program that each hook gets. */
const KEEP = `
const kept = {};
export default {
  plugins: [{
    name: "keep",
    hooks: {
      afterTypeParse({ program }) { kept.parsed = structuredClone(program); },
      emit({ program, addFile }) {
        addFile({ path: "kept.json", text: JSON.stringify({ ...kept, emitted: program }) });
      },
    },
  }],
};
`;

/** Source with types of every kind and with doc tags. */
const KINDS = `
import type { Failure, Reply, Route, RouteContract } from "@kit/types";

/** A row. @table things @renamedFrom old_things @index by_name (name, count) @unique one_name (name, rate) @owner name = ctx.name @deprecated soon */
export interface Thing {
  /** @id @generated uuid */ id: string;
  /** @minLength 1 @maxLength 9 @pattern ^a @unique @example "a" */ name: string;
  /** @minimum 1 @maximum 9 @multipleOf 2 @integer @default 2 @index */ count: number;
  /** @exclusiveMinimum 1 @exclusiveMaximum 9 @sensitive @column rate_of */ rate: number;
  /** @generated now @onUpdate now */ changedAt: Date;
  /** @references Thing.id cascade */ parent: string | null;
  /** @format email @renamedFrom address */ mail?: string;
}
export interface Other {
  /** @minItems 1 @maxItems 2 @uniqueItems */ list: string[];
  pair: [first: string, second?: number, ...rest: boolean[]];
  /** @default [] */ tags: string[];
  literal: "a" | 1 | true | 2n; big: bigint; bytes: Uint8Array; any: unknown;
  template: \`x-\${string}\`; record: Record<string, number>; keyed: { [key: \`a-\${number}\`]: string };
  self?: Other;
}
export interface Page<T> { data: T[] }
export interface ThingRoutes {
  /** List. @summary All @tag things @throws GONE 410 @status 200 */
  "GET /things": RouteContract<void, { page?: number }, void, Page<Other>>;
  "PUT /things/:id": RouteContract<{ id: string }, void, { name: string }, Thing>;
  /** @operation addThing */
  "POST /things": Route<{
    headers: { "x-tenant": string };
    cookies: { sid: string };
    response: Reply<201, Thing, { location: string }> | Reply<202>;
    errors: Failure<409, "SOLD_OUT", { left: number }>;
  }>;
}
`;

interface Kept {
  readonly parsed: unknown;
  readonly emitted: unknown;
}

async function programs(project: Project): Promise<Kept> {
  const outcome = await project.kit(["build", "--no-compile"]);
  assert.equal(outcome.code, 0, outcome.err);
  return JSON.parse((await project.output())["kept.json"]!) as Kept;
}

/** Creates a copy of the reference application, with the plugin. */
async function example(t: TestContext): Promise<Project> {
  const project = await Project.create(t, { "kit.config.js": KEEP });
  for (const part of ["src", "migrations", "tests", "package.json"])
    // oxlint-disable-next-line no-await-in-loop
    await cp(join(repository, "examples/notes", part), join(project.root, part), { recursive: true });
  await project.link("node_modules", join(repository, "node_modules"));
  return project;
}

describe("the schema of a program", () => {
  let validate: ValidateFunction;

  before(async () => {
    const path = fileURLToPath(import.meta.resolve("@kit/cli/program.schema.json"));
    validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(await readFile(path, "utf8")) as object);
  });

  const isValid = (program: unknown): void =>
    assert.ok(validate(program), JSON.stringify(validate.errors, null, 2));

  test("accepts the program of an application as plugins get it", async (t) => {
    const { parsed, emitted } = await programs(await example(t));
    isValid(parsed);
    isValid(emitted);
    assert.equal((emitted as { routes: unknown[] }).routes.length, 5);
  });

  test("accepts a program with types of every kind, and refuses values that kit does not produce", async (t) => {
    const files = { ...NOTES, "src/things.routes.ts": KINDS, "kit.config.js": KEEP };
    const { emitted } = await programs(await Project.create(t, files));
    isValid(emitted);
    for (const [spoil, place] of [
      [(program: Spoiled) => (program.version = 1), "/version"],
      [(program: Spoiled) => (program["more"] = true), ""],
      [(program: Spoiled) => delete program["entities"], ""],
      [(program: Spoiled) => (program.routes[0]!["method"] = "FETCH"), "/routes/0/method"],
      [(program: Spoiled) => (program.routes[0]!["status"] = 404), "/routes/0/status"],
      [(program: Spoiled) => (program.routes[0]!["hidden"] = true), "/routes/0"],
      [(program: Spoiled) => (program.types[0]!["kind"] = "text"), "/types/0"],
      [(program: Spoiled) => (program.declarations[0]!["type"] = -1), "/declarations/0/type"],
      [(program: Spoiled) => (program.declarations[0]!["type"] = 1.5), "/declarations/0/type"],
      [(program: Spoiled) => (program.declarations[0]!["name"] = null), "/declarations/0/name"],
    ] as const) {
      const program = structuredClone(emitted) as Spoiled;
      spoil(program);
      assert.equal(validate(program), false, spoil.toString());
      const places = validate.errors!.map(({ instancePath }) => instancePath);
      assert.ok(places.includes(place), `${place} is not among ${places.join(", ")}`);
    }
  });
});

interface Spoiled extends Record<string, unknown> {
  version: number;
  routes: Record<string, unknown>[];
  types: Record<string, unknown>[];
  declarations: Record<string, unknown>[];
}
