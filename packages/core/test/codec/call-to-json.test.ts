// Tests of objects with `toJSON` in values that serializers write.

import assert from "node:assert/strict";
import { test } from "node:test";

import { callToJson } from "../../src/codec/call-to-json.ts";

class Money {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get text(): string {
    return (this.#cents / 100).toFixed(2);
  }
  toJSON(): string {
    return this.text;
  }
}

test("objects with `toJSON` are replaced at any depth, also in frozen objects and arrays", () => {
  const order = Object.freeze({
    total: new Money(1990),
    parts: Object.freeze([new Money(5), { price: new Money(10) }]),
    note: null,
  });
  const expected = { total: "19.90", parts: ["0.05", { price: "0.10" }], note: null };
  assert.deepEqual(JSON.parse(JSON.stringify(callToJson(order))), expected);
  const read = callToJson(order) as typeof order;
  assert.deepEqual(Object.keys(read), ["total", "parts", "note"]);
  assert.ok(Array.isArray(read.parts) && read.parts.length === 2);
  assert.ok("total" in read && !("other" in read) && Object.hasOwn(read, "total"));
});

test("getters read private members of their own object", () => {
  class Order {
    readonly #paid = true;
    get paid(): boolean {
      return this.#paid;
    }
  }
  assert.equal((callToJson(new Order()) as Order).paid, true);
});

test("`toJSON` gets the name of its property, and its result is read but not converted again", () => {
  const names: string[] = [];
  const inner = { toJSON: () => "never" };
  const source = {
    toJSON(key: string): object {
      names.push(key);
      return { own: 1, toJSON: inner.toJSON, list: [new Money(1)] };
    },
  };
  const { value } = callToJson({ value: source }) as { value: { own: number; list: unknown[] } };
  assert.equal(value.own, 1);
  assert.equal(value.list[0], "0.01");
  assert.deepEqual(names, ["value"]);
});

test("dates, bytes and values that are not objects stay as they are", () => {
  const [date, bytes] = [new Date(0), new Uint8Array([1])];
  for (const value of [date, bytes, null, undefined, "a", 1, 1n, true])
    assert.equal(callToJson(value), value);
  const holder = callToJson({ date, bytes }) as { date: Date; bytes: Uint8Array };
  assert.ok(holder.date === date && holder.bytes === bytes);
});
