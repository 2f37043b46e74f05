// Tests how many bytes a browser downloads for the client.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { repository } from "../e2e/support/project.ts";

test("the client is smaller than 4 KB compressed and has no dependencies", async () => {
  const built = await build({
    stdin: { contents: 'export * from "@kit/client";', resolveDir: repository },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const [file] = built.outputFiles;
  const bytes = gzipSync(file!.contents, { level: 9 }).length;
  assert.ok(bytes > 1000 && bytes < 4000, `${bytes} bytes`);
  const manifest = JSON.parse(
    await readFile(join(repository, "packages/client/package.json"), "utf8"),
  ) as object;
  assert.ok(!("dependencies" in manifest) && !("peerDependencies" in manifest));
});
