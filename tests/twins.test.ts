// Tests that duplicated files in two packages are equal. They are duplicated because neither package may depend on the other.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

test("both packages detect the C library of Node with the same file", async () => {
  const packages = join(import.meta.dirname, "../packages");
  const [server, compiler] = await Promise.all(
    ["server-native", "transform-native"].map((name) =>
      readFile(join(packages, name, "src/libc.ts"), "utf8"),
    ),
  );
  assert.equal(compiler, server);
});

test("the matcher and the servers on node:http normalize paths with the same file", async () => {
  const packages = join(import.meta.dirname, "../packages");
  const [matcher, server] = await Promise.all(
    ["core/src/router", "server-node/src"].map((directory) =>
      readFile(join(packages, directory, "normal-path.ts"), "utf8"),
    ),
  );
  assert.equal(server, matcher);
});
