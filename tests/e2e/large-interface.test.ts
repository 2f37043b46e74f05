import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";

import type { Serializer, Validator } from "@kit/types";

import { Project } from "./support/project.ts";

const COUNT = 3000;

/** Types of the properties, in turn, each with a value as JSON and a value of another type. */
const KINDS = [
  { type: "string", docs: "/** @minLength 1 @maxLength 50 */", valid: "text", invalid: "" },
  { type: "number", docs: "/** @integer */", valid: 7, invalid: 7.5 },
  { type: "Date", docs: "", valid: "2026-01-31T12:00:00.000Z", invalid: "never" },
  { type: "boolean", docs: "", valid: true, invalid: "true" },
  { type: '"draft" | "sent"', docs: "", valid: "sent", invalid: "lost" },
  { type: "string[]", docs: "", valid: ["a", "b"], invalid: [1] },
] as const;

const numbers = Array.from({ length: COUNT }, (_, number) => number);
const kindOf = (number: number) => KINDS[number % KINDS.length]!;

const properties = numbers.map((number) => {
  const { docs, type } = kindOf(number);
  const optional = number % 7 === 3 ? "?" : "";
  return `  ${docs}\n  property${number}${optional}: ${type};\n`;
});
const files = new Map([
  ["package.json", JSON.stringify({ name: "large", type: "module" })],
  ["src/wide.types.ts", `export interface Wide {\n${properties.join("")}}\n`],
  [
    "src/wide.routes.ts",
    `import type { RouteContract } from "@kit/types";
import type { Wide } from "./wide.types.ts";

export interface WideRoutes {
  "POST /wide": RouteContract<void, void, Wide, Wide>;
}
`,
  ],
]);

/** Returns a valid value with all properties. */
const value = (): Record<string, unknown> =>
  Object.fromEntries(numbers.map((number) => [`property${number}`, kindOf(number).valid]));

interface Codecs {
  readonly WideValidator: Validator<object>;
  readonly WideSerializer: Serializer<object>;
}

describe(`an interface of ${COUNT} properties`, () => {
  let project: Project;
  let codecs: Codecs;
  before(async () => {
    project = await Project.of(files);
    await project.kitOk("build", "--no-compile");
    codecs = (await import(pathToFileURL(join(project.root, ".kit/codecs.js")).href)) as Codecs;
  });
  after(async () => project.remove());

  it("is decoded and written unchanged", () => {
    const { WideValidator, WideSerializer } = codecs;
    assert.ok(WideValidator.is(value()));
    assert.deepEqual(JSON.parse(WideSerializer.serialize(WideValidator.decode(value()))), value());
  });

  it("is refused if one property is invalid or missing", () => {
    const { WideValidator } = codecs;
    for (const number of [0, 1, 2, 3, 4, 5, 6, 7, 1500, 2995, 2996, 2997, 2998, 2999]) {
      const name = `property${number}`;
      const wrong = { ...value(), [name]: kindOf(number).invalid };
      assert.ok(!WideValidator.is(wrong), name);
      assert.equal(WideValidator.failures(wrong)[0]?.path.startsWith(`$.${name}`), true);
      const { [name]: _, ...rest } = value();
      assert.equal(WideValidator.is(rest), number % 7 === 3, name);
    }
  });
});
