// Rules of unions, tuples and records of schemas, and locations of mistakes in inferred types.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { failures, installed, runs, validator, write } from "./support/installed.ts";

const UNIONS = `
import { Type, type Static } from "@sinclair/typebox";
import * as v from "valibot";
import { z } from "zod";

export const zodUnion = z.object({
  value: z.union([z.string().min(3), z.number().int().max(9), z.array(z.string().min(2)).min(1), z.boolean()]).nullable(),
  event: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("text"), text: z.string().max(4) }),
    z.object({ kind: z.enum(["image", "video"]), width: z.number().min(1) }),
  ]),
  pair: z.tuple([z.string().min(1), z.number().gt(0)]),
  sizes: z.record(z.string().max(2), z.number().lt(5)).optional(),
});
export type ZodUnion = z.infer<typeof zodUnion>;
export const valibotUnion = v.object({
  value: v.nullable(v.union([v.pipe(v.string(), v.minLength(3)), v.pipe(v.number(), v.integer(), v.maxValue(9)), v.pipe(v.array(v.pipe(v.string(), v.minLength(2))), v.minLength(1)), v.boolean()])),
  event: v.variant("kind", [
    v.object({ kind: v.literal("text"), text: v.pipe(v.string(), v.maxLength(4)) }),
    v.object({ kind: v.picklist(["image", "video"]), width: v.pipe(v.number(), v.minValue(1)) }),
  ]),
  pair: v.tuple([v.pipe(v.string(), v.minLength(1)), v.pipe(v.number(), v.gtValue(0))]),
  again: v.optional(v.tuple([v.string()])),
  sizes: v.optional(v.record(v.pipe(v.string(), v.maxLength(2)), v.pipe(v.number(), v.ltValue(5)))),
});
export type ValibotUnion = v.InferOutput<typeof valibotUnion>;
export const typeboxUnion = Type.Object({
  value: Type.Union([Type.String({ minLength: 3 }), Type.Integer({ maximum: 9 }), Type.Array(Type.String({ minLength: 2 }), { minItems: 1 }), Type.Boolean(), Type.Null()]),
  event: Type.Union([
    Type.Object({ kind: Type.Literal("text"), text: Type.String({ maxLength: 4 }) }),
    Type.Object({ kind: Type.Union([Type.Literal("image"), Type.Literal("video")]), width: Type.Number({ minimum: 1 }) }),
  ]),
  pair: Type.Tuple([Type.String({ minLength: 1 }), Type.Number({ exclusiveMinimum: 0 })]),
  sizes: Type.Optional(Type.Record(Type.String(), Type.Number({ exclusiveMaximum: 5 }))),
});
export type TypeboxUnion = Static<typeof typeboxUnion>;
`;

const PAIR = ["a", 1];
const event = { kind: "text", text: "abcd" };

/** Values with members of unions, tuples and records. */
const VARIANTS: readonly unknown[] = [
  ...["abc", "ab", 9, 10, 1.5, ["ab"], [], ["a"], true, null, {}].map((value) => ({
    value,
    event,
    pair: PAIR,
  })),
  ...[
    { kind: "text", text: "abcde" },
    { kind: "image", width: 1 },
    { kind: "video", width: 0 },
    { kind: "image", text: "a" },
    { kind: "other" },
  ].map((other) => ({ value: null, event: other, pair: PAIR })),
  ...[["a", 1], ["", 1], ["a", 0], ["a"]].map((pair) => ({ value: null, event, pair })),
  ...[{ a: 4 }, { a: 5 }, { a: "1" }, {}, { ab: 1 }, { abc: 1 }].map((sizes) => ({
    value: null,
    event,
    pair: PAIR,
    sizes,
  })),
];

/** Modules of the libraries with which a test parses values. */
interface Schemas {
  readonly [name: string]: unknown;
}

test("rules of members of unions, tuples and records apply, as in the library", async () => {
  const project = await installed({
    "src/schemas.ts": UNIONS,
    "src/all.routes.ts": `
      import type { RouteContract } from "@kit/types";
      import type * as schemas from "./schemas.ts";
      export interface Zod { value: schemas.ZodUnion }
      export interface Valibot { value: schemas.ValibotUnion }
      export interface Typebox { value: schemas.TypeboxUnion }
      export interface Routes {
        "PUT /zod": RouteContract<void, void, Zod, Zod>;
        "PUT /valibot": RouteContract<void, void, Valibot, Valibot>;
        "PUT /typebox": RouteContract<void, void, Typebox, Typebox>;
      }
    `,
  });
  try {
    const built = await project.kitOk("build");
    assert.doesNotMatch(built.stderr, /warning/, built.stderr);
    const schemas = (await import(pathToFileURL(join(project.root, "src/schemas.ts")).href)) as Schemas;
    const { safeParse } = (await import("valibot")) as unknown as {
      safeParse: (schema: unknown, value: unknown) => { success: boolean };
    };
    const { Value } = (await import("@sinclair/typebox/value")) as unknown as {
      Value: { Check: (schema: unknown, value: unknown) => boolean };
    };
    const zod = schemas["zodUnion"] as { safeParse: (value: unknown) => { success: boolean } };
    const subjects: readonly (readonly [string, (value: unknown) => boolean])[] = [
      ["Zod", (value) => zod.safeParse(value).success],
      ["Valibot", (value) => safeParse(schemas["valibotUnion"], value).success],
      ["Typebox", (value) => Value.Check(schemas["typeboxUnion"] as never, value)],
    ];
    for (const [name, accepts] of subjects) {
      const { is } = await validator(project, name);
      for (const value of VARIANTS) {
        assert.equal(is({ value }), accepts(value), `${name}: ${JSON.stringify(value)}`);
      }
    }
  } finally {
    await project.remove();
  }
});

test("parts without a JSON form are errors at the type of the project that uses the schema", async () => {
  const project = await installed({
    "src/user.types.ts": `
      import { z } from "zod";
      import * as v from "valibot";
      export const user = z.object({ tags: z.set(z.string()), ids: z.map(z.string(), z.number()) });
      export type User = z.infer<typeof user>;
      export const other = v.object({ list: v.map(v.string(), v.number()), data: v.any() });
      export type Other = v.InferOutput<typeof other>;
    `,
    "src/all.routes.ts":
      'import type { RouteContract } from "@kit/types";\nimport type { Other, User } from "./user.types.ts";\nexport interface Routes { "GET /users": RouteContract<void, void, void, { user: User; other: Other }>; }\n',
  });
  try {
    const { stderr } = await project.kit(["build"]);
    for (const path of ["User.tags", "User.ids", "Other.list", "Other.data"])
      assert.ok(stderr.includes(`the type is that of \`${path}\``), `${path}: ${stderr}`);
    assert.doesNotMatch(stderr, /inferred\.d\.ts/);
    for (const { path, message } of await failures(project))
      assert.match(path ?? "", /^src\/user\.types\.ts/, message);
  } finally {
    await project.remove();
  }
});

test("TypeScript runs again if the target of an import appears that failed before", async () => {
  const project = await installed({
    "src/user.types.ts":
      'import { z } from "zod";\nimport { extra } from "./extra.ts";\nexport const user = z.object({ name: z.string() });\nexport type User = z.infer<typeof user>;\nexport const also = extra;\n',
    "src/all.routes.ts":
      'import type { RouteContract } from "@kit/types";\nimport type { User } from "./user.types.ts";\nexport interface Routes { "GET /users": RouteContract<void, void, void, User[]>; }\n',
  });
  try {
    await project.kitOk("build");
    await project.kitOk("build");
    assert.equal(await runs(project), 1);
    await write(project, "src/extra.ts", "export const extra = 1;\n");
    await project.kitOk("build");
    assert.equal(await runs(project), 2);
  } finally {
    await project.remove();
  }
});
