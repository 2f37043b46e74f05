import assert from "node:assert/strict";
import { test } from "node:test";
import { readHeaders } from "../src/header.ts";

const itemsOf = (text: string): unknown =>
  readHeaders({ "x-list": "string[]" }, new Headers({ "x-list": text }))["x-list"];

test("splits a list at commas outside quoted strings", () => {
  assert.deepEqual(itemsOf('"a,b", W/"c",, d'), ['"a,b"', 'W/"c"', "d"]);
});

test("a quoted string without a closing quote extends to the end of the list, even if it ends with a backslash", () => {
  assert.deepEqual(itemsOf('a, "b, c'), ["a", '"b, c']);
  assert.deepEqual(itemsOf('a, "b, c\\'), ["a", '"b, c\\']);
});

test("splits a long list of unclosed strings in linear time", () => {
  const start = performance.now();
  assert.equal((itemsOf('"\\'.repeat(200_000)) as string[]).length, 1);
  assert.ok(performance.now() - start < 2000);
});
