// The OpenAPI documents of the examples, by the recommended rules of Redocly and Spectral.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { type Example, repository } from "../e2e/support/project.ts";

const EXAMPLES: readonly Example[] = ["notes", "teams"];

async function document(example: Example): Promise<string> {
  return await readFile(join(repository, "examples", example, ".kit/schemas/openapi.json"), "utf8");
}

/** What Redocly's recommended rules say, a line each. */
async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

/** What Spectral's recommended rules say, a line each. */
async function stoplight(source: string): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, "recommended"]] } as Parameters<typeof linter.setRuleset>[0]);
  const problems = await linter.run(JSON.parse(source) as Record<string, unknown>);
  return problems.map(({ code, message, path }) => `${code} ${path.join("/")}: ${message}`);
}

for (const example of EXAMPLES) {
  describe(`the document of ${example}`, () => {
    test("is clean by Redocly's rules", async () => {
      assert.deepEqual(await redocly(await document(example)), []);
    });

    test("is clean by Spectral's rules", async () => {
      assert.deepEqual(await stoplight(await document(example)), []);
    });
  });
}

function first(line: string): string {
  return line.split(" ")[0]!;
}

test("both find what is missing", async () => {
  const source = await document("notes");
  const parsed = JSON.parse(source) as { servers?: unknown; paths: Record<string, Record<string, object>> };
  delete parsed.servers;
  Object.assign(parsed.paths["/notes"]!["get"]!, { security: [{ nobody: [] }], operationId: "postNotes" });
  const spoiled = JSON.stringify(parsed);
  const byRedocly = (await redocly(spoiled)).map(first);
  const bySpectral = (await stoplight(spoiled)).map(first);
  for (const rule of ["operation-operationId-unique", "security-defined", "no-empty-servers"]) {
    assert.ok(byRedocly.includes(rule), `${rule} of ${byRedocly.join(", ")}`);
  }
  for (const rule of [
    "operation-operationId-unique",
    "oas3-operation-security-defined",
    "oas3-api-servers",
  ]) {
    assert.ok(bySpectral.includes(rule), `${rule} of ${bySpectral.join(", ")}`);
  }
});
