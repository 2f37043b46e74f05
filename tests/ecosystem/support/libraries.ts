// Constants whose types only TypeScript can infer, from nine libraries.

import type { Contract } from "./contract.ts";

/** A library, with constants and the types that it infers from them. */
export interface Library extends Contract {
  readonly name: string;
  /** True if kit cannot read the rules of the library's schemas, and warns of this. */
  readonly onlyShape: boolean;
}

export const libraries: readonly Library[] = [
  {
    name: "zod",
    onlyShape: false,
    source: `import { z } from "zod";
export const zodUser = z.object({
  id: z.number(),
  name: z.string(),
  tags: z.array(z.string()),
  role: z.enum(["admin", "member"]),
  address: z.object({ city: z.string(), zip: z.string().optional() }).nullable(),
  extra: z.record(z.string(), z.boolean()).optional(),
});
export const zodEvent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({ kind: z.literal("image"), width: z.number(), size: z.tuple([z.number(), z.string()]) }),
]);`,
    types: { ZodUser: "z.infer<typeof zodUser>", ZodEvent: "z.infer<typeof zodEvent>" },
  },
  {
    name: "valibot",
    onlyShape: false,
    source: `import * as v from "valibot";
export const valibotUser = v.object({
  id: v.number(),
  name: v.optional(v.string()),
  tags: v.array(v.union([v.string(), v.boolean()])),
  role: v.picklist(["admin", "member"]),
});
export const valibotEvent = v.variant("kind", [
  v.object({ kind: v.literal("text"), text: v.nullable(v.string()) }),
  v.object({ kind: v.literal("image"), width: v.number() }),
]);`,
    types: {
      ValibotUser: "v.InferOutput<typeof valibotUser>",
      ValibotEvent: "v.InferOutput<typeof valibotEvent>",
    },
  },
  {
    name: "arktype",
    onlyShape: false,
    source: `import { type } from "arktype";
export const arkUser = type({ id: "number", "name?": "string", tags: "string[]", role: "'admin' | 'member'" });
export const arkPair = type({ left: { value: "number | null" }, "right?": { value: "boolean" } });`,
    types: { ArkUser: "typeof arkUser.infer", ArkPair: "typeof arkPair.infer" },
  },
  {
    name: "@sinclair/typebox",
    onlyShape: false,
    source: `import { Type, type Static } from "@sinclair/typebox";
export const typeboxUser = Type.Object({
  id: Type.Number(),
  name: Type.Optional(Type.String()),
  tags: Type.Array(Type.String()),
  role: Type.Union([Type.Literal("admin"), Type.Literal("member")]),
});
export const typeboxTree = Type.Object({ value: Type.Union([Type.String(), Type.Null()]), parts: Type.Array(Type.Object({ size: Type.Number() })) });`,
    types: { TypeboxUser: "Static<typeof typeboxUser>", TypeboxTree: "Static<typeof typeboxTree>" },
  },
  {
    name: "drizzle-orm",
    onlyShape: false,
    source: `import { boolean, integer, jsonb, pgEnum, pgTable, text, timestamp } from "drizzle-orm/pg-core";
export const role = pgEnum("role", ["admin", "member"]);
export const users = pgTable("users", {
  id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
  name: text("name").notNull(),
  role: role("role").notNull().default("member"),
  tags: text("tags").array().notNull(),
  data: jsonb("data").$type<{ theme: string }>(),
  active: boolean("active"),
  createdAt: timestamp("created_at").notNull().defaultNow(),
});`,
    types: { DrizzleRow: "typeof users.$inferSelect", DrizzleNew: "typeof users.$inferInsert" },
  },
  {
    name: "effect",
    onlyShape: true,
    source: `import { Schema } from "effect";
export const effectUser = Schema.Struct({
  id: Schema.Number,
  name: Schema.optional(Schema.String),
  tags: Schema.Array(Schema.String),
  role: Schema.Literals(["admin", "member"]),
});
export const effectEvent = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("image"), width: Schema.NullOr(Schema.Number) }),
]);`,
    types: { EffectUser: "typeof effectUser.Type", EffectEvent: "Schema.Schema.Type<typeof effectEvent>" },
  },
  {
    name: "io-ts",
    onlyShape: true,
    source: `import * as t from "io-ts";
export const ioUser = t.intersection([
  t.type({ id: t.number, tags: t.array(t.string), role: t.union([t.literal("admin"), t.literal("member")]) }),
  t.partial({ name: t.string }),
]);
export const ioEvent = t.union([
  t.type({ kind: t.literal("text"), text: t.string }),
  t.type({ kind: t.literal("image"), width: t.union([t.number, t.null]) }),
]);`,
    types: { IoUser: "t.TypeOf<typeof ioUser>", IoEvent: "typeof ioEvent._A" },
  },
  {
    name: "yup",
    onlyShape: true,
    source: `import * as yup from "yup";
export const yupUser = yup.object({
  id: yup.number().required(),
  name: yup.string(),
  tags: yup.array(yup.string().required()).required(),
  role: yup.mixed<"admin" | "member">().oneOf(["admin", "member"]).required(),
});
export const yupAddress = yup.object({ city: yup.string().nullable().required(), active: yup.boolean().default(true) });`,
    types: { YupUser: "yup.InferType<typeof yupUser>", YupAddress: "yup.InferType<typeof yupAddress>" },
  },
  {
    name: "superstruct",
    onlyShape: true,
    source: `import { array, enums, literal, nullable, number, object, optional, string, union, type Infer } from "superstruct";
export const structUser = object({ id: number(), name: optional(string()), tags: array(string()), role: enums(["admin", "member"]) });
export const structEvent = union([
  object({ kind: literal("text"), text: string() }),
  object({ kind: literal("image"), width: nullable(number()) }),
]);`,
    types: { StructUser: "Infer<typeof structUser>", StructEvent: "Infer<typeof structEvent>" },
  },
];
