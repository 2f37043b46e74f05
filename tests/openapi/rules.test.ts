// Checks the OpenAPI documents of the examples with the recommended rules of the linters Redocly and
// Spectral.

import assert from "node:assert/strict";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Example, Project, repository } from "../e2e/support/project.ts";
import { redocly, stoplight } from "./linters.ts";

const EXAMPLES: readonly Example[] = ["notes", "teams"];

async function document(example: Example): Promise<string> {
  return await readFile(join(repository, "examples", example, ".kit/schemas/openapi.json"), "utf8");
}

for (const example of EXAMPLES) {
  describe(`the OpenAPI document of ${example}`, () => {
    test("has no problems under Redocly's recommended rules", async () => {
      assert.deepEqual(await redocly(await document(example)), []);
    });

    test("has no problems under Spectral's recommended rules", async () => {
      const found = await stoplight(await document(example));
      // Scopes of access tokens are allowed since OpenAPI 3.1 (4.8.30, Security Requirement Object). Spectral wants each scope in
      // a list, which only OAuth 2 schemes have.
      const ofScopes = /^oas3-operation-security-defined .*: "\w+:\w+" must be listed among scopes\.$/;
      assert.deepEqual(
        found.filter((line) => !ofScopes.test(line)),
        [],
      );
    });
  });
}

test(
  "every operation of a new project and of added entities has a description",
  { timeout: 60_000 },
  async () => {
    const home = await Project.empty();
    try {
      await home.kitOk("scaffold", "init", "shop", "--yes", "--no-install", "--no-git");
      const root = join(home.root, "shop");
      await symlink(join(repository, "node_modules"), join(root, "node_modules"));
      for (const what of [
        ["entity", "order"],
        ["route", "basket"],
      ])
        await home.kitOk("scaffold", "add", ...what, "--root", root);
      await home.kitOk("generate:openapi", "--root", root);
      const source = await readFile(join(root, ".kit/schemas/openapi.json"), "utf8");
      assert.match(source, /"\/orders"/);
      assert.match(source, /"\/basket"/);
      // The description and contact are those of the user's package.json. An operation without input has no 4xx
      // response.
      const theirs = /^info-|^operation-4xx-response #\/paths\/~1basket\//;
      const found = [...(await redocly(source)), ...(await stoplight(source))];
      assert.deepEqual(
        found.filter((line) => !theirs.test(line)),
        [],
      );
    } finally {
      await home.remove();
    }
  },
);

function first(line: string): string {
  return line.split(" ")[0]!;
}

test("both linters report missing properties of a document", async () => {
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
