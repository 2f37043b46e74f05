import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { explain } from "../../src/codec/explain.ts";
import { UnionMatcher, MemberSelector } from "../../src/codec/match.ts";
import type { Shape, UnionShape } from "../../src/codec/shape.ts";

const text: Shape = { kind: "string" };
const number: Shape = { kind: "number" };

function object(properties: Readonly<Record<string, Shape>>): Shape {
  return {
    kind: "object",
    properties: Object.entries(properties).map(([name, shape]) => {
      const key = name.replace("?", "");
      return key === name ? { key, shape } : { key, shape, optional: "always" };
    }),
  };
}

function union(...members: Shape[]): UnionShape {
  return { kind: "union", members };
}

/** Shape of `{ next: Maze } | { next: Maze; left?: number } | { next: Maze; right?: number } | number`. */
const maze: UnionShape = { kind: "union", members: [] };
const Maze: Shape = { kind: "reference", recursive: true, to: () => maze };
Object.assign(maze, {
  members: [
    object({ next: Maze }),
    object({ next: Maze, "left?": number }),
    object({ next: Maze, "right?": number }),
    number,
  ],
});

function nested(levels: number, inner: unknown): unknown {
  let value = inner;
  for (let level = 0; level < levels; level++) value = { next: value };
  return value;
}

function steps(levels: number, inner: unknown): number {
  const matcher = new UnionMatcher("wire");
  matcher.fit(maze, nested(levels, inner), -1);
  return matcher.steps;
}

describe("the time for matching a value with a recursive union", () => {
  for (const [what, inner] of [
    ["that fits", 1],
    ["that is wrong at the bottom", "wrong"],
  ] as const) {
    test(`is linear in the depth of the value ${what}`, () => {
      // Each level is compared with the union and its three object members once. The scalar at the innermost level is
      // not cached, so it is compared once for each member above it.
      assert.equal(steps(200, inner), 200 * 4 + 3 * 4);
      assert.equal(steps(100, inner), 100 * 4 + 3 * 4);
    });
  }

  test("is linear in the number of items, even if each item is matched several times", () => {
    const list: UnionShape = union({ kind: "array", element: Maze }, { kind: "array", element: number });
    const value = Array.from({ length: 1000 }, () => nested(10, 1));
    const matcher = new UnionMatcher("wire");
    matcher.fit(list, value, -1);
    const once = matcher.steps;
    for (const item of value) matcher.fit(maze, item, -1);
    assert.equal(matcher.steps, once);
    assert.equal(once, 1000 * (10 * 4 + 3 * 4) + 3);
  });

  test("is limited while a failure is explained", () => {
    const start = performance.now();
    const failures = explain(Maze, nested(250, "wrong"), "wire");
    assert.ok(failures.length > 0);
    // Without the cache, this takes 3^250 steps.
    assert.ok(performance.now() - start < 5000);
  });
});

describe("the union member of a value", () => {
  test("is the member that keeps the most keys, whatever the order of the members", () => {
    const [narrow, wide] = [object({ a: text }), object({ a: text, "b?": number })];
    assert.equal(new MemberSelector("wire").memberIndex(union(narrow, wide), { a: "x", b: 1 }), 1);
    assert.equal(new MemberSelector("wire").memberIndex(union(wide, narrow), { a: "x", b: 1 }), 0);
    assert.equal(new MemberSelector("wire").memberIndex(union(narrow, wide), { a: "x" }), 0);
    assert.equal(new MemberSelector("wire").memberIndex(union(narrow, wide), { b: 1 }), -1);
  });

  test("is chosen by the number of keys at all depths, not only at the top", () => {
    const flat = object({ a: object({ x: text }), "b?": number });
    const deep = object({ a: object({ x: text, y: text, z: text }) });
    assert.equal(
      new MemberSelector("wire").memberIndex(union(flat, deep), { a: { x: "", y: "", z: "" }, b: 1 }),
      1,
    );
  });

  test("is the member with the more specific scalar types if several members keep the same number of keys", () => {
    const [texts, dates] = [object({ at: text }), object({ at: { kind: "date" } })];
    assert.equal(
      new MemberSelector("wire").memberIndex(union(texts, dates), { at: "2026-01-01T00:00:00Z" }),
      1,
    );
    assert.equal(new MemberSelector("wire").memberIndex(union(texts, dates), { at: "tomorrow" }), 0);
    assert.equal(new MemberSelector("value").memberIndex(union(texts, dates), { at: new Date() }), 1);
  });

  test("is chosen for a handler's value that breaks a rule, but not for a value with another literal", () => {
    const short = object({ name: { kind: "string", maxLength: 3 } });
    const tagged = object({ kind: { kind: "literal", value: "a" } });
    assert.equal(new MemberSelector("value").memberIndex(union(short, tagged), { name: "too long" }), 0);
    assert.equal(new MemberSelector("wire").memberIndex(union(short, tagged), { name: "too long" }), -1);
    assert.equal(new MemberSelector("value").memberIndex(union(short, tagged), { kind: "b" }), -1);
  });

  test("is not chosen for a value that contains itself", () => {
    const cycle: { next?: unknown } = {};
    cycle.next = cycle;
    assert.equal(new MemberSelector("value").memberIndex(maze, cycle), -1);
  });
});
