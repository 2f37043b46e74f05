import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";

const root = join(import.meta.dirname, "..", "..", "..");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const compilerOptions = {
  target: "es2024",
  module: "nodenext",
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: ["node"],
  typeRoots: [join(root, "node_modules", "@types")],
};

/** Runs `tsc` on a project and returns its output. */
function check(directory: string, project: object): { status: number | null; stdout: string } {
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(project));
  return spawnSync(process.execPath, [tsc, "-p", directory, "--pretty", "false"], { encoding: "utf8" });
}

/**
 * The type check of this repository uses the strictest options. Projects of users have other options, under which
 * conditional and mapped types may give other results.
 */
it("the types are correct under the compiler options of users", (test) => {
  const directory = mkdtempSync(join(tmpdir(), "kit-types-"));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const more of [{}, { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }]) {
    const files = ["types.test-d.ts", "contract.test-d.ts"].map((file) => join(import.meta.dirname, file));
    const { status, stdout } = check(directory, { compilerOptions: { ...compilerOptions, ...more }, files });
    assert.equal(status, 0, stdout);
  }
});

it("tsc names an unknown option of createApp and suggests the correct one", (test) => {
  const directory = mkdtempSync(join(import.meta.dirname, "names-"));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(
    join(directory, "app.ts"),
    `import { createApp, defineMiddleware } from "@kit/core";
import type { ServerAdapter } from "@kit/types";
declare const server: ServerAdapter;
createApp({ server, routes: [], helth: true });
defineMiddleware(({ ctx }) => ctx.send("no"));
`,
  );
  const { stdout } = check(directory, { compilerOptions, files: ["app.ts"] });
  const [option, middleware, ...others] = stdout.trim().split(/\n(?=\S)/);
  assert.match(
    option ?? "",
    /app\.ts\(4,33\): error TS2561: .* 'helth' does not exist in type 'AppOptions'\. Did you mean to write 'health'\?/,
  );
  assert.match(middleware ?? "", /app\.ts\(5,\d+\): error TS2322: Type 'RawResponse' is not assignable/);
  assert.match(middleware ?? "", /onlyHandlersReturnThis/);
  assert.deepEqual(others, []);
});
