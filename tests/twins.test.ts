// Tests that files which exist in two packages are equal. Neither package may depend on the other.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

test("both packages contain the same file to detect the C library of Node", async () => {
  const packages = join(import.meta.dirname, "../packages");
  const [server, compiler] = await Promise.all(
    ["server-native", "transform-native"].map((name) =>
      readFile(join(packages, name, "src/libc.ts"), "utf8"),
    ),
  );
  assert.equal(compiler, server);
});

test("the router and the servers on node:http contain the same file to normalize paths", async () => {
  const packages = join(import.meta.dirname, "../packages");
  const [matcher, server] = await Promise.all(
    ["core/src/router", "server-node/src"].map((directory) =>
      readFile(join(packages, directory, "normal-path.ts"), "utf8"),
    ),
  );
  assert.equal(server, matcher);
});
