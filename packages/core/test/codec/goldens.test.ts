import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type TestContext, describe, test } from "node:test";

import { build } from "esbuild";

import type { CompiledApplication, Coercer, Serializer, ValidationFailure, Validator } from "@kit/types";

const root = new URL("../../../../", import.meta.url);
const goldens = new URL("crates/kit-emit/tests/goldens/", root);

interface ValidationCase {
  readonly app: string;
  readonly type: string;
  readonly input?: unknown;
  readonly text?: string;
  readonly nested?: {
    readonly open: string;
    readonly close: string;
    readonly inner?: string;
    readonly times: number;
  };
  readonly ok: boolean;
  readonly failures?: readonly ValidationFailure[];
  readonly decoded?: unknown;
}

interface TextCase {
  readonly app: string;
  readonly coercer: string;
  readonly query?: string;
  readonly params?: readonly string[];
  readonly value: unknown;
  readonly ok: boolean;
  readonly failures?: readonly ValidationFailure[];
}

const file = new URL("conformance/validation.json", root);
if (process.env["KIT_BLESS"] !== undefined) await writeFailures();
const vectors = JSON.parse(await readFile(file, "utf8")) as {
  readonly cases: readonly ValidationCase[];
  readonly text: readonly TextCase[];
};

/**
 * Writes the failures of this runtime into each vector of an invalid value, for review. Each vector is one line. Nested
 * vectors are skipped.
 */
async function writeFailures(): Promise<void> {
  const lines = (await readFile(file, "utf8")).split("\n");
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("    {")) continue;
    const comma = line.endsWith(",") ? "," : "";
    const vector = JSON.parse(comma === "" ? line : line.slice(0, -1)) as ValidationCase & TextCase;
    if (vector.ok || vector.nested !== undefined) continue;
    const { failures } = await validator(vector.app, vector.type ?? vector.coercer);
    const found = failures(vector.type === undefined ? vector.value : JSON.parse(jsonText(vector)));
    const words = JSON.stringify(found).replaceAll("\u2028", "\\u2028");
    const kept = line.replace(/, "(?:paths|failures)": .*$/, "").replace(/ \},?$/, "");
    lines[index] = `${kept}, "failures": ${words} }${comma}`;
  }
  await writeFile(file, lines.join("\n"));
}

async function load<T>(app: string, name: string): Promise<T> {
  const module = await codecs(app);
  assert.ok(module[name], `codecs.js exports ${name}`);
  return module[name] as T;
}

async function codecs(app: string): Promise<Record<string, unknown>> {
  return (await import(new URL(`${app}/codecs.js`, goldens).href)) as Record<string, unknown>;
}

function validator(app: string, type: string): Promise<Validator<unknown>> {
  return load(app, `${type}Validator`);
}

function serializer(app: string, type: string): Promise<Serializer<unknown>> {
  return load(app, `${type}Serializer`);
}

/** Returns failures as a response contains them. */
function inJson(failures: readonly ValidationFailure[]): unknown {
  return JSON.parse(JSON.stringify(failures));
}

async function hasSerializer(app: string, type: string): Promise<boolean> {
  return `${type}Serializer` in (await codecs(app));
}

function jsonText(vector: ValidationCase): string {
  if (vector.text !== undefined) return vector.text;
  if (vector.nested === undefined) return JSON.stringify(vector.input);
  const { open, close, inner = "", times } = vector.nested;
  return open.repeat(times) + inner + close.repeat(times);
}

/** Replaces the types that JSON lacks in a decoded value: a `Date` becomes `{ $date: "…" }`, as in the vectors. */
function neutral(value: unknown): unknown {
  if (typeof value === "bigint") return { $bigint: value.toString() };
  if (value instanceof Date) return { $date: value.toISOString() };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return value.map(neutral);
  if (typeof value !== "object" || value === null) return value;
  assert.equal(Object.getPrototypeOf(value), Object.prototype, "a handler gets plain objects");
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, neutral(item)]));
}

describe("conformance vectors of validators", () => {
  for (const [index, vector] of vectors.cases.entries()) {
    test(`${index}: ${vector.type} ${vector.ok ? "accepts" : "refuses"} ${jsonText(vector).slice(0, 60)}`, async () => {
      const { is, failures, decode } = await validator(vector.app, vector.type);
      const value: unknown = JSON.parse(jsonText(vector));
      assert.equal(is(value), vector.ok);
      const found = failures(value);
      assert.equal(found.length === 0, vector.ok, JSON.stringify(found.slice(0, 3)));
      if (vector.failures !== undefined) assert.deepEqual(inJson(found), vector.failures);
      // An error must contain JSON of limited size.
      assert.ok(JSON.stringify(found).length < 20_000);
      if (!vector.ok || vector.nested !== undefined) return;
      const decoded = decode(value);
      assert.deepEqual(neutral(decoded), vector.decoded ?? JSON.parse(jsonText(vector)));
    });
  }
});

describe("generated serializers", () => {
  test("write JSON that the validator accepts and that decodes to the same value", async () => {
    let written = 0;
    for (const vector of vectors.cases) {
      if (!vector.ok || !(await hasSerializer(vector.app, vector.type))) continue;
      const { decode, is } = await validator(vector.app, vector.type);
      const { serialize, failures } = await serializer(vector.app, vector.type);
      const value = decode(JSON.parse(jsonText(vector)));
      // Inputs without generated values are not valid responses.
      if (failures(value).length > 0) continue;
      const again: unknown = JSON.parse(serialize(value));
      assert.ok(is(again), serialize(value));
      assert.deepEqual(decode(again), value);
      written++;
    }
    assert.ok(written > 20, `only ${written} vectors were written`);
  });

  test("write only declared properties, in the order of their declaration", async () => {
    const { serialize } = await serializer("notes", "Note");
    const date = new Date(0);
    const note = {
      updatedAt: date,
      createdAt: date,
      secret: 1,
      id: "i",
      title: 't"\n',
      content: "\ud800",
      authorId: "a",
      archived: false,
    };
    assert.equal(
      serialize(note),
      '{"id":"i","title":"t\\"\\n","content":"\\ud800","authorId":"a","archived":false,' +
        '"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}',
    );
  });

  test("do not call toJSON of values with declared types", async () => {
    const { serialize } = await serializer("notes", "NoteSummary");
    const summary = { id: "i", title: "t", archived: true, createdAt: new Date(0), toJSON: () => "no" };
    assert.equal(
      serialize(summary),
      '{"id":"i","title":"t","archived":true,"createdAt":"1970-01-01T00:00:00.000Z"}',
    );
  });

  test("leave out absent optional properties without extra commas", async () => {
    const { serialize } = await serializer("notes", "UpdateNoteInput");
    assert.equal(serialize({}), "{}");
    assert.equal(serialize({ archived: true }), '{"archived":true}');
    assert.equal(
      serialize({ title: undefined, content: "c", archived: true }),
      '{"content":"c","archived":true}',
    );
  });

  test("throw an error with the path of a value that has no JSON form", async () => {
    const page = await serializer("notes", "PaginatedResponseOfNoteSummary");
    const item = { id: "i", title: "t", archived: true, createdAt: new Date(0) };
    const pagination = { total: 1, page: 1, pageSize: 20, totalPages: 1 };
    const bad =
      (data: unknown, more: object = pagination): (() => string) =>
      () =>
        page.serialize({ data, pagination: more });
    assert.throws(bad([item, { ...item, createdAt: new Date(Number.NaN) }]), {
      name: "TypeError",
      message: /\$\.data\[1\]\.createdAt should be valid Date.*, but is invalid Date/,
    });
    assert.throws(bad([], { ...pagination, total: Number.NaN }), /\$\.pagination\.total should be number/);
    assert.throws(bad([{ ...item, title: 5 }]), /\$\.data\[0\]\.title should be string.*number 5/);
    assert.throws(bad([null]), /\$\.data\[0\] should be object \(NoteSummary\), but is null/);
    assert.throws(bad(undefined), /\$\.data should be array, but is nothing/);
    assert.throws(() => page.serialize(undefined), /: \$ should be object/);
    // A broken rule is no reason to refuse a value. A date that RFC 3339 cannot express is one.
    assert.doesNotThrow(bad([{ ...item, title: "" }]));
    assert.throws(bad([{ ...item, createdAt: new Date(8.64e15) }]), /createdAt/);
  });

  test("refuse an object that contains itself", async () => {
    const { serialize } = await serializer("kitchen-sink", "Tree");
    const tree: { name: string; children: unknown[] } = { name: "a", children: [] };
    tree.children.push(tree);
    assert.throws(() => serialize(tree), /256 levels/);
  });

  test("report the broken rules of a handler's value", async () => {
    const { failures } = await serializer("notes", "Note");
    const note = {
      id: "123e4567-e89b-12d3-a456-426614174000",
      title: "",
      content: "c",
      authorId: "a",
      createdAt: "2026-01-01T00:00:00Z",
      updatedAt: new Date(),
    };
    assert.deepEqual(
      failures(note).map(({ path, expected, received }) => [path, expected, received]),
      [
        ["$.title", "string, 1 to 200 characters", "string of 0 characters"],
        ["$.archived", "boolean", "nothing"],
        ["$.createdAt", "valid Date of the years 0 to 9999", "string of 20 characters"],
      ],
    );
    assert.equal(failures(note, 1).length, 1);
  });
});

describe("conformance vectors of coercers", () => {
  for (const vector of vectors.text) {
    test(`${vector.coercer} reads ${vector.query ?? String(vector.params)}`, async () => {
      const coercer = await load<Coercer>(vector.app, `${vector.coercer}Coercer`);
      const { is, failures } = await validator(vector.app, vector.coercer);
      const value =
        vector.query === undefined ? coercer.params?.(vector.params ?? []) : coercer.query?.(vector.query);
      assert.deepEqual(value, vector.value);
      assert.equal(Object.getPrototypeOf(value), Object.prototype);
      assert.equal(is(value), vector.ok);
      assert.deepEqual(inJson(failures(value)), vector.failures ?? []);
    });
  }
});

test("`is` and `failures` of a validator agree on a thousand mutated inputs for each type", async () => {
  let state = 42;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  const junk: readonly unknown[] = [
    null,
    true,
    0,
    -0.5,
    1e21,
    "",
    "x",
    "1",
    "2026-01-01T00:00:00Z",
    "AAE=",
    [],
    {},
    [[]],
    { a: "x" },
    { kind: "circle" },
  ];
  const mutated = (value: unknown): unknown => {
    if (random(6) === 0) return junk[random(junk.length)];
    if (Array.isArray(value)) {
      const items = value.map((item) => (random(3) === 0 ? mutated(item) : (item as unknown)));
      return random(5) === 0 ? [...items, junk[random(junk.length)]] : items;
    }
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(() => random(8) !== 0);
    return Object.fromEntries(
      entries.map(([key, item]) => [key, random(2) === 0 ? mutated(item) : (item as unknown)]),
    );
  };
  const counts = { taken: 0, refused: 0 };
  for (const vector of vectors.cases) {
    if (vector.nested !== undefined) continue;
    const { is, failures, decode } = await validator(vector.app, vector.type);
    const source: unknown = JSON.parse(jsonText(vector));
    for (let round = 0; round < 1000; round++) {
      const value = mutated(source);
      const taken = is(value);
      assert.equal(failures(value).length === 0, taken, `${vector.type} ${JSON.stringify(value)}`);
      counts[taken ? "taken" : "refused"]++;
      if (!taken || !(await hasSerializer(vector.app, vector.type))) continue;
      const { serialize } = await serializer(vector.app, vector.type);
      const decoded = decode(value);
      const complete = (await serializer(vector.app, vector.type)).failures(decoded).length === 0;
      if (complete) assert.ok(is(JSON.parse(serialize(decoded))));
    }
  }
  assert.ok(counts.taken > 1000 && counts.refused > 1000, JSON.stringify(counts));
});

test("failures of sensitive fields do not contain their values", async () => {
  const { failures } = await validator("kitchen-sink", "Strings");
  const [failure] = failures({ secret: "hunter" });
  assert.deepEqual(failure, {
    path: "$.secret",
    expected: "string, 8 to 72 characters",
    received: "string",
    value: "[redacted]",
    rule: "minLength",
    limit: 8,
  });
  const [empty] = failures({ secret: "" });
  assert.equal(empty?.received, "string of 0 characters");
  assert.equal(empty?.value, "[redacted]");
  const [whole] = failures([{ secret: "hunter" }]);
  assert.equal(whole?.value, "[redacted]");
});

test("the compiled application of the fixture kitchen-sink loads, and its path parameters are assigned by name", async () => {
  const module = (await import(new URL("kitchen-sink/routes/index.ts", goldens).href)) as {
    default: CompiledApplication;
  };
  const application = module.default;
  assert.equal(application.version, 1);
  assert.equal(application.routes.length, application.tree.metadata.totalRoutes);
  for (const route of application.routes) assert.equal(application.table[route.ref]?.path, route.path);
  const swapped = application.routes.find((route) => route.ref === "DELETE /swapped/:b/:a");
  assert.deepEqual(swapped?.params?.params(["text", "5"]), { a: 5, b: "text" });
  assert.equal((JSON.parse(await application.openapi()) as { openapi: string }).openapi, "3.1.0");
});

test("generated modules pass the strictest type check of tsc", () =>
  typesHold(fileURLToPath(new URL("tsconfig.goldens.json", import.meta.url))));

/** Copies goldens to a directory, without the comments that disable the type check. */
async function checkedCopy(t: TestContext, apps: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), "kit-goldens-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await symlink(fileURLToPath(new URL("node_modules", root)), join(directory, "node_modules"), "junction");
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
  for (const app of apps) {
    await cp(new URL(`${app}/`, goldens), join(directory, app), { recursive: true });
    for (const name of await readdir(join(directory, app), { recursive: true })) {
      if (!/\.[jt]s$/.test(name)) continue;
      const path = join(directory, app, name);
      const text = await readFile(path, "utf8");
      await writeFile(path, text.replace(/^\/\/ @ts-nocheck\n/m, "//\n"));
    }
  }
  return directory;
}

function settings(compilerOptions: object, include: readonly string[]): string {
  const typeRoots = [fileURLToPath(new URL("node_modules/@types", root))];
  return JSON.stringify({
    extends: fileURLToPath(new URL("tsconfig.base.json", root)),
    compilerOptions: { typeRoots, ...compilerOptions },
    include,
    // Tests of an application that does not exist here. Those of the examples are checked with the examples.
    exclude: ["tests"],
  });
}

const checked = ["contracts", "directions", "kitchen-sink", "notes"] as const;

test("generated modules pass the type check of tsc even without the comments that disable it", async (t) => {
  const directory = await checkedCopy(t, checked);
  // One at a time, because each module declares that its type names are those of the project.
  for (const app of checked) {
    await writeFile(join(directory, app, "tsconfig.json"), settings({ skipLibCheck: false }, ["**/*.ts"]));
    await typesHold(join(directory, app));
  }
});

test("generated JavaScript uses only names that exist", async (t) => {
  const directory = await checkedCopy(t, checked);
  for (const app of checked) {
    for (const name of ["runtime", "codecs", "routes/routes", "routes/tree"]) {
      await rm(join(directory, app, `${name}.d.ts`));
    }
    const options = { allowJs: true, checkJs: true, strict: false, isolatedDeclarations: false };
    await writeFile(join(directory, app, "tsconfig.json"), settings(options, ["*.js", "routes/*.js"]));
    const errors = await typeErrors(join(directory, app));
    // Other errors are about types, which JavaScript does not declare.
    const missing = /error TS(?:1\d{3}|2304|2305|2306|2307|2440|2451|2552|2724):/;
    assert.deepEqual(
      errors.split("\n").filter((line) => missing.test(line)),
      [],
    );
  }
});

test("a bundle contains only the code of the types that it imports", async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { StringsValidator } from "./codecs.js";',
      resolveDir: fileURLToPath(new URL("kitchen-sink", goldens)),
    },
    bundle: true,
    format: "esm",
    external: ["@kit/core/codec"],
    write: false,
  });
  const text = outputFiles[0]!.text;
  assert.match(text, /var StringsValidator = /);
  assert.doesNotMatch(text, /Containers|Choices|Serializer/);
});

async function typesHold(project: string): Promise<void> {
  assert.equal(await typeErrors(project), "");
}

async function typeErrors(project: string): Promise<string> {
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  const run = promisify(execFile)(process.execPath, [tsc, "-p", project], { maxBuffer: 2 ** 26 });
  return run.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}
