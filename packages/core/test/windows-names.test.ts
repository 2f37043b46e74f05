// Tests of names that Windows does not take for the name of a file. `crates/kit-static/src/path.rs` tests the same names.

import assert from "node:assert/strict";
import { test } from "node:test";

import { meaningOnWindows } from "../src/files/file-path.ts";

test("names that Windows does not take for the name of a file are known", () => {
  const special = ["C:.env", "index.html::$DATA", "ENV~1", "a~b~2.txt", "a?", "*", "a|b", "<a>", '"'];
  for (const name of special) assert.match(name, meaningOnWindows);
  const plain = ["index.html", "~", "a~", "~a1", "a b'(1).txt", "ü"];
  for (const name of plain) assert.doesNotMatch(name, meaningOnWindows);
});
