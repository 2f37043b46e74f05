import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { schemaOf } from "../src/responses/schema.ts";
import type { SidecarState } from "../src/responses/sidecar-state.ts";

test("shows the schema of the OpenAPI document, to which schemas.json of a large project refers", async (context) => {
  const projectRoot = realpathSync(mkdtempSync(join(tmpdir(), "kit-schema-")));
  context.after(() => rmSync(projectRoot, { recursive: true, force: true }));
  mkdirSync(join(projectRoot, ".kit/schemas"), { recursive: true });
  const schema = { type: "object", properties: { title: { type: "string", maxLength: 20 } } };
  const document = { components: { schemas: { Note: schema } } };
  writeFileSync(join(projectRoot, ".kit/schemas/openapi.json"), JSON.stringify(document));
  const note = {
    name: "Note",
    file: "src/notes.types.ts",
    line: 1,
    schema: { $ref: "schemas/openapi.json#/components/schemas/Note" },
    properties: [{ name: "title", type: "string", required: true, tags: ["@maxLength 20"] }],
    usedBy: [],
    refersTo: [],
  };
  writeFileSync(join(projectRoot, ".kit/schemas.json"), JSON.stringify({ Note: note }));
  const state = { host: { projectRoot } } as unknown as SidecarState;
  assert.deepEqual(await schemaOf(state, "Note"), {
    name: "Note",
    properties: [{ name: "title", type: "string", maxLength: 20, required: true, tags: ["@maxLength 20"] }],
    usedBy: [],
    file: "src/notes.types.ts",
    line: 1,
    schema,
  });
});
