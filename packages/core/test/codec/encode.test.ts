import assert from "node:assert/strict";
import { test } from "node:test";

import { stringContent, writeDate, writeNumber, writeString } from "@kit/core/codec";

function randomness(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("encodeNumber writes numbers exactly as JavaScript does", () => {
  const random = randomness(1);
  const edges = [
    0,
    1,
    0.1,
    0.001,
    0.0005,
    1e-7,
    0.3,
    1.005,
    999_999_999.999,
    1e9,
    1e9 + 0.5,
    2 ** 31,
    2 ** 53,
    1e21,
  ];
  const bits = new BigUint64Array(1);
  const doubles = new Float64Array(bits.buffer);
  for (let index = 0; index < 200_000; index++) {
    edges.push(random(2 ** 31) / 1000, random(1e6) / 100, random(2 ** 31) / 1024, (random(1000) * 3) / 10);
    bits[0] = (BigInt(random(2 ** 32)) << 32n) | BigInt(random(2 ** 32));
    if (Number.isFinite(doubles[0])) edges.push(doubles[0] as number);
    // The neighbours of a decimal number could be mistaken for it.
    doubles[0] = random(1e6) / 1000;
    bits[0] = (bits[0] as bigint) + 1n;
    edges.push(doubles[0]);
  }
  for (const number of edges) {
    assert.equal(writeNumber(number), JSON.stringify(number));
    assert.equal(writeNumber(-number), JSON.stringify(-number));
  }
});

test("encodeDate writes dates exactly as toISOString does", () => {
  const random = randomness(2);
  const first = Date.UTC(2000, 0, 1) - 2000 * 366 * 86_400_000;
  const times = [0, -1, 1, -62_167_219_200_000, 253_402_300_799_999];
  for (let year = 0; year < 10_000; year++) {
    const date = new Date(0);
    date.setUTCFullYear(year, 1, 28);
    times.push(date.getTime(), date.getTime() + 86_400_000, date.getTime() + 2 * 86_400_000 - 1);
  }
  for (let index = 0; index < 100_000; index++) times.push(first + random(2 ** 31) * 86_400 + random(1e9));
  for (const time of times) {
    const date = new Date(time);
    const year = date.getUTCFullYear();
    if (year >= 0 && year <= 9999) assert.equal(writeDate(date), `"${date.toISOString()}"`);
  }
});

test("writeDate formats a date again after another date was formatted", () => {
  const [first, second] = [new Date(0), new Date("2026-11-28T10:11:12.013Z")];
  for (const date of [first, second, second, first, new Date(-1), first])
    assert.equal(writeDate(date), `"${date.toISOString()}"`);
});

test("writeString escapes strings of any length exactly as JSON.stringify does", () => {
  const specials = [
    "",
    '"',
    "\\",
    "\n",
    "\u0000",
    "\u001f",
    "\u007f",
    "\u2028",
    "é",
    "😀",
    "\ud800",
    "\udfff",
  ];
  for (const special of specials) {
    for (const length of [0, 1, 9, 10, 11, 79, 80, 81, 500]) {
      for (const text of [special + "x".repeat(length), "x".repeat(length) + special]) {
        assert.equal(writeString(text), JSON.stringify(text));
        assert.equal(`"${stringContent(text)}"`, JSON.stringify(text));
      }
    }
  }
});
