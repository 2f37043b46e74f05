// Files that stand in two packages, since neither may need the other and nothing else is there for both.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

test("which C library Node has is found out in one way", async () => {
  const packages = join(import.meta.dirname, "../packages");
  const [server, compiler] = await Promise.all(
    ["server-native", "transform-native"].map((name) =>
      readFile(join(packages, name, "src/libc.ts"), "utf8"),
    ),
  );
  assert.equal(compiler, server);
});

test("the normal form of paths is the same in the matcher and in servers on node:http", async () => {
  const packages = join(import.meta.dirname, "../packages");
  const [matcher, server] = await Promise.all(
    ["core/src/router", "server-node/src"].map((directory) =>
      readFile(join(packages, directory, "normal-path.ts"), "utf8"),
    ),
  );
  assert.equal(server, matcher);
});
