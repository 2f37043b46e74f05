// Compares OpenAPI documents with contracts. Every example value must be valid under its schema. The schemas must accept and refuse the
// same values as the application does in the generated contract tests.

import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { isCalendarDate, isDateTime, isEmail, isIpv4, isIpv6, isUri, isUuid } from "@kit/core/codec";
import { missing, type Slot } from "@kit/testing";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

import { placed, stepsOf } from "../../packages/testing/src/values/values-at-paths.ts";
import { copiedGoldens, GOLDENS, tablesIn } from "../contracts/tables.ts";
import { type Example, Project } from "../e2e/support/project.ts";

const EXAMPLES: readonly Example[] = ["notes", "teams"];

interface MediaType {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

type Content = Readonly<Record<string, MediaType>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Descriptions of values that no schema refuses, because schemas cannot limit the depth of nesting. */
const BEYOND_SCHEMAS = /levels$/;

/** OpenAPI document, with a validator for each of its schemas. */
class SchemaValidator {
  readonly document: Document;
  readonly #ajv: Ajv2020;

  constructor(document: Document) {
    this.document = document;
    // JSON Schema does not know the keywords that OpenAPI adds.
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, formats: FORMATS });
    this.#ajv.addSchema(document, "document.json");
  }

  of(schema: object): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document.json#/');
    return this.#ajv.compile(JSON.parse(text) as object);
  }

  operation(route: string): Operation {
    const [method = "", path = ""] = route.split(" ");
    const template = path.replaceAll(/[:*](\w+)/g, "{$1}");
    const found = this.document.paths[template]?.[method.toLowerCase()];
    assert.ok(found, `the document has ${route}`);
    return found;
  }

  /** Returns true if the value is valid for this part of the request. */
  accepts(route: string, slot: Slot, value: unknown): boolean {
    const { parameters = [], requestBody } = this.operation(route);
    if (slot === "body") {
      const schema = requestBody?.content["application/json"]?.schema;
      assert.ok(schema, `${route} has a body`);
      return value !== missing && this.of(schema)(plain(value));
    }
    const place = slot === "params" ? "path" : "query";
    return parameters
      .filter((parameter) => parameter.in === place)
      .every(({ name, required, schema }) => {
        const given: unknown = Object.hasOwn(value as object, name)
          ? Reflect.get(value as object, name)
          : undefined;
        return given === undefined ? !required : this.of(schema)(plain(given));
      });
  }
}

const FORMATS = {
  date: isCalendarDate,
  "date-time": isDateTime,
  email: isEmail,
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: isUri,
  uuid: isUuid,
} as const;

/** Returns the value as JSON would transport it, without properties that are undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

async function documentAt(directory: string): Promise<Document> {
  return JSON.parse(await readFile(join(directory, "schemas/openapi.json"), "utf8")) as Document;
}

describe("OpenAPI documents and contracts agree", () => {
  let root: string;
  before(async () => {
    root = await copiedGoldens();
  });
  after(() => rm(root, { recursive: true }));

  for (const golden of GOLDENS) {
    test(`every example value of ${golden} is valid under its schema`, async () => {
      assert.ok((await checkExamples(join(root, golden))) > 0);
    });

    test(`the schemas of ${golden} accept and refuse the same values as the application`, () =>
      checkRows(join(root, golden)));
  }

  for (const example of EXAMPLES) {
    test(
      `every example value of ${example} is valid, and its schemas agree with the application`,
      { timeout: 120_000 },
      async () => {
        const project = await Project.copy(example);
        try {
          await project.kitOk("build");
          const directory = join(project.root, ".kit");
          assert.ok((await checkExamples(directory)) > 0);
          await checkRows(directory);
        } finally {
          await project.remove();
        }
      },
    );
  }
});

/** Checks that the schemas and the contract tests agree about every value. */
async function checkRows(directory: string): Promise<void> {
  const judge = new SchemaValidator(await documentAt(directory));
  const wrong: string[] = [];
  let rows = 0;
  for (const table of await tablesIn(directory)) {
    for (const [verb, list] of [
      ["takes", table.accepts],
      ["refuses", table.refuses],
    ] as const) {
      for (const [slot, path, what, given] of list ?? []) {
        if (BEYOND_SCHEMAS.test(what)) continue;
        rows += 1;
        const value = placed(table.request?.[slot], stepsOf(path), given);
        if (judge.accepts(table.route, slot, value) !== (verb === "takes"))
          wrong.push(`${table.route} ${verb} ${slot} ${path}: ${what}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(rows > 0);
}

/**
 * Checks every example value of a document against the schema of the value. Returns the number of examples that are whole request or
 * response bodies.
 */
async function checkExamples(directory: string): Promise<number> {
  const judge = new SchemaValidator(await documentAt(directory));
  let examples = 0;
  for (const operation of Object.values(judge.document.paths).flatMap((path) => Object.values(path))) {
    const contents = [
      operation.requestBody?.content,
      ...Object.values(operation.responses).map((one) => one.content),
    ];
    for (const [type, media] of contents.flatMap((content) => Object.entries(content ?? {}))) {
      const validate = judge.of(media.schema);
      for (const [name, { value }] of Object.entries(media.examples ?? {})) {
        if (name === "example") examples += 1;
        const said = `${operation.operationId} ${type}: ${JSON.stringify(value)}`;
        assert.ok(validate(value), `${said}\n${JSON.stringify(validate.errors)}`);
      }
    }
  }
  return examples;
}
