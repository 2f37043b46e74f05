/** Files of the projects that tests of contracts build, and the check of such a project. */
import assert from "node:assert/strict";
import { join } from "node:path";

import { run } from "../e2e/support/command.ts";
import { type Project, repository } from "../e2e/support/project.ts";

/** Checks the types of a project and runs `kit test`, which must pass. Returns the output of `kit test`. */
export async function passingTests(project: Project): Promise<string> {
  const tsc = join(repository, "node_modules/.bin/tsc");
  const checked = await run(process.execPath, [tsc, "-p", "."], { cwd: project.root });
  assert.equal(checked.code, 0, checked.stdout);
  const { code, stdout, stderr } = await project.kit(["test"], { timeout: 120_000 });
  assert.equal(code, 0, stdout + stderr);
  return stdout + stderr;
}

/** Returns the manifest and the settings of a project that uses some of kit's packages. */
export function projectFiles(name: string, packages: readonly string[]): [path: string, text: string][] {
  const manifest = {
    name,
    version: "1.0.0",
    private: true,
    type: "module",
    dependencies: Object.fromEntries(packages.map((of) => [`@kit/${of}`, "0.1.0"])),
    devDependencies: { "@kit/cli": "0.1.0", "@types/node": "24.10.1", typescript: "7.0.2" },
  };
  const settings = {
    compilerOptions: {
      target: "es2024",
      lib: ["es2024"],
      module: "nodenext",
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true,
    },
    include: ["src", ".kit/**/*"],
  };
  return [
    ["package.json", JSON.stringify(manifest, null, 2)],
    ["tsconfig.json", JSON.stringify(settings, null, 2)],
  ];
}
