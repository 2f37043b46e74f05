/** JSON Schemas that are equivalent to the types in bench.types.ts, for peers that need schemas. */

type Schema = Readonly<Record<string, unknown>>;

function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: "object", properties, required };
}

const string = { type: "string" };
const number = { type: "number" };
const boolean = { type: "boolean" };
const strings = { type: "array", items: string };

const line = object({
  sku: { type: "string", minLength: 1, maxLength: 40 },
  quantity: { type: "integer", minimum: 1, maximum: 1000 },
  price: { type: "number", minimum: 0 },
  comment: { type: ["string", "null"] },
  options: object({ size: { enum: ["S", "M", "L"] }, gift: boolean }),
});

function event(kind: string, properties: Readonly<Record<string, Schema>>): Schema {
  return object({ kind: { const: kind }, at: number, ...properties });
}

/** Schema of events. It has a `discriminator`, with which ajv chooses a branch of the union by the property `kind`. */
const events = {
  type: "object",
  discriminator: { propertyName: "kind" },
  required: ["kind"],
  oneOf: [
    event("opened", { by: string }),
    event("moved", { x: number, y: number }),
    event("renamed", { from: string, to: string }),
    event("tagged", { tags: strings }),
    event("closed", { reason: { type: ["string", "null"] } }),
  ],
};

/** Schemas of the measured types, by name. */
export const schemas: Readonly<Record<string, Schema>> = {
  Profile: object(
    {
      id: { type: "integer", minimum: 1 },
      name: { type: "string", minLength: 1, maxLength: 100 },
      active: boolean,
      score: number,
      role: { enum: ["admin", "editor", "reader"] },
      note: { type: "string", maxLength: 500 },
    },
    ["note"],
  ),
  Order: object({
    customer: { type: "string", maxLength: 100 },
    address: object({ street: string, city: string, zip: string }),
    lines: { type: "array", items: line, minItems: 1 },
    tags: strings,
  }),
  Log: object({ events: { type: "array", items: events } }),
  Payments: object({
    payments: {
      type: "array",
      items: {
        anyOf: [
          object({ cardNumber: string, expires: string, cvc: string }),
          object({ iban: string, holder: string }),
          object({ voucher: string }),
        ],
      },
    },
  }),
  Contact: object({
    id: { type: "string", format: "uuid" },
    email: { type: "string", format: "email" },
    joined: { type: "string", format: "date-time" },
    address: { type: "string", format: "ipv4" },
  }),
  Articles: object({
    data: {
      type: "array",
      items: object({
        id: string,
        title: string,
        views: number,
        draft: boolean,
        createdAt: { type: "string", format: "date-time" },
        updatedAt: { type: "string", format: "date-time" },
      }),
    },
    total: number,
  }),
  Message: object({ from: string, subject: string, body: string }),
};
