import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

import { Validator } from "@seriousme/openapi-schema-validator";

const goldens = new URL("../../../../crates/kit-emit/tests/goldens/", import.meta.url);

interface Document {
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
  readonly components: { readonly schemas: Record<string, Record<string, unknown>> };
}

async function read(path: string): Promise<Document> {
  return JSON.parse(await readFile(new URL(path, goldens), "utf8")) as Document;
}

test("every OpenAPI document is valid by the official meta-schema, and its references resolve", async () => {
  let documents = 0;
  for (const path of await readdir(goldens, { recursive: true })) {
    if (!path.endsWith("openapi.json")) continue;
    const document = await read(path);
    const result = await new Validator().validate(
      structuredClone(document) as unknown as Record<string, unknown>,
    );
    assert.ok(result.valid, `${path}: ${JSON.stringify(result.errors)}`);
    for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]*)"/g)) {
      assert.ok(Object.hasOwn(document.components.schemas, name ?? ""), `${path} refers to ${name}`);
    }
    documents++;
  }
  assert.equal(documents, 23);
});

test("the request schema and the response schema of a type differ only if they must", async () => {
  const { components, paths } = await read("notes/schemas/openapi.json");
  const { Note, PostNotesBody } = components.schemas;
  assert.deepEqual(Note?.["required"], [
    "id",
    "title",
    "content",
    "authorId",
    "archived",
    "createdAt",
    "updatedAt",
  ]);
  assert.deepEqual(PostNotesBody?.["required"], ["title", "content"]);
  assert.ok(!("PostNotesBodyInput" in components.schemas), "what only requests have needs one variant");
  const create = paths["/notes"]?.["post"];
  assert.deepEqual(Object.keys(create?.["responses"] as object), ["201", "400", "413", "415", "default"]);
  const sink = (await read("kitchen-sink/schemas/openapi.json")).components.schemas;
  assert.deepEqual(sink["UserAccount"]?.["required"], ["id", "email", "status"]);
  assert.deepEqual(sink["UserAccountInput"]?.["required"], ["email"]);
  assert.deepEqual(Object.keys(paths["/notes/{id}"] ?? {}), ["get", "put", "delete"]);
});
