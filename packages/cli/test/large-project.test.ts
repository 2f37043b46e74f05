import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import type { Serializer, Validator } from "@kit/types";

import { Project } from "./support/project.ts";

const SHARED = [
  "  /** @format uuid */ id: string;",
  "  /** @minLength 1 @maxLength 20 */ title: string;",
  '  state: "draft" | "active";',
  "  count: number;",
  "  createdAt: Date;",
  "  note?: string | null;",
  "  tags: string[];",
  "  size: bigint;",
  "  data: Uint8Array;",
  "  /** @default 7 */ level: number;",
].join("\n");

/** Types that begin with the same properties, and types that begin like them. */
const TYPES = `
export interface First {\n${SHARED}\n  inner?: string;\n}
export interface Second {\n${SHARED}\n  inner: First;\n  more: Date;\n}
export interface Third {\n${SHARED}\n}
export interface Fourth {\n${SHARED}\n  items: Second[];\n  either: { a: string } | { b: number };\n}
export interface Stricter {\n${SHARED.replace("@maxLength 20", "@maxLength 5")}\n  inner?: string;\n}
export interface Tree {\n${SHARED}\n  children: Tree[];\n}
export type Part = Partial<First>;
export type Picked = Pick<Second, "id" | "title" | "state" | "count" | "inner">;
`;
const NAMES = ["First", "Second", "Third", "Fourth", "Stricter", "Tree", "Part", "Picked"];

type Codecs = Readonly<Record<string, Validator<unknown> | Serializer<unknown>>>;

/** Builds the types with `more` other types, and returns the generated code. */
async function codecs(t: TestContext, more: number): Promise<{ code: Codecs; text: string }> {
  const others = Array.from({ length: more }, (_, at) => `export interface Other${at} { id: string }`);
  const routes = NAMES.map(
    (name) => `  "PUT /${name.toLowerCase()}": RouteContract<void, void, ${name}, ${name}>;`,
  );
  const project = await Project.create(t, {
    "package.json": '{ "name": "large", "type": "module" }\n',
    "src/a.types.ts": TYPES,
    "src/b.types.ts": `${others.join("\n")}\nexport {};\n`,
    "src/a.routes.ts": `import type { RouteContract } from "@kit/types";
import type { ${NAMES.join(", ")} } from "./a.types.ts";
export interface Routes {\n${routes.join("\n")}\n}\n`,
  });
  const packages = fileURLToPath(new URL("../../", import.meta.url));
  await mkdir(join(project.root, "node_modules/@kit"), { recursive: true });
  await symlink(join(packages, "core"), join(project.root, "node_modules/@kit/core"));
  const built = await project.kit(["build", "--no-compile"]);
  assert.equal(built.code, 0, built.err);
  const path = join(project.root, ".kit/codecs.js");
  const code = (await import(pathToFileURL(path).href)) as Codecs;
  return { code, text: await project.read(join(dirname(".kit/codecs.js"), "runtime.js")) };
}

const valid = {
  id: "0b9e4d1c-6f5e-4a43-8f0c-0d6b5f2f7a11",
  title: "title",
  state: "draft",
  count: 1.5,
  createdAt: "2026-01-01T00:00:00.000Z",
  note: null,
  tags: ["a", 'quo"te'],
  size: "12345678901234567890",
  data: "AAEC",
  level: 3,
};

/** Returns values that fit the types, and values with one mistake. */
function values(): unknown[] {
  const { note: _, level: _level, ...required } = valid;
  const first = { ...valid, inner: "x" };
  const second = { ...required, inner: first, more: valid.createdAt, dropped: 1 };
  const fitting: Record<string, unknown>[] = [
    valid,
    required,
    first,
    second,
    { ...valid, items: [second], either: { b: 1 } },
    { ...valid, children: [{ ...required, children: [] }] },
  ];
  const wrong = fitting.flatMap((value) =>
    Object.keys(value).flatMap((key) => {
      const { [key]: _removed, ...without } = value;
      return [without, { ...value, [key]: 5 }, { ...value, [key]: "" }, { ...value, [key]: [{}] }];
    }),
  );
  return [...fitting, ...wrong, null, [], "text", {}];
}

/** Returns what a function returns, or the text of its error. */
function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return String(error);
  }
}

test("the code of a large project accepts, decodes and writes the same values as that of a small one", async (t) => {
  const [small, large] = await Promise.all([codecs(t, 0), codecs(t, 510)]);
  const { text } = large;
  // Several types share the code of their first properties.
  for (const name of ["fields", "has", "decode", "text"]) {
    const calls = text.split(`$${name}_`).length - 1;
    assert.ok(calls >= 4, `${name}: ${calls}`);
  }
  let accepted = 0;
  for (const name of NAMES) {
    const [a, b] = [small, large].map(({ code }) => code[`${name}Validator`] as Validator<unknown>);
    const [c, d] = [small, large].map(({ code }) => code[`${name}Serializer`] as Serializer<unknown>);
    for (const value of values()) {
      assert.equal(b!.is(value), a!.is(value), name);
      assert.deepEqual(b!.failures(value), a!.failures(value), name);
      if (!a!.is(value)) {
        assert.deepEqual(
          outcome(() => d!.serialize(value as never)),
          outcome(() => c!.serialize(value as never)),
        );
        continue;
      }
      accepted += 1;
      const decoded = a!.decode(value);
      assert.deepEqual(b!.decode(value), decoded, name);
      assert.deepEqual(Object.keys(b!.decode(value) as object), Object.keys(decoded as object));
      assert.equal(d!.serialize(decoded as never), c!.serialize(decoded as never), name);
    }
  }
  assert.ok(accepted > 50, String(accepted));
});
