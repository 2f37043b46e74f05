/** Peer: zod 4, which compiles schemas of objects with `new Function` if that is allowed. `decode` always creates a new value. */
import * as z from "zod";

import type { Subject } from "../../subject.ts";
import { consume } from "../../sink.ts";

const Profile = z.object({
  id: z.int().min(1),
  name: z.string().min(1).max(100),
  active: z.boolean(),
  score: z.number(),
  role: z.enum(["admin", "editor", "reader"]),
  note: z.string().max(500).optional(),
});

const Line = z.object({
  sku: z.string().min(1).max(40),
  quantity: z.int().min(1).max(1000),
  price: z.number().min(0),
  comment: z.string().nullable(),
  options: z.object({ size: z.enum(["S", "M", "L"]), gift: z.boolean() }),
});

const Order = z.object({
  customer: z.string().max(100),
  address: z.object({ street: z.string(), city: z.string(), zip: z.string() }),
  lines: z.array(Line).min(1),
  tags: z.array(z.string()),
});

const at = z.number();
const Event = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("opened"), at, by: z.string() }),
  z.object({ kind: z.literal("moved"), at, x: z.number(), y: z.number() }),
  z.object({ kind: z.literal("renamed"), at, from: z.string(), to: z.string() }),
  z.object({ kind: z.literal("tagged"), at, tags: z.array(z.string()) }),
  z.object({ kind: z.literal("closed"), at, reason: z.string().nullable() }),
]);

const Payment = z.union([
  z.object({ cardNumber: z.string(), expires: z.string(), cvc: z.string() }),
  z.object({ iban: z.string(), holder: z.string() }),
  z.object({ voucher: z.string() }),
]);

const Contact = z.object({
  id: z.uuid(),
  email: z.email(),
  joined: z.iso.datetime({ offset: true }),
  address: z.ipv4(),
});

const date = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const Articles = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      views: z.number(),
      draft: z.boolean(),
      createdAt: date,
      updatedAt: date,
    }),
  ),
  total: z.number(),
});

const check =
  (schema: z.ZodType) =>
  (value: unknown): boolean =>
    schema.safeParse(value).success;

const explain =
  (schema: z.ZodType) =>
  (value: unknown): number => {
    const result = schema.safeParse(value);
    if (result.success) return 0;
    for (const { path, message } of result.error.issues) {
      consume(path.join("."));
      consume(message);
    }
    return result.error.issues.length;
  };

const decode =
  (schema: z.ZodType) =>
  (value: unknown): unknown =>
    schema.safeParse(value).data;

/** Subject zod. */
export const subject: Subject = {
  check: {
    Profile: check(Profile),
    Order: check(Order),
    Log: check(z.object({ events: z.array(Event) })),
    Payments: check(z.object({ payments: z.array(Payment) })),
    Contact: check(Contact),
  },
  explain: { Profile: explain(Profile), Order: explain(Order) },
  decode: { Profile: decode(Profile), Order: decode(Order), Articles: decode(Articles) },
};
