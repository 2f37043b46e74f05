/**
 * Tests a project whose entities have names that generated files use for other types: those of TypeScript, the query builders and kit.
 * Every generated file must pass `tsc --strict`, for each query builder.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");

/** Names that generated files use for other types: those of TypeScript and its library, the query builders, and kit itself. */
const NAMES: readonly string[] = `
  Array BigInt Boolean Date Error Exclude Finite Function Infinity JSON Map Math NaN NonNullable Number Object Omit Partial Pick Promise
  Readonly ReadonlySet Record RegExp Required Set String Symbol URI URL Uint8Array
  AnyPgColumn Column ColumnType Database DatesTable Generated Insertable Kysely Selectable Sql Table Updateable
  Client ClientOptions Codecs Coercer CompiledApplication Contracts Failure Inputs ProjectTypeMap MemberSelector ObjectExplainer Route
  RouteTableEntry Routes Serializer Shape StringTest TypeName Types UnionShape Validator Wire
`
  .trim()
  .split(/\s+/);

/**
 * Aliases of global types. They are in another file, because a file that declares types with these names cannot refer to the global ones.
 */
const GLOBALS = `
export type Instant = Date;
export type Raw = Uint8Array;
export type Counts = Record<string, number>;
`;

const entity = (name: string): string => `
/** @table t_${name.toLowerCase()} */
export interface ${name} {
  /** @id @generated uuid */
  id: string;
  /** @generated now */
  createdAt: Instant;
  /** @onUpdate now */
  changedAt: Instant;
  expiresAt: Instant | null;
  amount: bigint;
  raw: Raw;
  size: { width: number; height?: number };
  kind: "a" | "b";
  /** @default ["new"] */
  tags: string[];
  counts: Counts;
  nothing: { [key: symbol]: string };
  /** @pattern ^a */
  stringContent?: string;
  toBigInt?: bigint;
  JSON?: Instant;
}
export interface ${name}Body extends Omitted<${name}, "id"> {}
`;

const omitted = `
type Omitted<T, Left extends string> = { [K in keyof T as K extends Left ? never : K]: T[K] };
`;

const routes = (name: string): string => {
  const path = name.toLowerCase();
  return `
  "POST /${path}": RouteContract<void, void, Types.${name}Body, Types.${name}>;
  "PUT /${path}/:id": RouteContract<{ id: string }, { at?: Types.Instant; tags?: string[] }, Types.${name}, Types.${name}[]>;
`;
};

const handlers = (name: string): string => {
  const path = name.toLowerCase();
  return `
  "POST /${path}": unfinished,
  "PUT /${path}/:id": unfinished,
`;
};

describe("entities with names that generated files use for other types", { timeout: 300_000 }, () => {
  let home: string;

  before(async () => {
    // The project is below the repository, so that Node finds the libraries.
    await mkdir(join(ROOT, "target"), { recursive: true });
    home = await mkdtemp(join(ROOT, "target/names-"));
  });
  after(() => rm(home, { recursive: true, force: true, maxRetries: 200, retryDelay: 100 }));

  for (const adapter of ["drizzle", "kysely", "raw"]) {
    test(`pass tsc in every generated file with ${adapter}`, async () => {
      const project = join(home, adapter);
      const files = {
        "package.json": JSON.stringify({
          name: adapter,
          type: "module",
          dependencies: { "@kit/core": "*", "@kit/client": "*", "@kit/testing": "*" },
          kit: { database: { adapter } },
        }),
        "tsconfig.json": JSON.stringify({ compilerOptions: OPTIONS, include: ["src", ".kit/**/*"] }),
        "src/globals.types.ts": GLOBALS,
        "src/names.types.ts": `import type { Counts, Instant, Raw } from "./globals.types.ts";\nexport type { Instant };\n${omitted}${NAMES.map(entity).join("")}`,
        "src/names.routes.ts": `import type { RouteContract } from "@kit/types";\nimport type * as Types from "./names.types.ts";\nexport interface NameRoutes {${NAMES.map(routes).join("")}}\n`,
        "src/app.ts": `import { createApp, defineHandlers } from "@kit/core";\nimport { nativeServer } from "@kit/server-native";\nimport type { NameRoutes } from "./names.routes.ts";\n\nconst unfinished = (): never => {\n  throw new Error("unfinished");\n};\n\nconst handlers = defineHandlers<NameRoutes>({${NAMES.map(handlers).join("")}});\n\nexport const app = createApp({ server: nativeServer(), routes: [{ handlers }] });\n`,
      };
      await mkdir(join(project, "src"), { recursive: true });
      for (const [path, text] of Object.entries(files)) await writeFile(join(project, path), text);
      await node(project, "@kit/cli/bin/kit.js", "build");

      const made = await readdir(join(project, ".kit"), { recursive: true });
      for (const directory of ["client", "routes", "schemas", "testing", "tests"]) {
        assert.ok(
          made.some((path) => path.startsWith(directory) && path.endsWith(".ts")),
          `there is no file in .kit/${directory}`,
        );
      }
      assert.equal(made.filter((path) => /^schemas.t_\w+\.ts$/.test(path)).length, NAMES.length);
      await node(project, "typescript/bin/tsc", "--project", ".");
    });
  }
});

/** Options of the TypeScript compiler. They are as strict as those of kit itself. */
const OPTIONS = {
  target: "es2024",
  lib: ["es2024"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

async function node(cwd: string, program: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [join(ROOT, "node_modules", program), ...args], {
    cwd,
    maxBuffer: 1 << 26,
  }).catch((error: { stdout: string; stderr: string }) => assert.fail(`${error.stdout}${error.stderr}`));
}
