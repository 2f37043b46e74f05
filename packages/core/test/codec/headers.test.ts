import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";

import {
  headerBigInt,
  headerBoolean,
  headerBytes,
  headerDate,
  headerItems,
  headerList,
  headerNumber,
  headerScalar,
  headerString,
  readCookies,
  readList,
  type Shape,
  unwritable,
} from "@kit/core/codec";

const conformance = new URL("../../../../conformance/", import.meta.url);

interface CookieCase {
  readonly name: string;
  readonly header: string | null;
  readonly cookies: Readonly<Record<string, string | null>>;
}

interface ListCase {
  readonly name: string;
  readonly lines: readonly string[];
  readonly items?: readonly string[];
  readonly count?: number;
}

async function casesOf<T>(file: string): Promise<readonly T[]> {
  return (JSON.parse(await readFile(new URL(file, conformance), "utf8")) as { cases: T[] }).cases;
}

const cookieCases = await casesOf<CookieCase>("cookies.json");
const listCases = await casesOf<ListCase>("list-headers.json");

describe("conformance vectors of cookies", () => {
  for (const { name, header, cookies } of cookieCases) {
    test(name, () => {
      const expected = Object.entries(cookies);
      const values = readCookies(
        header ?? undefined,
        expected.map(([key]) => key),
      );
      assert.deepEqual(
        values.map((value) => value ?? null),
        expected.map(([, value]) => value),
      );
    });
  }
});

describe("conformance vectors of headers that are lists", () => {
  for (const { name, lines, items, count } of listCases) {
    test(name, () => {
      const found = readList(lines.join(", "));
      if (items !== undefined) assert.deepEqual(found, items);
      else assert.equal(found.length, count);
    });
  }
});

test("cookies and lists are read in linear time", () => {
  const started = performance.now();
  assert.deepEqual(readCookies("a;".repeat(500_000), ["sid"]), [undefined]);
  assert.deepEqual(readCookies(`${" ".repeat(1_000_000)}sid=a`, ["sid"]), ["a"]);
  assert.equal(readList(" ,".repeat(500_000)).length, 0);
  assert.equal(readList('"\\'.repeat(500_000)).length, 1);
  assert.ok(performance.now() - started < 2000);
});

test("a header is written as the JSON text of its value, and a list as its items", () => {
  assert.equal(headerString("a, \té"), "a, \té");
  assert.equal(headerNumber(-0), "0");
  assert.equal(headerNumber(1.25), "1.25");
  assert.equal(headerBoolean(false), "false");
  assert.equal(headerBigInt(2n ** 64n), "18446744073709551616");
  assert.equal(headerDate(new Date(0)), "1970-01-01T00:00:00.000Z");
  assert.equal(headerBytes(new Uint8Array([1, 2])), "AQI=");
  for (const value of ["a", 1, true, 1n, new Date(0), new Uint8Array([1])])
    assert.equal(typeof headerScalar(value), "string");
  assert.equal(headerList([1, 2], headerNumber), "1, 2");
  assert.equal(headerList([], headerString), "");
  assert.deepEqual(headerItems(["a=1", "b=2"]), ["a=1", "b=2"]);
});

test("refuses a header value with a line break, a control character or a character beyond Latin-1", () => {
  for (const text of ["a\r\nset-cookie: b=c", "a\nb", "a\rb", "a\0", "a\u007f", "\u0001", "Ω", "😀"])
    assert.throws(() => headerString(text), TypeError, JSON.stringify(text));
  const others: readonly [(value: unknown) => string, unknown][] = [
    [headerString, 5],
    [headerNumber, "5"],
    [headerNumber, Number.NaN],
    [headerBoolean, "true"],
    [headerBigInt, 5],
    [headerDate, "2026-01-01"],
    [headerDate, new Date(Number.NaN)],
    [headerBytes, "AQI="],
    [headerScalar, null],
    [headerScalar, { a: 1 }],
    [(value) => headerList(value, headerString), "a"],
    [(value) => headerList(value, headerString), ["a", 1]],
  ];
  for (const [write, value] of others) assert.throws(() => write(value), TypeError);
});

test("the error of unwritable headers names the header and the character, but never the value", () => {
  const text: Shape = { kind: "string" };
  const shape: Shape = {
    kind: "object",
    properties: [
      { key: "location", shape: text },
      { key: "x-secret", shape: text, sensitive: true, optional: "always" },
      { key: "vary", shape: { kind: "array", element: text }, optional: "always" },
    ],
  };
  const message = (value: unknown): string => unwritable("Moved", shape, value, new Error("cause")).message;
  assert.equal(
    message({ location: 5 }),
    "Moved cannot be written as headers: $.location should be string, but is number 5",
  );
  assert.equal(
    message({ location: "/a", "x-secret": "hunter2\n" }),
    'Moved cannot be written as headers: $["x-secret"] has the character U+000A, which a header cannot contain',
  );
  assert.equal(
    message({ location: "/a", vary: ["accept", "Ω"] }),
    "Moved cannot be written as headers: $.vary has the character U+03A9, which a header cannot contain",
  );
  assert.match(message(undefined), /: \$ should be object, but is nothing$/);
});
