// Tests the examples with the requests that Schemathesis generates from their OpenAPI documents: valid and invalid requests, missing and
// wrong parameters, wrong methods, sequences. Each finding is a difference between document and application.

import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { run } from "../e2e/support/command.ts";
import { type Example, Project } from "../e2e/support/project.ts";
import { PythonPackage } from "./python.ts";

const schemathesis = new PythonPackage("schemathesis", "4.32.0");

/** Checks that are excluded for an example, with the reason. */
const EXCEPT: Readonly<Record<Example, readonly string[]>> = {
  // The example accepts any token in the form of its placeholder tokens, so a made-up token is valid.
  notes: ["--exclude-checks", "ignored_auth"],
  teams: [],
};

describe("Schemathesis finds no problems", () => {
  let missing: string | undefined;
  before(() => {
    missing = schemathesis.install();
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
        const result = await run(join(schemathesis.bin, "schemathesis"), [...options, ...args, ...token], {
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
