// Tests the OpenAPI document: against the official meta-schema, and its content for the Notes example.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Project } from "./support/project.ts";

interface Schema {
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
  minLength?: number;
  maxLength?: number;
  format?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
}

interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: { $ref?: string } & Schema }> };
  responses: Record<
    string,
    { description: string; content?: Record<string, { schema: { $ref?: string } & Schema }> }
  >;
}

interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

let project: Project;
let text: string;
let document: Document;

before(async () => {
  project = await Project.copy();
  await project.kitOk("build");
  text = await readFile(join(project.root, ".kit/schemas/openapi.json"), "utf8");
  document = JSON.parse(text) as Document;
});
after(() => project?.remove());

function operation(path: string, method: string): Operation {
  const found = document.paths[path]?.[method];
  assert.ok(found !== undefined, `${method} ${path} is not in the document`);
  return found;
}

/** Returns the schema that a reference stands for. Returns other schemas unchanged. */
function resolve(schema: ({ $ref?: string } & Schema) | undefined): Schema {
  assert.ok(schema !== undefined);
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace("#/components/schemas/", "");
  const found = document.components.schemas[name];
  assert.ok(found !== undefined, `${schema.$ref} leads nowhere`);
  return found;
}

test("the OpenAPI document is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(text) as Record<string, unknown>);
  assert.equal(result.valid, true, JSON.stringify(result.errors, null, 2));
  assert.equal(validator.version, "3.1");
});

test("the OpenAPI document equals the document that a server in development serves", async () => {
  await project.kitOk("migrate:apply");
  const app = await project.start();
  const answer = await app.with({}).get<Document>("/openapi.json");
  assert.deepEqual(answer.body, document);
  await app.stop();
});

test("the OpenAPI document names the project", () => {
  assert.equal(document.info.title, "notes");
  assert.equal(document.info.version, "0.1.0");
});

describe("the OpenAPI document has the five operations", () => {
  const statuses: [path: string, method: string, status: string, ...errors: string[]][] = [
    ["/notes", "post", "201", "400", "401"],
    ["/notes", "get", "200", "400", "401"],
    ["/notes/{id}", "get", "200", "401", "404"],
    ["/notes/{id}", "put", "200", "400", "401", "404"],
    ["/notes/{id}", "delete", "204", "401", "404"],
  ];
  for (const [path, method, status, ...errors] of statuses) {
    test(`${method} ${path}`, () => {
      const found = operation(path, method);
      assert.ok(found.summary !== undefined && found.operationId !== undefined);
      assert.deepEqual(found.tags, ["notes"]);
      for (const expected of [status, ...errors]) {
        assert.ok(
          expected in found.responses,
          `${expected} is not among ${Object.keys(found.responses).join(", ")}`,
        );
      }
      assert.equal(found.responses[status]?.content === undefined, status === "204");
    });
  }

  test("the OpenAPI document has no other operations", () => {
    assert.deepEqual(Object.keys(document.paths).toSorted(), ["/notes", "/notes/{id}"]);
  });
});

test("the body of POST requires title and content, has limits and defaults, and lacks authorId", () => {
  const schema = resolve(operation("/notes", "post").requestBody?.content["application/json"]?.schema);
  assert.deepEqual(schema.required?.toSorted(), ["content", "title"]);
  assert.deepEqual(Object.keys(schema.properties ?? {}), ["title", "content", "archived"]);
  const { title, content, archived } = schema.properties ?? {};
  assert.deepEqual([title?.type, title?.minLength, title?.maxLength], ["string", 1, 200]);
  assert.deepEqual([content?.type, content?.maxLength], ["string", 10_000]);
  assert.deepEqual([archived?.type, archived?.default], ["boolean", false]);
});

test("the body of PUT requires no property and has no default", () => {
  const schema = resolve(operation("/notes/{id}", "put").requestBody?.content["application/json"]?.schema);
  assert.deepEqual(schema.required ?? [], []);
  assert.deepEqual(Object.keys(schema.properties ?? {}), ["title", "content", "archived"]);
});

test("a note in a response has all of its properties", () => {
  const schema = resolve(
    operation("/notes/{id}", "get").responses["200"]?.content?.["application/json"]?.schema,
  );
  const names = ["id", "title", "content", "authorId", "archived", "createdAt", "updatedAt"];
  assert.deepEqual(Object.keys(schema.properties ?? {}), names);
  assert.deepEqual(schema.required?.toSorted(), names.toSorted());
  assert.equal(schema.properties?.["createdAt"]?.format, "date-time");
});

test("the parameters for paging are optional integers with bounds", () => {
  const parameters = operation("/notes", "get").parameters ?? [];
  assert.deepEqual(
    parameters.map(({ name, in: place, required = false, schema }) => [
      name,
      place,
      required,
      schema.type,
      schema.minimum,
      schema.maximum,
    ]),
    [
      ["page", "query", false, "integer", 1, Number.MAX_SAFE_INTEGER],
      ["pageSize", "query", false, "integer", 1, 100],
    ],
  );
});
