// Checks ten thousand values of factories for each type of the golden files and the examples. The generated validators, which are
// independent of the factories, must accept them. Then breaks each rule at each location, one at a time. `KIT_RUNS` is the number of
// values.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { explain, type Shape } from "@kit/core/codec";
import type { ValidationRule, Validator } from "@kit/types";
import * as fc from "fast-check";

import {
  arbitrary,
  NoValueError,
  type RuleName,
  invalidate,
  violations,
  toWire,
} from "../../packages/testing/src/values/index.ts";
import { Project, repository } from "../e2e/support/project.ts";

const runs = Number(process.env["KIT_RUNS"] ?? 10_000);

/** Number of valid values in which locations with rules are searched. */
const LOOKED_AT = 12;

/** Rules that no value can break without breaking another rule, or whose failure is reported as another rule's. */
const NEVER_ALONE: readonly RegExp[] = [
  // These rules allow every string. A domain of more than 253 characters is not valid in an email address
  // anyway.
  /^Containers \$\.byMail\[.* maxLength$/,
  /^Choices \$\.(?:texts\[0\]|bytesOrText) format$/,
  /^Unions \$\.(?:textOrDate format|bigOrText integer)$/,
  /^Containers \$\.layered\.\w+ format$/,
  // Without the property, the value fits another member of the union.
  /^Choices \$\.(?:eitherSide\.left|loose(?:First|Last)\.b|versioned\.version) /,
  /^Unions \$\.anything\.(?:kind|a) required$/,
  // The other value of a boolean tag belongs to the other member of the union.
  /^Choices \$\.result\.ok enum$/,
  // Two members of the union have this location, so the failure is reported for the union.
  /^Choices \$\.nested\.in/,
  /^Entangled \$\.next\./,
];

interface Type {
  readonly name: string;
  readonly shape: Shape;
  readonly validator: Validator<unknown>;
}

async function typesIn(directory: string): Promise<Type[]> {
  const files = readdirSync(join(directory, "validators")).filter((file) => file.endsWith(".validator.ts"));
  const codecs = pathToFileURL(join(directory, "codecs.js")).href;
  const module = (await import(codecs)) as Record<string, unknown>;
  return files.map((file) => {
    const name = file.replace(".validator.ts", "");
    return {
      name,
      shape: module[`${name}Shape`] as Shape,
      validator: module[`${name}Validator`] as Validator<unknown>,
    };
  });
}

/** Checks that many generated values of each kind are valid, and that decoding gives the values that a handler sees. */
function passes({ name, shape, validator }: Type): void {
  for (const style of ["wide", "readable"] as const) {
    for (const value of fc.sample(arbitrary(shape, { style }), { seed: 11, numRuns: Math.ceil(runs / 2) })) {
      if (!validator.is(value)) assert.fail(`${name}: ${JSON.stringify(validator.failures(value)[0])}`);
    }
    const values = arbitrary(shape, { style, form: "value" });
    for (const value of fc.sample(values, { seed: 12, numRuns: Math.ceil(runs / 20) })) {
      assert.deepEqual(explain(shape, value, "value"), [], name);
      assert.ok(validator.is(toWire(value)), name);
    }
  }
}

/** Returns a copy of the shape without one rule at one location. */
function loosened(shape: Shape, [step, ...rest]: readonly (string | number)[], rule: RuleName): Shape {
  switch (shape.kind) {
    case "reference":
      return loosened(shape.to(), step === undefined ? [] : [step, ...rest], rule);
    case "union":
      return {
        kind: "union",
        members: shape.members.map((member) =>
          loosened(member, step === undefined ? [] : [step, ...rest], rule),
        ),
      };
    default:
  }
  if (step === undefined) {
    switch (rule) {
      case "null":
      case "type":
      case "enum":
      case "template":
      case "length":
        return { kind: "unknown" };
      case "format":
      case "integer":
        if (shape.kind !== "string" && shape.kind !== "number") return { kind: "unknown" };
        break;
      default:
    }
    const { [rule]: _, isItem: __, ...others } = { ...shape } as Record<string, unknown>;
    return others as unknown as Shape;
  }
  switch (shape.kind) {
    case "array": {
      const { isItem: _, ...others } = shape;
      return { ...others, element: loosened(shape.element, rest, rule) };
    }
    case "tuple":
      return {
        kind: "tuple",
        elements: shape.elements.map((element) => ({
          ...element,
          shape: loosened(element.shape, rest, rule),
        })),
      };
    case "object": {
      const { explain: _, ...others } = shape;
      const properties = shape.properties.map((property) => {
        if (property.key !== step) return property;
        if (rule === "required" && rest.length === 0) return { ...property, optional: "always" as const };
        return { ...property, shape: loosened(property.shape, rest, rule) };
      });
      // A key of an index signature has the same path as its value.
      const index = shape.index?.map((entry) => {
        const inner = { ...entry, shape: loosened(entry.shape, rest, rule) };
        if (entry.key === undefined || rest.length > 0) return inner;
        return { ...inner, key: loosened(entry.key, [], rule) as typeof entry.key };
      });
      return { ...others, properties, ...(index === undefined ? {} : { index }) };
    }
    default:
      return shape;
  }
}

/**
 * Rules that a failure may name for each rule that a factory breaks. In a union, `anyOf` may replace every rule except that for a missing
 * property.
 */
const TOLD_AS: Readonly<Record<RuleName, readonly ValidationRule[]>> = {
  required: ["required"],
  null: ["type", "enum", "const", "anyOf"],
  type: ["type", "enum", "const", "anyOf"],
  enum: ["enum", "const", "anyOf"],
  format: ["format", "contentEncoding", "anyOf"],
  pattern: ["pattern", "anyOf"],
  template: ["template", "anyOf"],
  minLength: ["minLength", "anyOf"],
  maxLength: ["maxLength", "anyOf"],
  minimum: ["minimum", "anyOf"],
  maximum: ["maximum", "anyOf"],
  exclusiveMinimum: ["exclusiveMinimum", "anyOf"],
  // For a column of 64 bits, the failure names the greatest number instead.
  exclusiveMaximum: ["exclusiveMaximum", "maximum", "anyOf"],
  multipleOf: ["multipleOf", "anyOf"],
  // For a bigint, which is a string of digits, the failure names the pattern.
  integer: ["type", "minimum", "maximum", "pattern", "anyOf"],
  length: ["minItems", "maxItems", "anyOf"],
  minItems: ["minItems", "anyOf"],
  maxItems: ["maxItems", "anyOf"],
  uniqueItems: ["uniqueItems", "anyOf"],
};

/** Breaks each rule at each location, one at a time. The validator must refuse the value there, and must accept it without the rule. */
function isRefused({ name, shape, validator }: Type): number {
  const broken = new Set<string>();
  const left = new Set<string>();
  for (const style of ["wide", "readable"] as const) {
    for (const value of fc.sample(arbitrary(shape, { style: "readable" }), { seed: 5, numRuns: LOOKED_AT })) {
      for (const spoiling of violations(shape, value, { style })) {
        const key = `${name} ${spoiling.path} ${spoiling.rule}`;
        const spoiled = drawn(spoiling.given)
          .map((given) => invalidate(shape, value, spoiling, given))
          .filter((found) => found !== undefined);
        if (spoiled.length === 0) left.add(key);
        else broken.add(key);
        for (const { value: wrong } of spoiled) {
          assert.equal(validator.is(wrong), false, key);
          const failures = validator.failures(wrong);
          assert.deepEqual(
            failures.map(({ path }) => path),
            [spoiling.path],
          );
          for (const failure of failures) {
            assert.ok(TOLD_AS[spoiling.rule].includes(failure.rule), `${key} is told as ${failure.rule}`);
          }
          const loose = loosened(shape, spoiling.steps, spoiling.rule);
          assert.deepEqual(explain(loose, wrong, "wire"), [], key);
        }
      }
    }
  }
  const never = [...left].filter((key) => !broken.has(key) && !NEVER_ALONE.some((known) => known.test(key)));
  assert.deepEqual(never, []);
  return broken.size;
}

function drawn(given: fc.Arbitrary<unknown>): unknown[] {
  try {
    return fc.sample(given, { seed: 3, numRuns: 4 });
  } catch (error) {
    if (error instanceof NoValueError) return [];
    throw error;
  }
}

for (const golden of ["kitchen-sink", "notes", "directions"]) {
  const directory = join(repository, "crates/kit-emit/tests/goldens", golden);
  const types = await typesIn(directory);
  describe(`types of ${golden}`, () => {
    for (const type of types) {
      test(`${type.name}: ${runs} generated values are valid`, () => passes(type));
      test(`${type.name}: each rule can be broken without another rule`, (context) => {
        context.diagnostic(`${type.name}: ${isRefused(type)} rules`);
      });
    }
  });
}

for (const example of ["notes", "teams"] as const) {
  describe(`types of the example ${example}`, () => {
    let project: Project;
    let types: Type[];
    before(async () => {
      project = await Project.copy(example);
      await project.kitOk("build");
      types = await typesIn(join(project.root, ".kit"));
    });
    after(() => project?.remove());

    test(`${runs} generated values of each type are valid`, () => {
      assert.ok(types.length > 8);
      for (const type of types) passes(type);
    });
    test("each rule of each type can be broken without another rule", (context) => {
      let rules = 0;
      for (const type of types) rules += isRefused(type);
      context.diagnostic(`${rules} rules`);
    });
  });
}
