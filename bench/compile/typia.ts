/** Input of `typia generate` for `bench compile`, and a check of its output. */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { size } from "./project.ts";

const peers = join(import.meta.dirname, "peers");
const input = join(peers, "src");
const output = join(peers, "generated");

/** Arguments of Node that run `typia generate`. */
export const generate: readonly string[] = [
  join(peers, "node_modules/typia/lib/executable/typia.js"),
  "generate",
  "--input",
  input,
  "--output",
  output,
  "--project",
  join(peers, "tsconfig.json"),
];

/** Types whose JSON typia refuses to generate, because they have a `bigint` or contain a type with a `bigint`. */
const withBigint = /(?:Statistics|Details)$/;

/**
 * Writes the file from which typia generates code: calls of `createIs`, `createValidate` and `json.createStringify` for each type of the
 * project in `app`.
 */
export function writeInput(app: string): void {
  const imports: string[] = [];
  const names: string[] = [];
  for (const file of globSync("src/**/*.types.ts", { cwd: app }).toSorted()) {
    const text = readFileSync(join(app, file), "utf8");
    // Without generic types, for which typia has no functions.
    const own = [...text.matchAll(/^export (?:interface|type) (\w+) /gm)].map((match) => match[1]!);
    if (own.length === 0) continue;
    imports.push(`import type {\n${own.map((name) => `  ${name},\n`).join("")}} from "../../app/${file}";`);
    names.push(...own);
  }
  // The only generic type is `Paginated`.
  if (names.length !== size.types - 1) throw new Error(`found ${names.length} of ${size.types - 1} types`);
  const parts = [
    `import { createIs, createValidate, json } from "typia";`,
    ...imports,
    object("is", "createIs", names),
    object("validate", "createValidate", names),
    object(
      "stringify",
      "json.createStringify",
      names.filter((name) => !withBigint.test(name)),
    ),
  ];
  rmSync(input, { recursive: true, force: true });
  mkdirSync(input);
  writeFileSync(join(input, "typia.ts"), `${parts.join("\n")}\n`);
}

/** Returns the source of an object with a call for each type. */
function object(variable: string, create: string, types: readonly string[]): string {
  return `export const ${variable} = {\n${types.map((name) => `  ${name}: ${create}<${name}>(),\n`).join("")}};`;
}

/** Removes the generated code. */
export function forget(): void {
  rmSync(output, { recursive: true, force: true });
}

/** Module that typia generates. */
interface Generated {
  readonly is: Readonly<Record<string, (value: unknown) => boolean>>;
  readonly validate: Readonly<
    Record<string, (value: unknown) => { success: boolean; errors?: readonly { path: string }[] }>
  >;
  readonly stringify: Readonly<Record<string, (value: unknown) => string>>;
}

let checks = 0;

/**
 * Fails if the generated code lacks functions, accepts wrong values, or belongs to another text of the edited file.
 *
 * @param edited True if the last run was one after the edit, which raises the maximum of a quantity from 1,000 to 2,000.
 */
export async function check(edited: boolean): Promise<void> {
  // Node returns the module of the last check for an equal address.
  const url = `${pathToFileURL(join(output, "typia.ts")).href}?check=${(checks += 1)}`;
  const { is, validate, stringify } = (await import(url)) as Generated;
  const names = Object.keys(is);
  expect("number of checks", names.length, size.types - 1);
  expect("number of validators", Object.keys(validate).length, names.length);
  expect(
    "number of serializers",
    Object.keys(stringify).length,
    names.filter((name) => !withBigint.test(name)).length,
  );
  // A type that typia cannot resolve is `any`, whose functions accept every value.
  for (const name of names) {
    expect(`${name}: is`, is[name]!(undefined), false);
    expect(`${name}: validate`, validate[name]!(undefined).success, false);
  }
  const type = "UpdateMessagesItem";
  expect(`${type}: is`, is[type]!({ quantity: 1_500 }), edited);
  expect(`${type}: validate`, validate[type]!({ quantity: 1_500 }).success, edited);
  expect(`${type}: failure`, validate[type]!({ quantity: 2_500 }).errors?.[0]?.path, "$input.quantity");
  expect(`${type}: stringify`, stringify[type]!({ quantity: 7, other: 1 }), '{"quantity":7}');
}

function expect(subject: string, received: unknown, expected: unknown): void {
  if (received !== expected)
    throw new Error(`typia, ${subject}: expected ${String(expected)}, received ${String(received)}`);
}
