import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { normalPath, normalTarget } from "../../src/router/normal-path.ts";

/** Paths with their expected normal forms. `crates/kit-guard/tests/paths.rs` tests the same paths. */
const { paths } = JSON.parse(
  readFileSync(new URL("../../../../conformance/paths.json", import.meta.url), "utf8"),
) as { readonly paths: readonly (readonly [path: string, normal: string | null])[] };

test("normalPath returns the expected result for every vector, and does not change this result again", () => {
  assert.ok(paths.length > 35);
  for (const [path, normal] of paths) {
    assert.equal(normalPath(path), normal, path);
    if (normal !== null) assert.equal(normalPath(normal), normal, `${path} twice`);
  }
});

test("every byte has one spelling in the normal form, or two spellings that mean different paths", () => {
  for (let byte = 0; byte < 128; byte++) {
    const raw = String.fromCharCode(byte);
    const digits = byte.toString(16).padStart(2, "0");
    const normal = normalPath(`/%${digits.toUpperCase()}`);
    assert.equal(normalPath(`/%${digits}`), normal, raw);
    if (raw === "%") continue;
    assert.equal(normalPath(`/${raw}`) === normal, !"/!$&'()+,;=@[]".includes(raw), JSON.stringify(raw));
  }
});

test("normalPath returns null for an unpaired surrogate", () => {
  for (const path of ["/\uD800", "/a\uDC2Fb%61"]) assert.equal(normalPath(path), null);
});

test("normalTarget does not change the query", () => {
  assert.equal(normalTarget("/%61?%61=%2f?%61"), "/a?%61=%2f?%61");
  assert.equal(normalTarget("/%6?%61"), "/%6?%61");
  assert.equal(normalTarget("/a?%61"), "/a?%61");
  assert.equal(normalTarget("*"), "*");
});
