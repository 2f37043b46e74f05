/**
 * Measures how much longer TypeScript checks a project because of its generated code, and how large this code is:
 * `node bench/compile/type-check.ts [TYPES …]`. Each size is measured with two projects: one with interfaces and a route
 * for every fifth of them, and the project of `bench compile` with a client and contract tests, in which one of twenty types
 * has a table.
 */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import { median } from "../figures.ts";
import { writeProject } from "./project.ts";

const repository = join(import.meta.dirname, "../..");
const tsc = join(repository, "node_modules/typescript/bin/tsc");
const kit = join(repository, "packages/cli/bin/kit.js");
const rounds = 5;

/** One run of tsc. */
interface Check {
  readonly milliseconds: number;
  readonly megabytes: number;
}

function check(root: string, config: string): Check {
  const start = performance.now();
  const args = [tsc, "-p", config, "--extendedDiagnostics"];
  const text = execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  const milliseconds = performance.now() - start;
  const kilobytes = /^Memory used:\s+(\d+)K/m.exec(text)?.[1];
  if (kilobytes === undefined) throw new Error(`tsc printed no memory:\n${text}`);
  return { milliseconds, megabytes: Number(kilobytes) / 1024 };
}

function settings(include: readonly string[]): string {
  const compilerOptions = {
    target: "es2024",
    lib: ["es2024"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  };
  return JSON.stringify({ compilerOptions, include });
}

/** Writes a project of interfaces with eight properties, 50 in a file. The handlers of its routes are empty. */
function writeInterfaces(root: string, count: number): void {
  mkdirSync(join(root, "src"));
  for (let file = 0; file * 50 < count; file += 1) {
    const numbers = Array.from({ length: Math.min(50, count - file * 50) }, (_, index) => file * 50 + index);
    const types = numbers.map((number, index) => {
      const inner = index === 0 ? "string" : `Item${number - 1}`;
      return `/** Item ${number}. */
export interface Item${number} {
  /** @format uuid */
  id: string;
  /** @minLength 1 @maxLength 200 */
  title: string;
  state: "draft" | "active" | "closed";
  count: number;
  createdAt: Date;
  note?: string | null;
  tags: string[];
  inner?: ${inner};
}
`;
    });
    const routes = numbers.filter((number) => number % 5 === 0);
    const contracts = routes.map(
      (number) =>
        `  "PUT /items${number}/:id": RouteContract<{ id: string }, void, Item${number}, Item${number}>;\n`,
    );
    const handlers = routes.map((number) => `  "PUT /items${number}/:id": ({ body }) => body,\n`);
    const names = routes.map((number) => `Item${number}`).join(", ");
    writeFileSync(join(root, `src/part${file}.types.ts`), types.join("\n"));
    writeFileSync(
      join(root, `src/part${file}.routes.ts`),
      `import type { RouteContract } from "@kit/types";
import type { ${names} } from "./part${file}.types.ts";

export interface Part${file}Routes {
${contracts.join("")}}
`,
    );
    writeFileSync(
      join(root, `src/part${file}.handlers.ts`),
      `import { defineHandlers } from "@kit/core";
import type { Part${file}Routes } from "./part${file}.routes.ts";

export const part${file}Handlers = defineHandlers<Part${file}Routes>({
${handlers.join("")}});
`,
    );
  }
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function measure(description: string, packages: readonly string[], write: (root: string) => void): void {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "kit-type-check-"));
  try {
    mkdirSync(join(root, "tests"));
    symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
    const devDependencies = Object.fromEntries(packages.map((name) => [name, "*"]));
    writeFileSync(
      join(root, "package.json"),
      JSON.stringify({ name: "big", type: "module", devDependencies }),
    );
    writeFileSync(join(root, "tsconfig.json"), settings(["src", ".kit/**/*"]));
    writeFileSync(join(root, "alone.json"), settings(["src"]));
    write(root);
    // The project uses the packages itself, so that their own types count for both runs.
    const uses = packages.map((name) => `export type * from "${name}";\n`);
    writeFileSync(join(root, "src/packages.ts"), `${uses.join("")}export {};\n`);
    const args = [kit, "build", "--no-compile"];
    execFileSync(process.execPath, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    // The first round fills the caches of the file system.
    const pairs = Array.from({ length: rounds + 1 }, () => ({
      alone: check(root, "alone.json"),
      both: check(root, "tsconfig.json"),
    })).slice(1);
    const of = (name: "alone" | "both", unit: keyof Check): number =>
      median(pairs.map((pair) => pair[name][unit]));
    const [alone, both] = [of("alone", "milliseconds"), of("both", "milliseconds")];
    const [memoryAlone, memoryBoth] = [of("alone", "megabytes"), of("both", "megabytes")];
    const entries = readdirSync(join(root, ".kit"), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const sizes = new Map<string, number>();
    for (const { parentPath, name } of files) {
      const directory = relative(join(root, ".kit"), parentPath);
      // Files of types, tables and contract groups count together.
      const ending = name.slice(name.indexOf(".", 1));
      const isSingle = directory === "" || directory === "routes" || name === "openapi.json";
      const kind = join(directory, isSingle ? name : `*${ending}`);
      sizes.set(kind, (sizes.get(kind) ?? 0) + statSync(join(parentPath, name)).size);
    }
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    console.log(
      `${description}: src ${alone.toFixed(0)} ms, ${memoryAlone.toFixed(0)} MiB; ` +
        `with .kit ${both.toFixed(0)} ms, ${memoryBoth.toFixed(0)} MiB ` +
        `(${(both / alone).toFixed(2)} and ${(memoryBoth / memoryAlone).toFixed(2)} times); ` +
        `.kit ${inMegabytes(bytes)} in ${files.length} files`,
    );
    const largest = [...sizes].toSorted(([, a], [, b]) => b - a).slice(0, 8);
    console.log(`  ${largest.map(([kind, size]) => `${kind} ${inMegabytes(size)}`).join(", ")}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const given = process.argv.slice(2).map(Number);
for (const types of given.length > 0 ? given : [1000, 5000]) {
  measure(`${types} interfaces`, [], (root) => writeInterfaces(root, types));
  measure(`${types} types of features`, ["@kit/client", "@kit/testing"], (root) =>
    writeProject(root, Math.round(types / 50)),
  );
}
