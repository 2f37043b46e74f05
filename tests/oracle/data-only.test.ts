// Checks that a serializer writes the data of a class with methods, and that its validator requires no methods.

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, test } from "node:test";
import { Fixtures } from "./support/project.ts";

const MONEY = `
/** @dataOnly */
export class Money {
  #cents = 0;
  readonly amount: number = 0;
  readonly currency: string = "EUR";
  format(): string {
    return \`\${this.amount} \${this.currency} \${this.#cents}\`;
  }
  round?: (digits: number) => number;
}
export interface Order {
  total: Money;
  parts: Partial<Money>[];
}
`;

interface Codec {
  is: (value: unknown) => boolean;
  decode: (value: unknown) => unknown;
}

interface Serializer {
  serialize: (value: unknown) => string;
}

const fixtures = await Fixtures.of(new Map([["money.types.ts", MONEY]]));
after(() => fixtures.remove());
const answer = await fixtures.build([]);
assert.deepEqual(
  answer.diagnostics.filter(({ code }) => code !== "KIT1002"),
  [],
);
const load = async <T>(path: string): Promise<Record<string, T>> =>
  (await import(pathToFileURL(join(fixtures.root, ".kit", path)).href)) as Record<string, T>;

test("a serializer writes the data of an instance and leaves out its methods", async () => {
  class Money {
    readonly #cents = 7;
    readonly amount: number;
    readonly currency: string;
    constructor(amount: number, currency: string) {
      this.amount = amount;
      this.currency = currency;
    }
    format(): string {
      return `${this.amount} ${this.currency} ${this.#cents}`;
    }
    readonly round = (): number => this.amount;
  }
  const { OrderSerializer } = await load<Serializer>("codecs.js");
  assert.ok(OrderSerializer);
  assert.equal(
    OrderSerializer.serialize({ total: new Money(1, "EUR"), parts: [new Money(2, "USD")] }),
    '{"total":{"amount":1,"currency":"EUR"},"parts":[{"amount":2,"currency":"USD"}]}',
  );
});

test("a validator of a type with @dataOnly requires only the data", async () => {
  const { MoneyValidator } = await load<Codec>("codecs.js");
  assert.ok(MoneyValidator);
  assert.equal(MoneyValidator.is({ amount: 1, currency: "EUR" }), true);
  assert.equal(MoneyValidator.is({ amount: 1 }), false);
  assert.deepEqual(MoneyValidator.decode({ amount: 1, currency: "EUR", format: "x" }), {
    amount: 1,
    currency: "EUR",
  });
});
