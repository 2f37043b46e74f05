// Types that follow from schemas, tables and functions: kit asks the project's TypeScript for them, and checks the same values as the
// libraries.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { failures, installed, removeTypeScript, runs, validator, write } from "./support/installed.ts";

const SCHEMAS = `
import { Type, type Static } from "@sinclair/typebox";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

const MOST = 20;

export const zodAddress = z.object({ city: z.string().min(2), zip: z.string().regex(/^[0-9]{5}$/) });
export const zodUser = z.object({
  name: z.string().min(1).max(MOST),
  email: z.email(),
  age: z.number().int().min(0).max(150).optional(),
  tags: z.array(z.string().min(2)).min(1).max(3),
  role: z.enum(["admin", "member"]),
  address: zodAddress.nullable(),
  score: z.number().gt(0).lt(1).nullish(),
});
export type ZodUser = z.infer<typeof zodUser>;

export const zodPatch = zodUser.pick({ name: true, tags: true }).partial().extend({ id: z.uuid() });
export type ZodPatch = z.infer<typeof zodPatch>;

export const zodEvent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({ kind: z.literal("image"), width: z.number(), height: z.number() }),
]);
export type ZodEvent = z.infer<typeof zodEvent>;

export const valibotUser = v.object({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(MOST)),
  age: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  tags: v.pipe(v.array(v.pipe(v.string(), v.minLength(2))), v.maxLength(3)),
  role: v.picklist(["admin", "member"]),
  note: v.nullable(v.string()),
});
export type ValibotUser = v.InferOutput<typeof valibotUser>;

export const arkUser = type({ name: "1 <= string <= 20", "age?": "number.integer >= 0", role: "'admin' | 'member'", tags: "string[] <= 3" });
export type ArkUser = typeof arkUser.infer;

export const typeboxUser = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MOST }),
  age: Type.Optional(Type.Integer({ minimum: 0, exclusiveMaximum: 151 })),
  tags: Type.Array(Type.String({ minLength: 2 }), { minItems: 1, maxItems: 3 }),
  role: Type.Union([Type.Literal("admin"), Type.Literal("member")]),
});
export type TypeboxUser = Static<typeof typeboxUser>;
`;

const ROUTES = `
import type { RouteContract } from "@kit/types";
import type * as schemas from "./schemas.ts";
export interface ZodUser { value: schemas.ZodUser }
export interface ZodPatch { value: schemas.ZodPatch }
export interface ZodEvent { value: schemas.ZodEvent }
export interface ValibotUser { value: schemas.ValibotUser }
export interface ArkUser { value: schemas.ArkUser }
export interface TypeboxUser { value: schemas.TypeboxUser }
export interface Routes {
  "PUT /zod-user": RouteContract<void, void, ZodUser, ZodUser>;
  "PUT /zod-patch": RouteContract<void, void, ZodPatch, ZodPatch>;
  "PUT /zod-event": RouteContract<void, void, ZodEvent, ZodEvent>;
  "PUT /valibot-user": RouteContract<void, void, ValibotUser, ValibotUser>;
  "PUT /ark-user": RouteContract<void, void, ArkUser, ArkUser>;
  "PUT /typebox-user": RouteContract<void, void, TypeboxUser, TypeboxUser>;
}
`;

const user = {
  name: "Ada",
  email: "ada@example.com",
  tags: ["ab"],
  role: "admin",
  address: null,
  note: null,
};

/** Returns the user with each of the values of one property. */
function users(key: string, values: readonly unknown[]): unknown[] {
  return values.map((value) => Object.assign({}, user, { [key]: value }));
}

/** Values that the schemas of users accept or refuse. */
const USERS: readonly unknown[] = [
  user,
  ...users("name", ["", "a", "a".repeat(20), "a".repeat(21), 7, null]),
  ...users("email", ["ada", "ada@", 1]),
  ...users("age", [0, -1, 1.5, 150, 151, "3", null]),
  ...users("tags", [[], ["a"], ["ab", "cd", "ef"], ["ab", "cd", "ef", "gh"], "ab", [1]]),
  ...users("role", ["member", "owner", null]),
  ...users("address", [
    { city: "Ulm", zip: "89073" },
    { city: "U", zip: "89073" },
    { city: "Ulm", zip: "8907" },
    {},
  ]),
  ...users("score", [0, 0.5, 1, null]),
  { ...user, other: true },
  {},
  null,
  [],
  "user",
];

const PATCHES: readonly unknown[] = [
  ...["11111111-1111-4111-8111-111111111111", "1", 1, null].map((id) => ({ id })),
  { id: "11111111-1111-4111-8111-111111111111", name: "" },
  { id: "11111111-1111-4111-8111-111111111111", name: "Ada", tags: ["ab"] },
  { id: "11111111-1111-4111-8111-111111111111", tags: [] },
];

const EVENTS: readonly unknown[] = [
  { kind: "text", text: "a" },
  { kind: "text" },
  { kind: "image", width: 1, height: 2 },
  { kind: "image", width: "1", height: 2 },
  { kind: "other" },
  {},
];

/** Modules of the libraries with which a test parses values. */
interface Schemas {
  readonly [name: string]: unknown;
}

for (const typescript of ["7", "5"] as const) {
  test(`values are valid for kit if they are valid for the library, with the types of TypeScript ${typescript}`, async () => {
    const project = await installed({ "src/schemas.ts": SCHEMAS, "src/all.routes.ts": ROUTES }, typescript);
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
      const { type } = (await import("arktype")) as unknown as { type: { errors: new () => object } };
      const zod = (name: string) => (value: unknown) =>
        (schemas[name] as { safeParse: (value: unknown) => { success: boolean } }).safeParse(value).success;
      const subjects: readonly (readonly [string, readonly unknown[], (value: unknown) => boolean])[] = [
        ["ZodUser", USERS, zod("zodUser")],
        ["ZodPatch", PATCHES, zod("zodPatch")],
        ["ZodEvent", EVENTS, zod("zodEvent")],
        ["ValibotUser", USERS, (value) => safeParse(schemas["valibotUser"], value).success],
        [
          "ArkUser",
          USERS,
          (value) => !((schemas["arkUser"] as (value: unknown) => unknown)(value) instanceof type.errors),
        ],
        ["TypeboxUser", USERS, (value) => Value.Check(schemas["typeboxUser"] as never, value)],
      ];
      for (const [name, values, accepts] of subjects) {
        const { is } = await validator(project, name);
        let accepted = 0;
        for (const value of values) {
          const expected = accepts(value);
          accepted += Number(expected);
          assert.equal(is({ value }), expected, `${name}: ${JSON.stringify(value)}`);
        }
        assert.ok(
          accepted > 0 && accepted < values.length,
          `${name} accepts ${accepted} of ${values.length}`,
        );
      }
    } finally {
      await project.remove();
    }
  });
}

const UNREAD_SCHEMAS = `
import { Type, type Static } from "@sinclair/typebox";
import * as v from "valibot";
import { z } from "zod";

export const either = z.object({ value: z.string().min(3).or(z.string().max(9)) });
export type Either = z.infer<typeof either>;
export const piped = z.object({ value: z.string().max(2).transform((text) => text.repeat(9)) });
export type Piped = z.infer<typeof piped>;
export const patterns = z.object({ mail: z.string().regex(/[\\w-.]+@/), letter: z.string().regex(/a/i), empty: z.string().default("") });
export type Patterns = z.infer<typeof patterns>;
export const site = z.object({ value: z.email({ pattern: /^x/ }), at: z.iso.datetime({ local: true }) });
export type Site = z.infer<typeof site>;
export const frozen = z.object({ name: z.string() }).readonly();
export type Frozen = z.infer<typeof frozen>;
export const node = z.object({ name: z.string(), get children() { return z.array(node); } });
export type Node = z.infer<typeof node>;
export const number = v.object({ value: v.pipe(v.string(), v.maxLength(1), v.transform((text) => text.length), v.number(), v.minValue(5)) });
export type Numbers = v.InferOutput<typeof number>;
export const few = Type.Partial(Type.Object({ name: Type.String({ minLength: 2 }) }), { minProperties: 1 });
export type Few = Static<typeof few>;
export const login = z.object({ account: z.object({ /** @sensitive */ password: z.string() }) });
export type Login = z.infer<typeof login>;
`;

test("the build warns of each part of a schema that kit does not check, and refuses no value because of it", async () => {
  const names = ["Either", "Piped", "Patterns", "Site", "Frozen", "Node", "Numbers", "Few", "Login"];
  const project = await installed({
    "src/schemas.ts": UNREAD_SCHEMAS,
    "src/all.routes.ts": `
      import type { RouteContract } from "@kit/types";
      import type * as schemas from "./schemas.ts";
      ${names.map((name) => `export interface Body${name} { value: schemas.${name} }`).join("\n")}
      export interface Routes {
        ${names.map((name) => `"PUT /${name.toLowerCase()}": RouteContract<void, void, Body${name}, Body${name}>;`).join("\n")}
      }
    `,
  });
  try {
    const { stderr } = await project.kitOk("build");
    for (const part of [
      "min(3)",
      "max(9)",
      "max(2)",
      ".transform(…)",
      "[\\w-.]+@",
      ".regex(…)",
      "email(…)",
      "datetime(…)",
      "getter `children`",
      "v.maxLength(1)",
      "v.minValue(5)",
      "minProperties",
    ]) {
      assert.ok(stderr.includes(part), `${part}: ${stderr}`);
    }
    const accepted: readonly (readonly [string, unknown])[] = [
      ["Either", { value: "" }],
      ["Either", { value: "abcdefghijkl" }],
      ["Piped", { value: "ababababab" }],
      ["Patterns", { mail: "a-b@c", letter: "A", empty: "" }],
      ["Site", { value: "xyz", at: "2026-01-31T10:00:00" }],
      ["Frozen", { name: "" }],
      ["Node", { name: "a", children: [{ name: "b", children: [] }] }],
      ["Numbers", { value: 7 }],
      ["Few", { name: "Ada" }],
    ];
    for (const [name, value] of accepted) {
      const { is } = await validator(project, `Body${name}`);
      assert.ok(is({ value }), `${name}: ${JSON.stringify(value)}`);
    }
    const { is } = await validator(project, "BodyFew");
    assert.ok(!is({ value: { name: "A" } }));
  } finally {
    await project.remove();
  }
});

test("types of tables, of results of functions and of array methods are inferred, and comments of schemas are rules", async () => {
  const project = await installed({
    "src/tables.ts": `
      import { boolean, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";
      export const users = pgTable("users", {
        id: text("id").primaryKey(),
        age: integer("age"),
        active: boolean("active").notNull().default(false),
        createdAt: timestamp("created_at").notNull(),
      });
      const names = ["admin", "member"];
      export const roles = names.map((name) => ({ name, level: name.length }));
      export function settings(dark: boolean) {
        return { dark, sizes: [1, 2, 3] };
      }
    `,
    "src/all.types.ts": `
      import { z } from "zod";
      import type { roles, settings, users } from "./tables.ts";
      export type User = typeof users.$inferSelect;
      export type NewUser = typeof users.$inferInsert;
      export type Role = (typeof roles)[number];
      export type Settings = ReturnType<typeof settings>;
      export const bookSchema = z.object({
        /** @id @generated uuid */
        id: z.uuid(),
        title: z.string().min(1).describe("Title on the cover"),
      });
      /** @table */
      export interface Book extends z.infer<typeof bookSchema> {}
    `,
    "src/all.routes.ts": `
      import type { RouteContract } from "@kit/types";
      import type { Book, NewUser, Role, Settings, User } from "./all.types.ts";
      export interface Routes {
        "GET /users": RouteContract<void, void, void, User[]>;
        "POST /users": RouteContract<void, void, NewUser, User>;
        "GET /roles": RouteContract<void, void, void, Role[]>;
        "PUT /settings": RouteContract<void, void, Settings, Settings>;
        "GET /books": RouteContract<void, void, void, Book[]>;
      }
    `,
  });
  try {
    await project.kitOk("build");
    const row = { id: "a", age: null, active: true, createdAt: "2026-01-31T00:00:00.000Z" };
    const { is, decode } = await validator(project, "User");
    assert.ok(is(row));
    assert.deepEqual(decode(row), { ...row, createdAt: new Date(row.createdAt) });
    assert.ok(!is({ ...row, age: "1" }));
    const { is: isNew } = await validator(project, "NewUser");
    assert.ok(isNew({ id: "a", createdAt: row.createdAt }));
    assert.ok(!isNew({ id: "a" }));
    const { is: isSettings } = await validator(project, "Settings");
    assert.ok(isSettings({ dark: true, sizes: [1] }));
    assert.ok(!isSettings({ dark: true, sizes: ["1"] }));
    const openapi = JSON.parse(await readFile(join(project.root, ".kit/schemas/openapi.json"), "utf8")) as {
      components: { schemas: Record<string, { properties: Record<string, object> }> };
    };
    assert.deepEqual(openapi.components.schemas["Book"]?.properties["title"], {
      type: "string",
      minLength: 1,
      description: "Title on the cover",
    });
    const tables = await readFile(join(project.root, ".kit/schemas/books.ts"), "utf8");
    // The tag `@generated` in the schema makes the id optional for new rows.
    assert.match(tables, /id\?: string/);
  } finally {
    await project.remove();
  }
});

test("TypeScript runs only if a file changed from which it inferred types", async () => {
  const project = await installed({
    "src/parts.ts": 'import { z } from "zod";\nexport const name = z.string().min(1);\n',
    "src/user.types.ts":
      'import { z } from "zod";\nimport { name } from "./parts.ts";\nexport const user = z.object({ name });\nexport type User = z.infer<typeof user>;\n',
    "src/all.routes.ts":
      'import type { RouteContract } from "@kit/types";\nimport type { User } from "./user.types.ts";\nexport interface Routes { "GET /users": RouteContract<void, void, void, User[]>; }\n',
    "src/other.types.ts": "export interface Other { count: number }\n",
  });
  try {
    await project.kitOk("build");
    assert.equal(await runs(project), 1);
    const first = await readFile(join(project.root, ".kit/codecs.js"), "utf8");
    await project.kitOk("build", "--check");
    await write(project, "src/other.types.ts", "export interface Other { count: string }\n");
    await project.kitOk("build");
    assert.equal(await runs(project), 1, "an unrelated file changed");
    await write(project, "src/parts.ts", 'import { z } from "zod";\nexport const name = z.number();\n');
    await project.kitOk("build");
    assert.equal(await runs(project), 2, "a file that the schema imports changed");
    const second = await readFile(join(project.root, ".kit/codecs.js"), "utf8");
    assert.notEqual(first, second);
    await write(project, "yarn.lock", "# yarn lockfile v1\n");
    await project.kitOk("build");
    assert.equal(await runs(project), 3, "a list of installed packages appeared");
  } finally {
    await project.remove();
  }
});

test("a project without inferred types starts no TypeScript", async () => {
  const project = await installed({
    "src/user.types.ts": "export interface User { name: string }\n",
    "src/all.routes.ts":
      'import type { RouteContract } from "@kit/types";\nimport type { User } from "./user.types.ts";\nexport interface Routes { "GET /users": RouteContract<void, void, void, User[]>; }\n',
  });
  try {
    await project.kitOk("build");
    assert.equal(await runs(project), 0);
  } finally {
    await project.remove();
  }
});

const NEEDS_TYPESCRIPT = {
  "src/user.types.ts":
    'import { z } from "zod";\nexport const user = z.object({ name: z.string() });\nexport type User = z.infer<typeof user>;\n',
  "src/all.routes.ts":
    'import type { RouteContract } from "@kit/types";\nimport type { User } from "./user.types.ts";\nexport interface Routes { "GET /users": RouteContract<void, void, void, User[]>; }\n',
};

test("the error says that TypeScript is not installed, and what to write instead", async () => {
  const project = await installed(NEEDS_TYPESCRIPT, "none");
  try {
    const { code, stderr } = await project.kit(["build"]);
    assert.equal(code, 1);
    assert.match(stderr, /error\[KIT1322\]: kit does not infer the type of this schema of `zod`/);
    assert.match(stderr, /TypeScript could infer the type, but is not installed in the project/);
    assert.match(stderr, /npm install --save-dev typescript/);
    assert.match(stderr, /declare the type/);
  } finally {
    await project.remove();
  }
});

test("a build after a failed build does not use the declarations of an earlier TypeScript", async () => {
  const project = await installed(NEEDS_TYPESCRIPT);
  try {
    await project.kitOk("build");
    await removeTypeScript(project);
    const found = await failures(project);
    assert.deepEqual(
      found.map(({ code }) => code),
      ["KIT1322"],
    );
  } finally {
    await project.remove();
  }
});

test("the error repeats the reason if TypeScript cannot name a type in a declaration", async () => {
  const project = await installed({
    "src/user.types.ts":
      'export const user = (() => { class Hidden { private secret = 1; name = "a"; } return new Hidden(); })();\nexport type User = { owner: typeof user };\n',
    "src/all.routes.ts":
      'import type { RouteContract } from "@kit/types";\nimport type { User } from "./user.types.ts";\nexport interface Routes { "GET /users": RouteContract<void, void, void, User[]>; }\n',
  });
  try {
    const found = await failures(project);
    assert.ok(
      found.some(
        ({ code, message }) => code === "KIT1322" && /TypeScript cannot write the types/.test(message),
      ),
      JSON.stringify(found),
    );
  } finally {
    await project.remove();
  }
});

test("the value of an `@owner` can come from middleware whose type TypeScript infers", async () => {
  const project = await installed({
    "src/todos.types.ts":
      "/** @table @owner userId = ctx.userId */\nexport interface Todo {\n  /** @id @generated uuid */\n  id: string;\n  userId: string;\n}\n",
    "src/auth.ts": `
      import { defineMiddleware } from "@kit/core";
      export const requireAuth = defineMiddleware(({ headers, ctx }) => {
        const userId = headers["x-user"];
        return userId === undefined ? ctx.fail(401, "UNAUTHORIZED", "Send a user") : { userId };
      });
    `,
    "src/todos.routes.ts":
      'import type { RouteContract } from "@kit/types";\nimport type { Todo } from "./todos.types.ts";\nexport interface TodoRoutes { "GET /todos": RouteContract<void, void, void, Todo[]>; }\n',
    "src/app.ts": `
      import { createApp, defineHandlers } from "@kit/core";
      import { nativeServer } from "@kit/server-native";
      import { requireAuth } from "./auth.ts";
      import type { TodoRoutes } from "./todos.routes.ts";
      export const todoHandlers = defineHandlers<TodoRoutes>({ "GET /todos": () => [] });
      export const app = createApp({
        server: nativeServer(),
        routes: [{ prefix: "/todos", handlers: todoHandlers, middleware: [requireAuth] }],
      });
    `,
  });
  try {
    assert.deepEqual(await failures(project), []);
    assert.equal(await runs(project), 1);
    await write(
      project,
      "src/auth.ts",
      (await readFile(join(project.root, "src/auth.ts"), "utf8")).replace(": { userId }", ": { userId: 1 }"),
    );
    assert.deepEqual(
      (await failures(project)).map(({ code }) => code),
      ["KIT1319"],
    );
  } finally {
    await project.remove();
  }
});
