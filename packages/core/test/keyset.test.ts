// Tests of the cursors of `defineKeyset`. Pages of rows are tested on PostgreSQL, in tests/database/keyset.test.ts.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";

import { defineKeyset, type KeysetOptions, textSql } from "@kit/core/keyset";
import { AppError } from "@kit/errors";
import type { Cursor, CursorQuery } from "@kit/types";

const KEYS: readonly [string, string] = [
  "first key with 32 characters or more!",
  "other key with 32 characters or more!",
];
const ID = "0b6ad1d4-51c4-4d5e-8bd5-bd3a5e1e3f10";
const TIME = "2026-01-31T12:00:00.123456Z";

const OPTIONS: KeysetOptions = {
  list: "notes",
  order: "desc",
  columns: { created_at: "timestamptz", id: "uuid" },
};

interface Query extends CursorQuery {
  author?: string | undefined;
  since?: Date;
}

/** Returns the cursor of the page after a row with this key. */
function nextOf(options: KeysetOptions, query: Query = {}, key: readonly unknown[] = [TIME, ID]): string {
  const page = defineKeyset(options).page({ ...query, limit: 1 });
  const other = key.map((value, index) => (index === key.length - 1 ? `${ID.slice(0, -1)}f` : value));
  const { next } = page.of([key, other].map((values) => ({ cursorKey: JSON.stringify(values) })));
  assert.ok(next);
  return next;
}

/** Returns the SQL of the page with a cursor, and its parameters. */
function conditionOf(options: KeysetOptions, query: Query): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  return { text: defineKeyset(options).page(query).where(textSql(values)), values };
}

function assertInvalid(options: KeysetOptions, query: Query): void {
  assert.throws(
    () => defineKeyset(options).page(query),
    (error) => AppError.isAppError(error) && error.code === "INVALID_CURSOR" && error.status === 400,
    query.cursor,
  );
}

/** Returns the cursor with other parts. */
function changed(cursor: string, change: (parts: unknown[]) => unknown): string {
  const parts = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
  return Buffer.from(JSON.stringify(change(parts))).toString("base64url");
}

it("accepts rows of the type `any`, as `pg` returns them", () => {
  const rows: ReturnType<typeof JSON.parse>[] = JSON.parse(
    `[{ "id": "${ID}", "cursorKey": ${JSON.stringify(JSON.stringify([TIME, ID]))} }]`,
  );
  const page: Cursor<{ id: string }> = defineKeyset(OPTIONS).page({}).of(rows);
  assert.deepEqual(page, { data: [{ id: ID }] });
  const typed = [{ id: 7, cursorKey: JSON.stringify([TIME, ID]) }];
  // @ts-expect-error the id is a number
  const wrong: Cursor<{ id: string }> = defineKeyset(OPTIONS).page({}).of(typed);
  assert.equal(wrong.data.length, 1);
});

describe("a cursor", () => {
  it("becomes a condition with one parameter for each column", () => {
    const cursor = nextOf(OPTIONS);
    assert.deepEqual(conditionOf(OPTIONS, { cursor }), {
      text: '("created_at", "id") < ($1::timestamptz, $2::uuid)',
      values: [TIME, ID],
    });
    assert.deepEqual(
      conditionOf({ ...OPTIONS, order: "asc" }, { cursor: nextOf({ ...OPTIONS, order: "asc" }) }),
      {
        text: '("created_at", "id") > ($1::timestamptz, $2::uuid)',
        values: [TIME, ID],
      },
    );
    assert.deepEqual(conditionOf(OPTIONS, {}), { text: "TRUE", values: [] });
  });

  it("is the same text for the same list, filters and row", () => {
    assert.equal(
      nextOf(OPTIONS, { author: "ada", since: new Date(0) }),
      nextOf({ ...OPTIONS }, { since: new Date(0), author: "ada" }),
    );
    assert.equal(nextOf(OPTIONS, { author: undefined }), nextOf(OPTIONS));
  });

  it("is refused by a list with another name, order, column or type", () => {
    const cursor = nextOf(OPTIONS);
    for (const other of [
      { ...OPTIONS, list: "tasks" },
      { ...OPTIONS, order: "asc" as const },
      { ...OPTIONS, columns: { updated_at: "timestamptz", id: "uuid" } as const },
      { ...OPTIONS, columns: { id: "uuid", created_at: "timestamptz" } as const },
      { ...OPTIONS, columns: { created_at: "timestamptz", id: "text" } as const },
    ]) {
      assertInvalid(other, { cursor });
    }
  });

  it("is refused with other filters, and accepted with another limit", () => {
    const cursor = nextOf(OPTIONS, { author: "ada" });
    assertInvalid(OPTIONS, { cursor });
    assertInvalid(OPTIONS, { cursor, author: "bob" });
    assertInvalid(OPTIONS, { cursor, author: "ada", since: new Date(0) });
    assert.equal(defineKeyset(OPTIONS).page({ cursor, author: "ada", limit: 7 }).limit, 8);
  });

  it("is refused if its text is not one that the server makes", () => {
    const cursor = nextOf(OPTIONS);
    for (const text of [
      "",
      "x",
      "!",
      `${cursor}=`,
      ` ${cursor}`,
      `${cursor}.`,
      `${cursor}.AAAA`,
      cursor.slice(0, -1),
      cursor.slice(1),
      Buffer.from("[1]").toString("base64url"),
      Buffer.from("null").toString("base64url"),
      Buffer.from("{}").toString("base64url"),
      Buffer.from([0xff, 0xfe]).toString("base64url"),
      Buffer.from("[".repeat(500)).toString("base64url"),
      "A".repeat(5000),
      changed(cursor, (parts) => parts.slice(0, 3)),
      changed(cursor, (parts) => [...parts, "x"]),
      changed(cursor, ([list, , ...key]) => [list, "x", ...key]),
      changed(cursor, ([list, side]) => [list, side, null, ID]),
    ]) {
      assertInvalid(OPTIONS, { cursor: text });
    }
  });

  for (const [type, invalid] of [
    ["bigint", ["9223372036854775808", "-9223372036854775809", "1.0", "", "01", "-0", "1e3", "0x1", " 1"]],
    ["integer", ["2147483648", "-2147483649", "x"]],
    ["uuid", ["", ID.toUpperCase(), `{${ID}}`, ID.replaceAll("-", "")]],
    ["date", ["2026-02-29", "0000-01-01", "now", "infinity", "2026-01-31T00:00:00Z"]],
    [
      "timestamptz",
      [
        "2026-01-31T12:00:00.123Z",
        "2026-01-31T12:00:60.000000Z",
        "2026-02-30T12:00:00.000000Z",
        "0000-01-01T00:00:00.000000Z",
        "2026-01-31T12:00:00.123456",
        "now",
        "epoch",
      ],
    ],
    ["timestamp", [TIME, "2026-01-31T24:00:00.000000"]],
    ["numeric", ["NaN", "1e3", "1.", ".5", "01", "+1", "", " 1"]],
    ["double precision", ["NaN", "Infinity", "1e999", "1e-400", "", "x", "1_0"]],
    ["text", ["a\0b", "\ud800"]],
    ["citext", ["a\0b", "\ud800"]],
  ] as const) {
    it(`is refused if a client put a text in it that PostgreSQL cannot convert to ${type}`, () => {
      const options: KeysetOptions = { list: "l", order: "asc", columns: { a: type, id: "uuid" } };
      const valid = {
        bigint: "-7",
        integer: "7",
        date: "2026-01-31",
        timestamptz: TIME,
        timestamp: TIME.slice(0, -1),
      };
      const value = (valid as Readonly<Record<string, string>>)[type] ?? (type === "uuid" ? ID : "1.5");
      const cursor = nextOf(options, {}, [value, ID]);
      assert.deepEqual(conditionOf(options, { cursor }).values, [value, ID]);
      for (const text of invalid) {
        assertInvalid(options, { cursor: changed(cursor, ([list, side]) => [list, side, text, ID]) });
      }
    });
  }

  it("of a keyset with keys is refused if another key or no key made its signature", () => {
    const signed = { ...OPTIONS, keys: [KEYS[0]] };
    const cursor = nextOf(signed);
    assert.deepEqual(conditionOf(signed, { cursor }).values, [TIME, ID]);
    const [payload = "", signature = ""] = cursor.split(".");
    assertInvalid(OPTIONS, { cursor });
    assertInvalid(signed, { cursor: nextOf(OPTIONS) });
    assertInvalid(signed, { cursor: nextOf({ ...OPTIONS, keys: [KEYS[1]] }) });
    assertInvalid(signed, { cursor: `${payload}.` });
    assertInvalid(signed, { cursor: `${payload}.${signature.slice(0, -1)}` });
    assertInvalid(signed, { cursor: `${payload}.${signature.toLowerCase()}` });
    assertInvalid(signed, {
      cursor: `${changed(payload, ([list, , ...key]) => [list, "p", ...key])}.${signature}`,
    });
    for (let at = 0; at < cursor.length; at += 1) {
      assertInvalid(signed, {
        cursor: cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1),
      });
    }
  });

  it("remains valid if a new key is added at the front", () => {
    const cursor = nextOf({ ...OPTIONS, keys: [KEYS[0]] });
    const both = { ...OPTIONS, keys: [KEYS[1], KEYS[0]] };
    assert.deepEqual(conditionOf(both, { cursor }).values, [TIME, ID]);
    assert.notEqual(nextOf(both), cursor);
  });

  it("is an error of the server if it would be longer than 1024 characters", () => {
    const options: KeysetOptions = { list: "l", order: "asc", columns: { title: "text", id: "uuid" } };
    assert.throws(
      () => nextOf(options, {}, ["x".repeat(2000), ID]),
      /a cursor of the list l has \d+ characters/,
    );
  });
});

interface Vector extends KeysetOptions {
  readonly name: string;
  readonly filters: object;
  readonly secret?: string;
  /** Keys of two rows. */
  readonly rows: readonly (readonly string[])[];
  /** Cursor of the page after the first row. */
  readonly next: string;
  /** Cursor of the page before the second row. */
  readonly previous: string;
}

describe("cursors of both runtimes", async () => {
  const file = new URL("../../../conformance/cursors.json", import.meta.url);
  const vectors = JSON.parse(await readFile(file, "utf8")) as readonly Vector[];
  for (const { name, list, order, columns, filters, secret, rows: keys, next, previous } of vectors) {
    it(`are equal: ${name}`, () => {
      const keyset = defineKeyset({
        list,
        order,
        columns,
        ...(secret === undefined ? {} : { keys: [secret] }),
      });
      const rows = keys.map((key) => ({ cursorKey: JSON.stringify(key) }));
      const first = keyset.page({ ...filters, limit: 1 }).of(rows);
      assert.deepEqual(first, { data: [{}], next });
      assert.deepEqual(keyset.page({ ...filters, limit: 1, cursor: next }).of(rows.slice(1)), {
        data: [{}],
        previous,
      });
    });
  }
});

it("defineKeyset() reads keys from KIT_CURSOR_KEYS, and refuses short keys without showing them", () => {
  try {
    process.env["KIT_CURSOR_KEYS"] = KEYS.join(", ");
    assert.equal(nextOf(OPTIONS), nextOf({ ...OPTIONS, keys: KEYS }));
    process.env["KIT_CURSOR_KEYS"] = "secret";
    assert.throws(
      () => defineKeyset(OPTIONS),
      /^TypeError: KIT_CURSOR_KEYS: (?!.*secret).*at least 32 characters/,
    );
  } finally {
    delete process.env["KIT_CURSOR_KEYS"];
  }
});

describe("defineKeyset() throws", () => {
  for (const [what, options, message] of [
    ["if the list has no name", { ...OPTIONS, list: "" }, /`list` must be a name/],
    ["if the order is unknown", { ...OPTIONS, order: "up" }, /`order` must be "asc" or "desc"/],
    ["if there is no column", { ...OPTIONS, columns: {} }, /at least one column/],
    ["if a type is unknown", { ...OPTIONS, columns: { id: "json" } }, /the column id has the type json/],
    [
      "if a type is the name of a method",
      { ...OPTIONS, columns: { id: "toString" } },
      /has the type toString/,
    ],
    [
      "if a name is an expression",
      { ...OPTIONS, columns: { 'a"; --': "uuid" } },
      /is not the name of a column/,
    ],
    ["if there is no key", { ...OPTIONS, keys: [] }, /at least one key/],
    ["if a key is short, without the key", { ...OPTIONS, keys: ["secret"] }, /^(?!.*secret).*at least 32/],
  ] as const) {
    it(what, () => {
      assert.throws(() => defineKeyset(options as KeysetOptions), { name: "TypeError", message });
    });
  }
});

describe("a page throws", () => {
  for (const limit of [0, -1, 1.5, Number.NaN, 10_001]) {
    it(`if its limit is ${limit}`, () => {
      assert.throws(() => defineKeyset(OPTIONS).page({ limit }), RangeError);
    });
  }

  it("if the query returned more rows than the limit", () => {
    const rows = [0, 1, 2].map((n) => ({ cursorKey: JSON.stringify([TIME, ID.replace("0b", `0${n}`)]) }));
    assert.throws(() => defineKeyset(OPTIONS).page({ limit: 1 }).of(rows), /returned 3 rows; add the limit/);
  });

  it("if a row has no key", () => {
    const rows = [{ cursorKey: undefined as unknown as string }];
    assert.throws(() => defineKeyset(OPTIONS).page({}).of(rows), /no property `cursorKey`/);
  });
});
