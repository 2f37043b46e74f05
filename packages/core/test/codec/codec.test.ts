import assert from "node:assert/strict";
import { inspect } from "node:util";
import { describe, test } from "node:test";

import {
  bigintWithin,
  codePointsWithin,
  coerceBoolean,
  coerceEach,
  coerceLiteral,
  coerceNumber,
  decodeBytes,
  decodeDate,
  decodeUnknown,
  encodeBytes,
  explain,
  hasUniqueItems,
  isBase64,
  isBigIntText,
  isDateTime,
  isMultipleOf,
  ownProperty,
  readQuery,
  readWholeQuery,
  type Shape,
  writeDate,
  writeNumber,
  writeString,
  writeUnknown,
} from "@kit/core/codec";

function counted(text: string, count: number): void {
  assert.ok(codePointsWithin(text, count, count), `${text} has ${count}`);
  assert.ok(!codePointsWithin(text, count + 1, Number.POSITIVE_INFINITY));
  if (count > 0) assert.ok(!codePointsWithin(text, 0, count - 1));
}

test("minLength and maxLength count Unicode code points", () => {
  counted("", 0);
  counted("abc", 3);
  counted("😀", 1);
  counted("a😀b😀", 4);
  counted("\ud800", 1);
  counted("\udc00\ud800", 2);
  counted("\ud800\ud83d\ude00", 2);
  counted("e\u0301", 2);
});

describe("functions for numbers", () => {
  test("isMultipleOf is exact for decimal fractions", () => {
    const yes: readonly (readonly [number | bigint, number])[] = [
      [0.3, 0.1],
      [19.99, 0.01],
      [1e21, 0.01],
      [0, 5],
      [-15, 5],
      [1.5e-7, 5e-8],
      [10n, 5],
      [10n, 0.5],
      [9_007_199_254_740_993n, 3],
    ];
    for (const [value, divisor] of yes) assert.ok(isMultipleOf(value, divisor), `${value} / ${divisor}`);
    for (const [value, divisor] of [
      [0.35, 0.1],
      [7, 5],
      [1e-7, 1],
      [11n, 5],
    ] as const)
      assert.ok(!isMultipleOf(value, divisor));
  });

  test("isBigIntText accepts strings of digits and safe integers only", () => {
    for (const value of ["0", "-12", "007", 5, -9_007_199_254_740_991])
      assert.ok(isBigIntText(value), String(value));
    for (const value of ["", "-", "1.0", " 1", "0x1", "1n", 1.5, 2 ** 53, true, null, "1".repeat(1001)])
      assert.ok(!isBigIntText(value));
    assert.ok(bigintWithin("10", 10, Number.POSITIVE_INFINITY));
    assert.ok(!bigintWithin("9", 10, Number.POSITIVE_INFINITY));
  });

  test("writeNumber writes JSON and refuses NaN and the infinities", () => {
    assert.equal(writeNumber(-0), "0");
    assert.equal(writeNumber(1e21), "1e+21");
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "1", 1n, undefined])
      assert.throws(() => writeNumber(value), TypeError);
  });
});

test("isBase64 accepts canonical base64 only", () => {
  for (const text of ["", "AA==", "AAE=", "AAEC", "+/+/"]) {
    assert.ok(isBase64(text), text);
    assert.equal(encodeBytes(decodeBytes(text)), text);
  }
  for (const text of [
    "A",
    "AA",
    "AAE",
    "A===",
    "====",
    "AB==",
    "AAF=",
    "-_-_",
    "AA E",
    "AA==AA==",
    "AA=A",
    5,
  ])
    assert.ok(!isBase64(text));
  const bytes = decodeBytes("AAEC");
  assert.equal(bytes.constructor, Uint8Array);
  assert.equal(bytes.buffer.byteLength, 3, "not a window into a shared pool");
});

describe("dates", () => {
  test("of every RFC 3339 form are accepted and decoded", () => {
    const forms: Readonly<Record<string, string>> = {
      "2026-01-31T12:00:00Z": "2026-01-31T12:00:00.000Z",
      "2026-01-31t12:00:00.5z": "2026-01-31T12:00:00.500Z",
      "2026-01-31T12:00:00.123456789+05:30": "2026-01-31T06:30:00.123Z",
      "2016-12-31T23:59:60Z": "2017-01-01T00:00:00.000Z",
      "2016-12-31T23:59:60.25Z": "2017-01-01T00:00:00.250Z",
      "0001-01-01T00:00:00Z": "0001-01-01T00:00:00.000Z",
    };
    for (const [text, expected] of Object.entries(forms)) {
      assert.ok(isDateTime(text));
      assert.equal(decodeDate(text).toISOString(), expected);
    }
  });

  test("are encoded exactly as toISOString encodes them", () => {
    const first = Date.parse("0000-01-01T00:00:00Z");
    const last = Date.parse("9999-12-31T23:59:59.999Z");
    const step = (last - first) / 200_003;
    for (let time = first; time <= last; time += step) {
      const date = new Date(Math.floor(time));
      assert.equal(writeDate(date), `"${date.toISOString()}"`);
    }
    assert.equal(writeDate(new Date(last)), '"9999-12-31T23:59:59.999Z"');
    for (const value of [
      new Date(Number.NaN),
      new Date(last + 1),
      new Date(first - 1),
      "2026-01-01",
      0,
      null,
    ]) {
      assert.throws(() => writeDate(value), TypeError);
    }
  });
});

test("writeString writes strings as JSON.stringify does", () => {
  const texts = [
    "",
    "plain",
    '"',
    "\\",
    "\n",
    "\u0000",
    "\u001f",
    "\u007f",
    "ä😀",
    "\ud800",
    "\udc00x",
    "\u2028",
  ];
  for (const text of [...texts, ...texts.map((short) => short + "x".repeat(60))]) {
    assert.equal(writeString(text), JSON.stringify(text));
  }
  for (const value of [5, null, undefined, {}, Object("text")])
    assert.throws(() => writeString(value), TypeError);
});

test("writeUnknown writes or refuses every value, and never drops one silently", () => {
  assert.equal(writeUnknown({ a: [1, undefined] }), '{"a":[1,null]}');
  const cycle: unknown[] = [];
  cycle.push(cycle);
  for (const value of [undefined, () => 1, 1n, cycle]) assert.throws(() => writeUnknown(value), TypeError);
});

test("decodeUnknown removes `__proto__` keys at any depth", () => {
  const deep = JSON.parse(`${"[".repeat(9000)}{"__proto__":{"x":1},"a":1}${"]".repeat(9000)}`) as unknown;
  let inner = decodeUnknown(deep);
  while (Array.isArray(inner)) inner = inner[0];
  assert.deepEqual(Object.keys(inner as object), ["a"]);
});

test("the paths of all failures of a value are limited in total length", () => {
  const list: Shape = { kind: "array", element: { kind: "null" } };
  const shape: Shape = {
    kind: "object",
    properties: [],
    index: [{ keys: "string", shape: list }],
  };
  const failures = explain(shape, { ["k".repeat(100_000)]: Array.from({ length: 200 }, () => 1) }, "wire");
  const listed = failures.length - 1;
  assert.equal(failures[listed]?.expected, `no more than ${listed} failures`);
  // The Rust runtime has a test with the same number.
  assert.equal(listed, 78);
  assert.equal(failures[77]?.path, `$["${"k".repeat(200)}…"][77]`);
});

test("ownProperty returns undefined for inherited properties", () => {
  assert.equal(ownProperty({}, "constructor"), undefined);
  assert.equal(ownProperty({ constructor: 1 }, "constructor"), 1);
  assert.equal(ownProperty(JSON.parse('{"__proto__":1}') as object, "__proto__"), 1);
});

test("hasUniqueItems compares items as JSON values", () => {
  const a = [
    [],
    [1, "1", true, null, "null"],
    [{ a: 1 }, { a: 2 }],
    [[1], ["1"]],
    ["{}", {}],
    [new Date(0), new Date(1)],
  ];
  const b = [
    [1, 1],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [[{}], [{}]],
    ["x", "x"],
    [1n, 1n],
    [new Date(0), new Date(0)],
  ];
  for (const items of a) assert.ok(hasUniqueItems(items), JSON.stringify(items));
  for (const items of b) assert.ok(!hasUniqueItems(items));
  const deep = JSON.parse(`${"[".repeat(9000)}${"]".repeat(9000)}`) as unknown;
  assert.ok(!hasUniqueItems([deep, 1]));
});

describe("strings of paths and queries", () => {
  test("are coerced to numbers if they are decimal numbers", () => {
    const numbers: Readonly<Record<string, number>> = {
      "0": 0,
      "-1": -1,
      "1.50": 1.5,
      "007": 7,
      "1e3": 1000,
      "2E-2": 0.02,
    };
    for (const [text, number] of Object.entries(numbers)) assert.equal(coerceNumber(text), number);
    for (const text of [
      "",
      " ",
      "1 ",
      "+1",
      "0x10",
      "1_000",
      ".5",
      "5.",
      "1e",
      "NaN",
      "Infinity",
      "1e999",
      "١",
    ])
      assert.equal(coerceNumber(text), text);
    assert.deepEqual(coerceNumber(["1", "2"]), ["1", "2"]);
  });

  test("are coerced to booleans or literals if they represent such a value", () => {
    assert.deepEqual(["true", "1", "false", "0", "TRUE", "yes", ""].map(coerceBoolean), [
      true,
      true,
      false,
      false,
      "TRUE",
      "yes",
      "",
    ]);
    assert.equal(coerceLiteral("2", [1, 2]), 2);
    assert.equal(coerceLiteral("3", [1, 2]), "3");
    assert.equal(coerceLiteral("true", [true]), true);
    assert.equal(coerceLiteral("false", [true]), "false");
    assert.deepEqual(coerceEach("1", coerceNumber), [1]);
    assert.deepEqual(coerceEach(["1", "x"], coerceNumber), [1, "x"]);
  });
});

function read(query: string): unknown[] {
  return readQuery(query, ["a", "b c", "__proto__"]);
}

describe("query strings", () => {
  test("are read in the order of the declared keys", () => {
    assert.deepEqual(read(""), [undefined, undefined, undefined]);
    assert.deepEqual(read("a=1&b+c=2&b%20c=3&x=4"), ["1", ["2", "3"], undefined]);
    assert.deepEqual(read("a"), ["", undefined, undefined]);
    assert.deepEqual(read("a=b=c"), ["b=c", undefined, undefined]);
    assert.deepEqual(read("&&a=1&&"), ["1", undefined, undefined]);
    assert.deepEqual(read("=1&a="), ["", undefined, undefined]);
    assert.deepEqual(read("__proto__=x"), [undefined, undefined, "x"]);
  });

  test("are percent-decoded, and left unchanged if an escape is invalid", () => {
    assert.equal(read("a=%F0%9F%98%80+%2B")[0], "😀 +");
    for (const raw of ["%", "%zz", "%ff", "%c3", "a+%"]) assert.equal(read(`a=${raw}`)[0], raw);
  });

  test("are read with all keys for types with an index signature", () => {
    const whole = readWholeQuery("a=1&a=2&__proto__=x&b");
    assert.deepEqual(
      [...whole],
      [
        ["a", ["1", "2"]],
        ["__proto__", "x"],
        ["b", ""],
      ],
    );
  });
});

function one(shape: Shape, value: unknown): unknown {
  const [failure] = explain(shape, value, "wire");
  return failure === undefined ? undefined : [failure.expected, failure.received, failure.suggestion];
}

describe("validation failures", () => {
  test("contain the expected type, the received value, and advice", () => {
    const title: Shape = { kind: "string", minLength: 1, maxLength: 5 };
    assert.deepEqual(one(title, ""), [
      "string, 1 to 5 characters",
      "string of 0 characters",
      "make it at least 1 character longer",
    ]);
    assert.deepEqual(one(title, "1234567"), [
      "string, 1 to 5 characters",
      "string of 7 characters",
      "make it at least 2 characters shorter",
    ]);
    assert.deepEqual(one(title, 42), ["string, 1 to 5 characters", "number 42", "write it in quotes"]);
    const page: Shape = { kind: "number", integer: true, minimum: 1, maximum: 100 };
    assert.deepEqual(one(page, 0), ["integer, 1 to 100", "number 0", "use 1 or more"]);
    assert.deepEqual(one(page, 1.5), ["integer, 1 to 100", "number 1.5", "use an integer"]);
    assert.deepEqual(one(page, "5"), [
      "integer, 1 to 100",
      "string of 1 character",
      "write it without quotes",
    ]);
    assert.deepEqual(one({ kind: "string", format: "email", maxLength: 9 }, "x"), [
      "string in email format, at most 9 characters",
      "string of 1 character",
      'write it like "name@example.com"',
    ]);
    const status: Shape = {
      kind: "union",
      members: ["active", "deleted"].map((value) => ({ kind: "literal", value })),
    };
    assert.deepEqual(one(status, "Activ"), [
      '"active" or "deleted"',
      "string of 5 characters",
      'did you mean "active"?',
    ]);
    assert.deepEqual(one({ kind: "union", members: [{ kind: "string" }, { kind: "null" }] }, []), [
      "string or null",
      "array of 0 items",
      undefined,
    ]);
    assert.deepEqual(one({ kind: "array", element: title, minItems: 2, uniqueItems: true }, ["a"]), [
      "array, at least 2 items, no two of them equal",
      "array of 1 item",
      undefined,
    ]);
  });

  test("suggest a similar key of the value for a missing property", () => {
    const shape: Shape = { kind: "object", properties: [{ key: "authorId", shape: { kind: "string" } }] };
    const failures = explain(shape, { authorid: "x" }, "wire");
    assert.deepEqual(JSON.parse(JSON.stringify(failures)), [
      {
        path: "$.authorId",
        expected: "string",
        received: "nothing",
        value: null,
        rule: "required",
        suggestion: 'add "authorId"; the object has a similar key "authorid"',
      },
    ]);
  });

  test("are complete in JSON and in console output, although their strings are created lazily", () => {
    const [failure] = explain({ kind: "number", minimum: 3 }, "1", "wire");
    const json =
      '{"path":"$","expected":"number, at least 3","received":"string of 1 character","value":"1",' +
      '"rule":"type","limit":"number","suggestion":"write it without quotes"}';
    assert.equal(JSON.stringify(failure), json);
    assert.equal(inspect(failure), inspect(JSON.parse(json)));
  });

  test("do not change if the value changes later, and contain no sensitive value", () => {
    const items = [1];
    const shape: Shape = {
      kind: "object",
      properties: [
        { key: "text", shape: { kind: "string" } },
        { key: "secret", shape: { kind: "number" }, sensitive: true },
      ],
    };
    const failures = explain(shape, { text: items, secret: "hunter" }, "wire");
    items.push(2);
    assert.deepEqual(
      failures.map(({ received, value }) => [received, value]),
      [
        ["array of 1 item", [1]],
        ["string", "[redacted]"],
      ],
    );
    assert.doesNotMatch(inspect(failures, { showHidden: true }), /hunter/);
  });

  test("are the same if generated code or the explainer finds them", () => {
    const properties = [
      { key: "odd key", shape: { kind: "string" } },
      { key: "list", shape: { kind: "array", element: { kind: "number" } } },
      { key: "secret", shape: { kind: "number" }, sensitive: true },
    ] as const;
    const walked: Shape = { kind: "object", properties };
    const generated: Shape = {
      ...walked,
      explain: (value, explainer) => {
        if (typeof value["odd key"] !== "string") explainer.refuse(0, value["odd key"]);
        explainer.visit(1, value["list"]);
        if (typeof value["secret"] !== "number") explainer.refuse(2, value["secret"]);
      },
    };
    const values = [{}, { "odd key": 1, list: ["x", 1, null], secret: "s" }, { Odd_key: 1, list: 5 }, []];
    for (const value of [...values, ...values.map((part) => ({ in: part }))]) {
      for (const limit of [undefined, 1, 2]) {
        for (const inside of [false, true]) {
          const results: string[] = [generated, walked].map((shape: Shape): string =>
            JSON.stringify(
              explain(
                inside ? { kind: "array", element: shape } : shape,
                inside ? [value] : value,
                "wire",
                limit,
              ),
            ),
          );
          assert.equal(results[0], results[1]);
        }
      }
    }
  });

  test("are limited in number and total size", () => {
    const shape: Shape = { kind: "array", element: { kind: "number" } };
    const texts = Array.from({ length: 5000 }, () => "x".repeat(5000));
    const found = explain(shape, texts, "wire");
    assert.equal(found.length, 101);
    assert.deepEqual(
      [found[99]?.path, found[100]?.path, found[100]?.received],
      ["$[99]", "$", "more than are listed"],
    );
    assert.equal(explain(shape, texts.slice(0, 100), "wire").length, 100);
    assert.equal(explain(shape, texts, "wire", 3).length, 3);
    assert.ok(JSON.stringify(explain(shape, texts, "wire")).length < 40_000);
    const wide = Object.fromEntries(
      texts.map((text, index) => [`${index}${text}`, { a: { b: { c: { d: text } } } }]),
    );
    assert.ok(JSON.stringify(explain(shape, wide, "wire")).length < 10_000);
  });

  test("can be written as JSON for any value of a handler", () => {
    const shape: Shape = { kind: "string" };
    for (const value of [1n, Number.NaN, Symbol("s"), () => 1, new Date(Number.NaN), new Uint8Array(9)]) {
      assert.equal(typeof JSON.stringify(explain(shape, value, "value")), "string");
    }
  });
});
