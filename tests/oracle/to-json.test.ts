// Checks that a serializer writes the results of `toJSON`, and that validators know only these results.

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, test } from "node:test";
import { Fixtures } from "./support/project.ts";

const ORDERS = `
export class Decimal {
  readonly #cents: number = 0;
  plus(other: Decimal): Decimal {
    return other;
  }
  toJSON(): string {
    return String(this.#cents / 100);
  }
}
export interface Span {
  toJSON: (key: string) => { from: Date; hours: Decimal };
}
export interface Order {
  /** @maxLength 5 */
  total: Decimal;
  discount: Decimal | null;
  best: Decimal | { note: string };
  parts: { price: Decimal; span?: Span }[];
  byName: Record<string, Decimal>;
}
export interface Plain {
  total: string;
}
`;

interface Codec {
  is: (value: unknown) => boolean;
}

interface Serializer {
  serialize: (value: unknown) => string;
  failures: (value: unknown) => readonly { path: string }[];
}

class Decimal {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  toJSON(): string {
    return (this.#cents / 100).toFixed(2);
  }
}

const fixtures = await Fixtures.of(new Map([["orders.types.ts", ORDERS]]));
after(() => fixtures.remove());
const answer = await fixtures.build([]);
assert.deepEqual(
  answer.diagnostics.filter(({ code }) => code !== "KIT1002"),
  [],
);
const load = async <T>(name: string): Promise<T> => {
  const module = (await import(pathToFileURL(join(fixtures.root, ".kit/codecs.js")).href)) as Record<
    string,
    T
  >;
  const found = module[name];
  assert.ok(found, `codecs.js has no ${name}`);
  return found;
};

const order = {
  total: new Decimal(1990),
  discount: new Decimal(5),
  best: new Decimal(7),
  parts: [
    { price: new Decimal(10), span: { toJSON: () => ({ from: new Date(0), hours: new Decimal(150) }) } },
    { price: new Decimal(20) },
  ],
  byName: { tea: new Decimal(300) },
};
const written = {
  total: "19.90",
  discount: "0.05",
  best: "0.07",
  parts: [{ price: "0.10", span: { from: "1970-01-01T00:00:00.000Z", hours: "1.50" } }, { price: "0.20" }],
  byName: { tea: "3.00" },
};

test("a serializer writes the results of `toJSON`, in unions, lists and records too", async () => {
  const { serialize } = await load<Serializer>("OrderSerializer");
  assert.deepEqual(JSON.parse(serialize(order)), written);
  const other = { ...order, discount: null, best: { note: "none" } };
  assert.deepEqual(JSON.parse(serialize(other)), { ...written, discount: null, best: { note: "none" } });
});

test("a serializer reports a result of `toJSON` that breaks a rule or has another type", async () => {
  const { serialize, failures } = await load<Serializer>("OrderSerializer");
  assert.deepEqual(failures(order), []);
  const long = { ...order, total: new Decimal(123_456_789) };
  assert.deepEqual(
    failures(long).map(({ path }) => path),
    ["$.total"],
  );
  const wrong = { ...order, parts: [{ price: { toJSON: () => 1 } }] };
  assert.throws(() => serialize(wrong), /\$\.parts\[0\]\.price should be string, but is number 1/);
});

test("a validator of a type with `toJSON` takes the result", async () => {
  const { is } = await load<Codec>("OrderValidator");
  assert.equal(is(written), true);
  assert.equal(is({ ...written, total: 19.9 }), false);
  assert.equal((await load<Codec>("DecimalValidator")).is("1.50"), true);
});

test("the serializer of a type without `toJSON` does not call the method `toJSON` of a value", async () => {
  const { serialize } = await load<Serializer>("PlainSerializer");
  assert.throws(() => serialize({ total: new Decimal(1) }), /\$\.total should be string/);
});
