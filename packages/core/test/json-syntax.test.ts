import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { findJsonError, lineAndColumn } from "../src/request/json-syntax.ts";

describe("findJsonError", () => {
  const cases: [text: string, offset: number, expected: RegExp][] = [
    ["", 0, /a value/],
    ["  ", 2, /a value/],
    ["nope", 0, /a value/],
    ["{", 1, /property name .* or `}`/],
    ['{"a"', 4, /`:`/],
    ['{"a":}', 5, /a value/],
    ['{"a":1,}', 7, /property name/],
    ["{a:1}", 1, /property name/],
    ["[1,]", 3, /a value/],
    ["[1 2]", 3, /`,`/],
    ["[1}", 2, /`,`/],
    ["01", 1, /end of the text/],
    ["1.", 1, /end of the text/],
    ["-", 0, /a value/],
    ['"a\nb"', 2, /character of a string/],
    [String.raw`"\x"`, 1, /escape/],
    [String.raw`"\u12g4"`, 1, /escape/],
    ['"open', 5, /closing double quote/],
    ["{} {}", 3, /end of the text/],
    ["\uFEFF{}", 0, /a value/],
    ["'a'", 0, /a value/],
    ["NaN", 0, /a value/],
  ];

  it("returns the offset and the expected token of the first syntax error", () => {
    for (const [text, offset, expected] of cases) {
      const found = findJsonError(text);
      assert.equal(found.offset, offset, JSON.stringify(text));
      assert.match(found.expected, expected, JSON.stringify(text));
    }
  });

  it("finds an error in every mutated document that JSON.parse refuses", () => {
    const document = String.raw`{"a":[1,-2.5e+3,true,null,"x\"\u00e9"],"b":{"c":{}},"d":[[],{}]}`;
    for (let index = 0; index <= document.length; index += 1) {
      for (const character of ["", "}", '"', ",", "x", "\\"]) {
        const text = document.slice(0, index) + character + document.slice(index + 1);
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (isJson) continue;
        const { offset, expected } = findJsonError(text);
        assert.notEqual(expected, "JSON", `the scanner took ${text}`);
        // The text before the offset is valid JSON so far, and may include text after the damage.
        assert.ok(offset >= 0 && offset <= text.length);
        if (character === "x") assert.ok(offset >= Math.min(index, text.length) - 6, text);
      }
    }
  });

  it("takes linear time and does not overflow the stack for deep or long documents", () => {
    assert.equal(findJsonError("[".repeat(1_000_000)).offset, 1_000_000);
    assert.equal(findJsonError(`"${"a".repeat(1_000_000)}`).offset, 1_000_001);
    assert.equal(findJsonError(`${" ".repeat(1_000_000)}x`).offset, 1_000_000);
    assert.equal(findJsonError(`${"1".repeat(1_000_000)}x`).offset, 1_000_000);
    assert.equal(findJsonError(`"${String.raw`\n`.repeat(500_000)}`).offset, 1_000_001);
  });

  it("returns an offset, from which lineAndColumn counts lines and columns from 1", () => {
    assert.deepEqual(lineAndColumn("ab\ncd", 0), { line: 1, column: 1 });
    assert.deepEqual(lineAndColumn("ab\ncd", 2), { line: 1, column: 3 });
    assert.deepEqual(lineAndColumn("ab\ncd", 4), { line: 2, column: 2 });
  });
});
