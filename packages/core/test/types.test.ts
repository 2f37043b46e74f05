import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";

/**
 * This repository's own check of types has the strictest options. Users' projects have others, under which conditional and
 * mapped types come out differently.
 */
it("the types hold under the options that users have", (test) => {
  const directory = mkdtempSync(join(tmpdir(), "kit-types-"));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  const root = join(import.meta.dirname, "..", "..", "..");
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  for (const more of [{}, { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }]) {
    const project = {
      compilerOptions: {
        target: "es2024",
        module: "nodenext",
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        types: ["node"],
        typeRoots: [join(root, "node_modules", "@types")],
        ...more,
      },
      files: [join(import.meta.dirname, "types.test-d.ts")],
    };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(project));
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", directory], { encoding: "utf8" });
    assert.equal(status, 0, stdout);
  }
});
