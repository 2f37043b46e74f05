// Tests how many bytes a browser downloads for the client.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { repository } from "../e2e/support/project.ts";

/** Returns the number of bytes of a module for browsers, compressed. */
async function sizeOf(contents: string): Promise<number> {
  const built = await build({
    stdin: { contents, resolveDir: repository },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const [file] = built.outputFiles;
  return gzipSync(file!.contents, { level: 9 }).length;
}

test("the client is smaller than 5.1 KB compressed and has no dependencies", async () => {
  const bytes = await sizeOf('export * from "@kit/client";');
  assert.ok(bytes > 1000 && bytes < 5100, `${bytes} bytes`);
  const manifest = JSON.parse(
    await readFile(join(repository, "packages/client/package.json"), "utf8"),
  ) as object;
  assert.ok(!("dependencies" in manifest) && !("peerDependencies" in manifest));
});

test("bodies that are not JSON add less than 2.5 KB to the client", async () => {
  const base = 'export * from "@kit/client";';
  const added = (await sizeOf(`${base} export * from "@kit/client/bodies";`)) - (await sizeOf(base));
  assert.ok(added > 100 && added < 2500, `${added} bytes`);
});

test("the changelog and the pages name the same size of the client", async () => {
  const texts = await Promise.all(
    ["CHANGELOG.md", "docs/guide/client.md", "packages/client/README.md"].map((path) =>
      readFile(join(repository, path), "utf8"),
    ),
  );
  const sizes = texts.map((text) => /(\d\.\d KB) (?:when )?compressed/.exec(text)?.[1]);
  assert.deepEqual(sizes, Array<string>(texts.length).fill(sizes.at(-1) ?? "no size"));
});
