import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode, type Codec } from "../src/codec.ts";

const now = new Date("2026-01-31T12:00:00.000Z");
const text = "2026-01-31T12:00:00.000Z";

const cases: { what: string; codec: Codec; wire: unknown; value: unknown; types?: Record<string, Codec> }[] =
  [
    { what: "a date", codec: "$date", wire: text, value: now },
    { what: "null in its place", codec: "$date", wire: null, value: null },
    {
      what: "a bigint beyond what a number holds",
      codec: "$bigint",
      wire: "-9007199254740993",
      value: -9007199254740993n,
    },
    { what: "bytes", codec: "$bytes", wire: "AP9h", value: Uint8Array.of(0, 255, 97) },
    { what: "no bytes", codec: "$bytes", wire: "", value: Uint8Array.of() },
    { what: "a text that reads as a date", codec: "$date?", wire: text, value: now },
    { what: "a text that does not", codec: "$date?", wire: "2026", value: "2026" },
    { what: "a text that reads as a bigint", codec: "$bigint?", wire: "12", value: 12n },
    { what: "a text that is no bigint", codec: "$bigint?", wire: "12a", value: "12a" },
    { what: "a text that reads as bytes", codec: "$bytes?", wire: "YQ==", value: Uint8Array.of(97) },
    { what: "a text that is no bytes", codec: "$bytes?", wire: "YQ=", value: "YQ=" },
    {
      what: "properties that are there",
      codec: { at: "$date", gone: "$date" },
      wire: { at: text, other: text },
      value: { at: now, other: text },
    },
    { what: "items", codec: ["each", { at: "$date" }], wire: [{ at: text }, {}], value: [{ at: now }, {}] },
    {
      what: "items by their place and the rest",
      codec: ["tuple", [null, "$date"], "$bigint"],
      wire: [text, text, "1", "2"],
      value: [text, now, 1n, 2n],
    },
    {
      what: "a tuple without a rest",
      codec: ["tuple", ["$date"], null],
      wire: [text, text],
      value: [now, text],
    },
    {
      what: "undeclared properties",
      codec: ["rest", { at: "$date" }, "$bigint"],
      wire: { at: text, a: "1", constructor: "2" },
      value: { at: now, a: 1n, constructor: 2n },
    },
    {
      what: "the member that a property tells",
      codec: ["by", "kind", { dated: { at: "$date" } }],
      wire: { kind: "dated", at: text },
      value: { kind: "dated", at: now },
    },
    {
      what: "a member that several literals select",
      codec: ["by", "kind", { created: "Event.1", changed: "Event.1" }],
      types: { "Event.1": { at: "$date" } },
      wire: { kind: "changed", at: text },
      value: { kind: "changed", at: now },
    },
    {
      what: "a member for which there is nothing to do",
      codec: ["by", "kind", { dated: { at: "$date" } }],
      wire: { kind: "constructor", at: text },
      value: { kind: "constructor", at: text },
    },
    {
      what: "a value of any of several kinds",
      codec: ["all", "$date", ["each", "$date"], { at: "$date" }],
      wire: [text],
      value: [now],
    },
    {
      what: "a type that holds itself",
      codec: "Node",
      types: { Node: { at: "$date", children: ["each", "Node"] } },
      wire: { at: text, children: [{ at: text, children: [] }] },
      value: { at: now, children: [{ at: now, children: [] }] },
    },
    {
      what: "another shape than was declared, as it is",
      codec: { at: ["each", "$date"] },
      wire: { at: text },
      value: { at: text },
    },
  ];

for (const { what, codec, wire, value, types = {} } of cases) {
  test(`decode reads ${what}`, () => {
    const input: unknown = structuredClone(wire);
    assert.deepEqual(decode(codec, input, types), value);
  });
}

test("decode ignores a declared property that the object only inherits", () => {
  const result = decode({ toString: "$date" }, { a: 1 }, {}) as Record<string, unknown>;
  assert.deepEqual(Object.keys(result), ["a"]);
});

test("encode converts dates, bigints and bytes at any depth to strings", () => {
  const body = { at: now, list: [1n, Uint8Array.of(0, 255, 97)], left: undefined, none: null };
  assert.equal(encode(body), `{"at":"${text}","list":["1","AP9h"],"none":null}`);
});
