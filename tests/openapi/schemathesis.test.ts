// The examples against what Schemathesis makes of their OpenAPI documents: valid and invalid requests, missing and wrong parts, wrong methods,
// sequences. Whatever it finds is a place where document and application differ.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { run } from "../e2e/support/command.ts";
import { type Example, Project, repository } from "../e2e/support/project.ts";

const VERSION = "4.32.0";
const environment = join(repository, `target/schemathesis-${VERSION}`);
const program = join(environment, "bin/schemathesis");

/** Installs it from PyPI, once; says why where it cannot. */
function install(): string | undefined {
  if (existsSync(program)) return undefined;
  const steps = [
    ["python3", ["-m", "venv", "--clear", environment]],
    [
      join(environment, "bin/pip"),
      ["install", "--quiet", "--disable-pip-version-check", `schemathesis==${VERSION}`],
    ],
  ] as const;
  for (const [command, args] of steps) {
    const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 300_000 });
    if (status !== 0) {
      const why = error?.message ?? stderr.trim().split("\n").at(-1);
      return `Schemathesis ${VERSION} cannot be installed with python3 and pip: ${why}`;
    }
  }
  return undefined;
}

/** What is not asked of an example, with the reason. */
const EXCEPT: Readonly<Record<Example, readonly string[]>> = {
  // Its tokens are a stand-in that anyone can make up, so a made-up one is right.
  notes: ["--exclude-checks", "ignored_auth"],
  teams: [],
};

describe("Schemathesis finds nothing", () => {
  let missing: string | undefined;
  before(() => {
    missing = install();
  });

  for (const example of ["notes", "teams"] as const) {
    test(`in ${example}`, { timeout: 600_000 }, async (t) => {
      if (missing !== undefined) {
        t.skip(missing);
        return;
      }
      const project = await Project.ready(example);
      try {
        const app = await project.start();
        const options = ["--config-file", join(import.meta.dirname, "schemathesis.toml")];
        const args = [
          "run",
          `${app.url}/openapi.json`,
          "--max-examples",
          "10",
          "--seed",
          "1",
          ...EXCEPT[example],
        ];
        const token = ["--header", "Authorization: Bearer ada:user"];
        const result = await run(program, [...options, ...args, ...token], {
          cwd: project.root,
          timeout: 600_000,
        });
        assert.equal(result.code, 0, `${result.stdout}${result.stderr}`);
        for (const phase of ["Examples", "Coverage", "Fuzzing", "Stateful"]) {
          assert.match(result.stdout, new RegExp(`✅ +${phase}`), result.stdout);
        }
      } finally {
        await project.remove();
      }
    });
  }
});
