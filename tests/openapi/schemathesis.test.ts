// Sends requests that Schemathesis generates from the OpenAPI documents of the examples: valid and invalid ones, with missing and wrong
// parameters, wrong methods, and in sequences. Each problem that it finds is a difference between the document and the application.

import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { run } from "../e2e/support/command.ts";
import { type Example, Project } from "../e2e/support/project.ts";
import { PythonPackage } from "./python.ts";

const schemathesis = new PythonPackage("schemathesis", "4.32.0");

/** Examples that Schemathesis checks, each with the options that leave checks out, and the reason. */
const EXCEPT: Readonly<Partial<Record<Example, readonly string[]>>> = {
  // The example accepts any token that has the form of its placeholder tokens, also one that Schemathesis
  // invents.
  notes: ["--exclude-checks", "ignored_auth"],
  teams: [],
};

describe("Schemathesis finds no problems in the example", () => {
  let missing: string | undefined;
  before(() => {
    missing = schemathesis.install();
  });

  for (const example of ["notes", "teams"] as const) {
    test(`${example}`, { timeout: 600_000 }, async (t) => {
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
          ...(EXCEPT[example] ?? []),
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
