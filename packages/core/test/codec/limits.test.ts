// Checks that the limit of each failure equals the JSON Schema of the same build at that location.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import type { ValidationFailure } from "@kit/types";

const root = new URL("../../../../", import.meta.url);

type Schema = Readonly<Record<string, unknown>>;

interface Entry {
  readonly schema: Schema;
  readonly inputSchema?: Schema;
}

async function read<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(new URL(path, root), "utf8")) as T;
}

const COMPARED: ReadonlySet<string> = new Set([
  "minLength",
  "maxLength",
  "format",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "contentEncoding",
]);

/**
 * Returns true for limits that the schema does not contain in the same form: bounds that no doc tag sets, bounds of a
 * bigint, whose schema is a string, and the pattern of a template, whose schema combines both patterns.
 */
function isImplied({ rule, limit, expected }: ValidationFailure): boolean {
  if (expected.startsWith("string of the form")) return rule === "pattern";
  if (expected.includes("as a string of digits")) return rule !== "pattern";
  return [Number.MAX_SAFE_INTEGER, Number.MAX_VALUE].includes(Math.abs(Number(limit)));
}

/** Returns the schemas that apply to the value at a path. */
function schemasAt(entries: Readonly<Record<string, Entry>>, start: Schema, path: string): Schema[] {
  const steps = [...path.matchAll(/\.([\w$]+)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]/g)];
  let found = opened(entries, start);
  for (const [, plain, quoted, index] of steps) {
    const key = plain ?? quoted;
    found = found
      .flatMap((schema) =>
        key === undefined ? itemSchemas(schema, Number(index)) : memberSchemas(schema, key),
      )
      .flatMap((schema) => opened(entries, schema));
  }
  return found;
}

/** Returns a schema with its references resolved and its alternatives separated. */
function opened(entries: Readonly<Record<string, Entry>>, schema: Schema): Schema[] {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const name = reference.split("/").at(-1)!;
    const entry = entries[name] ?? entries[name.replace(/(?:Input|Output)$/, "")];
    return entry === undefined ? [] : opened(entries, entry.inputSchema ?? entry.schema);
  }
  const members = ["allOf", "anyOf", "oneOf"].flatMap((name) => (schema[name] ?? []) as Schema[]);
  return members.length === 0 ? [schema] : members.flatMap((member) => opened(entries, member));
}

function itemSchemas(schema: Schema, index: number): Schema[] {
  const prefix = (schema["prefixItems"] ?? []) as Schema[];
  const own = prefix[index];
  if (own !== undefined) return [own];
  return typeof schema["items"] === "object" ? [schema["items"] as Schema] : [];
}

/**
 * Returns the schemas of a member, and the schema of its key, because a broken rule of a key is reported at the path of
 * the member.
 */
function memberSchemas(schema: Schema, key: string): Schema[] {
  const own = ((schema["properties"] ?? {}) as Record<string, Schema>)[key];
  if (own !== undefined) return [own];
  const others = Object.values((schema["patternProperties"] ?? {}) as Record<string, Schema>);
  const rest = [schema["additionalProperties"], schema["propertyNames"]];
  return [...others, ...rest.filter((one): one is Schema => typeof one === "object")];
}

test("the limit of each failure in the conformance vectors equals the limit in the JSON Schema", async () => {
  const { cases, text } = await read<{
    cases: { app: string; type: string; failures?: ValidationFailure[] }[];
    text: { app: string; coercer: string; failures?: ValidationFailure[] }[];
  }>("conformance/validation.json");
  const all = [...cases, ...text.map((one) => Object.assign(one, { type: one.coercer }))];
  const compared = new Set<string>();
  for (const { app, type, failures = [] } of all) {
    const entries = await read<Record<string, Entry>>(`crates/kit-emit/tests/goldens/${app}/schemas.json`);
    const entry = entries[type];
    assert.ok(entry, `${app} has no ${type}`);
    for (const failure of failures) {
      const { path, rule, limit } = failure;
      if (!COMPARED.has(rule) || isImplied(failure)) continue;
      const found = schemasAt(entries, entry.inputSchema ?? entry.schema, path).map((schema) => schema[rule]);
      const says = found.map((one) => (rule === "pattern" ? new RegExp(String(one), "u").source : one));
      assert.ok(
        says.includes(limit),
        `${type} ${path}: ${rule} ${String(limit)}, not ${JSON.stringify(says)}`,
      );
      compared.add(rule);
    }
  }
  assert.ok(compared.size >= 8, [...compared].join());
});
