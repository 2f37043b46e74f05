// Tests the search for tests that statements name.

import assert from "node:assert/strict";
import { test } from "node:test";
import { requireTest, titlesOfNode, titlesOfRust } from "./reference.ts";

test("titlesOfNode returns the titles of tests with the titles of the suites around them", () => {
  const source = `
import { describe, it, test } from "node:test";
test("alone", () => {});
for (const name of ["a"]) {
  describe(\`on \${name}\`, { concurrency: 2 }, () => {
    it("within", async (t) => {
      await t.test("deeper", () => {});
    });
  });
}
`;
  assert.deepEqual(titlesOfNode(source, "a.test.ts"), [
    "alone",
    "on ${name} > within",
    "on ${name} > within > deeper",
  ]);
});

test("titlesOfNode ignores titles in comments and strings, and skipped tests", () => {
  const source = `
// test("in a comment", () => {});
const text = 'test("in a text", () => {});';
test.skip("skipped", () => {});
test("skipped by an option", { skip: true }, () => {});
describe.skip("suite", () => test("in a suite that is skipped", () => {}));
test.todo("not written");
save("no test", () => {});
`;
  assert.deepEqual(titlesOfNode(source, "a.test.ts"), []);
});

test("titlesOfRust returns only functions that have a test attribute", () => {
  const source = `
#[test]
fn plain() {}
#[tokio::test(flavor = "multi_thread")]
async fn asynchronous() {}
// #[test] fn in_a_comment() {}
#[allow(dead_code)]
fn helper() {}
fn without_attributes() {}
`;
  assert.deepEqual(titlesOfRust(source), ["plain", "asynchronous"]);
});

test("requireTest throws an error for a missing test, and the error names the file and its tests", async () => {
  const file = "tests/specification/reference.test.ts";
  await requireTest({ file, test: "titlesOfRust returns only functions that have a test attribute" });
  await assert.rejects(
    requireTest({ file, test: "functions of Rust" }),
    /reference\.test\.ts has no test "functions of Rust"/,
  );
  await assert.rejects(
    requireTest({ file: "tests/specification/gone.test.ts", test: "a" }),
    /there is no file/,
  );
  await assert.rejects(
    requireTest({ file: "bench/router/run.ts", test: "a" }),
    /`cargo xtask test` runs no such file/,
  );
});
