// Runs the examples in the doc comments of the modules whose functions need no application.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { describe, it } from "node:test";

import * as codec from "../src/codec/index.ts";
import * as router from "../src/router/index.ts";

/** Functions whose examples need a compiled application. */
const skipped: ReadonlySet<string> = new Set(["createMatcher"]);

/** Returns the source of the file that declares an exported name. */
function sourceOf(module: string, name: string): string {
  const index = new URL(`../src/${module}/index.ts`, import.meta.url);
  for (const [, names, file] of readFileSync(index, "utf8").matchAll(
    /^export \{([^}]*)\} from "([^"]+)";/gm,
  )) {
    const declared = names!.split(",").map((text) => text.trim());
    if (declared.includes(name)) return readFileSync(new URL(file!, index), "utf8");
  }
  throw new Error(`${module} does not export ${name}`);
}

/** Returns the lines of the example in the doc comment of a function or class. */
function exampleOf(source: string, name: string): string[] {
  const declaration = source.search(new RegExp(`^export (?:function|class) ${name}\\b`, "m"));
  const start = source.lastIndexOf("/**", declaration);
  const [, example] = /\* @example\n([^]*?)(?:\n \* @| \*\/)/.exec(source.slice(start, declaration)) ?? [];
  assert.ok(example, `the doc comment of ${name} has no @example`);
  const lines = example.split("\n").map((line) => line.replace(/^ \*\s*/, ""));
  return lines.filter((line) => line !== "" && !line.startsWith("```"));
}

/** Runs an example. A statement is an expression and a comment with its result. Other lines are declarations. */
function run(lines: readonly string[], scope: Readonly<Record<string, unknown>>): void {
  const evaluate = (declarations: string, expression: string): unknown => {
    const code = stripTypeScriptTypes(`${declarations}\nvoid 0;`);
    return new Function(...Object.keys(scope), `${code} return (${expression});`)(...Object.values(scope));
  };
  let declarations = "";
  for (const [, expression, result] of lines.join("\n").matchAll(/^(.*);(?:\s*\/\/ (.*))?$/gm)) {
    if (result === undefined) declarations += `${expression};\n`;
    else if (result.startsWith("throws ")) {
      assert.throws(() => evaluate(declarations, expression!), { name: result.slice("throws ".length) });
    } else assert.deepEqual(evaluate(declarations, expression!), evaluate("", result), expression);
  }
}

for (const [module, scope] of Object.entries({ codec, router })) {
  describe(`the examples of @kit/core/${module}`, () => {
    for (const [name, value] of Object.entries(scope)) {
      if (typeof value !== "function" || skipped.has(name)) continue;
      it(`shows a result of ${name} that the function returns`, () => {
        const lines = exampleOf(sourceOf(module, name), name);
        assert.ok(
          lines.some((line) => line.includes("//")),
          `the example of ${name} has no result`,
        );
        run(lines, scope);
      });
    }
  });
}
