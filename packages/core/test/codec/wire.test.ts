import assert from "node:assert/strict";
import { test } from "node:test";

import {
  decodeDate,
  isBase64,
  isBigIntText,
  isDateTime,
  isTimestamp,
  writeDate,
  writeNumber,
  writeUnknown,
} from "@kit/core/codec";

test("writeNumber writes negative zero without a sign", () => {
  assert.equal(writeNumber(-0), "0");
  assert.equal(writeUnknown({ zero: -0 }), '{"zero":0}');
});

test("numbers and dates without a JSON form are refused, not written as null", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    assert.throws(() => writeNumber(value), TypeError);
    assert.throws(() => writeUnknown(value), TypeError);
    assert.throws(() => writeUnknown({ deep: [value] }), TypeError);
  }
  const invalid = new Date(Number.NaN);
  assert.throws(() => writeDate(invalid), TypeError);
  assert.throws(() => writeUnknown({ deep: [invalid] }), TypeError);
  assert.throws(() => writeUnknown(undefined), TypeError);
  assert.equal(
    writeUnknown({ nothing: null, at: new Date(0) }),
    '{"nothing":null,"at":"1970-01-01T00:00:00.000Z"}',
  );
});

test("a bigint is refused if it arrives as a number that JavaScript may have rounded", () => {
  assert.equal(isBigIntText(9_007_199_254_740_991), true);
  assert.equal(isBigIntText(9_007_199_254_740_992), false);
  assert.equal(isBigIntText("9007199254740993"), true);
  for (const text of ["", " 1", "1 ", "+1", "0x1", "1n", "1.0", "1e3", "١"])
    assert.equal(isBigIntText(text), false);
});

test("base64 with unused bits or without padding is refused, so each value has one form", () => {
  for (const text of ["", "AA==", "AAE=", "AAEC", "+/+/"]) assert.equal(isBase64(text), true, text);
  for (const text of ["A", "AA", "AAE", "AB==", "AAF=", "-_-_", "AA= =", "AA==\n", "=AAA", "A===", "===="]) {
    assert.equal(isBase64(text), false, text);
  }
});

test("a date-time outside of the years 0 to 9999 in UTC is valid as a string, but not as a Date", () => {
  for (const text of ["0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"]) {
    assert.equal(isDateTime(text), true);
    assert.equal(isTimestamp(text), false);
    assert.throws(() => writeDate(decodeDate(text)), TypeError);
  }
});
