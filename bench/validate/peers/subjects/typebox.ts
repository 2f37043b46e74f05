/**
 * Peer: TypeBox with its compiler. `decode` deletes undeclared properties from the value and then checks it, as TypeBox's guide recommends.
 */
import { Type } from "typebox";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

import type { Subject } from "../../subject.ts";
import { consume } from "../../sink.ts";

const Profile = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  active: Type.Boolean(),
  score: Type.Number(),
  role: Type.Enum(["admin", "editor", "reader"]),
  note: Type.Optional(Type.String({ maxLength: 500 })),
});

const nullableString = Type.Union([Type.String(), Type.Null()]);

const Line = Type.Object({
  sku: Type.String({ minLength: 1, maxLength: 40 }),
  quantity: Type.Integer({ minimum: 1, maximum: 1000 }),
  price: Type.Number({ minimum: 0 }),
  comment: nullableString,
  options: Type.Object({ size: Type.Enum(["S", "M", "L"]), gift: Type.Boolean() }),
});

const Order = Type.Object({
  customer: Type.String({ maxLength: 100 }),
  address: Type.Object({ street: Type.String(), city: Type.String(), zip: Type.String() }),
  lines: Type.Array(Line, { minItems: 1 }),
  tags: Type.Array(Type.String()),
});

const at = Type.Number();
const Event = Type.Union([
  Type.Object({ kind: Type.Literal("opened"), at, by: Type.String() }),
  Type.Object({ kind: Type.Literal("moved"), at, x: Type.Number(), y: Type.Number() }),
  Type.Object({ kind: Type.Literal("renamed"), at, from: Type.String(), to: Type.String() }),
  Type.Object({ kind: Type.Literal("tagged"), at, tags: Type.Array(Type.String()) }),
  Type.Object({ kind: Type.Literal("closed"), at, reason: nullableString }),
]);

const Payment = Type.Union([
  Type.Object({ cardNumber: Type.String(), expires: Type.String(), cvc: Type.String() }),
  Type.Object({ iban: Type.String(), holder: Type.String() }),
  Type.Object({ voucher: Type.String() }),
]);

const Contact = Type.Object({
  id: Type.String({ format: "uuid" }),
  email: Type.String({ format: "email" }),
  joined: Type.String({ format: "date-time" }),
  address: Type.String({ format: "ipv4" }),
});

const date = Type.Codec(Type.String({ format: "date-time" }))
  .Decode((text) => new Date(text))
  .Encode((value) => value.toISOString());

const Articles = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      title: Type.String(),
      views: Type.Number(),
      draft: Type.Boolean(),
      createdAt: date,
      updatedAt: date,
    }),
  ),
  total: Type.Number(),
});

function check(schema: TSchema): (value: unknown) => boolean {
  const compiled = Compile(schema);
  return (value) => compiled.Check(value);
}

function explain(schema: TSchema): (value: unknown) => number {
  const compiled = Compile(schema);
  return (value) => {
    if (compiled.Check(value)) return 0;
    const errors = compiled.Errors(value);
    for (const { instancePath, message } of errors) {
      consume(instancePath);
      consume(message);
    }
    return errors.length;
  };
}

function decode(schema: TSchema): (value: unknown) => unknown {
  const compiled = Compile(schema);
  return (value) => {
    const cleaned = compiled.Clean(value);
    return compiled.Check(cleaned) ? cleaned : undefined;
  };
}

const dates = Compile(Articles);

/** Subject TypeBox. */
export const subject: Subject = {
  check: {
    Profile: check(Profile),
    Order: check(Order),
    Log: check(Type.Object({ events: Type.Array(Event) })),
    Payments: check(Type.Object({ payments: Type.Array(Payment) })),
    Contact: check(Contact),
  },
  explain: { Profile: explain(Profile), Order: explain(Order) },
  decode: { Profile: decode(Profile), Order: decode(Order), Articles: (value) => dates.Decode(value) },
};
