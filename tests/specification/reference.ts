// Finds the tests that statements name. Sources are parsed, because a title in a comment or of a skipped test proves nothing.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSync } from "vite";
import { repository } from "../e2e/support/project.ts";
import type { Reference } from "./statement.ts";

/** Files that `cargo xtask test` runs: a pattern of their paths, and a function that finds their tests. */
const kinds: readonly {
  readonly pattern: RegExp;
  readonly titles: (text: string, file: string) => string[];
}[] = [
  { pattern: /^(tests|packages\/[^/]+\/test)\/.+\.test\.ts$/, titles: titlesOfNode },
  { pattern: /^(crates\/[^/]+\/(src|tests)|xtask\/src)\/.+\.rs$/, titles: titlesOfRust },
  { pattern: /^conformance\/.+\.json$/, titles: titlesOfCases },
];

const known = new Map<string, readonly string[]>();

/** Asserts that the file contains the test exactly once, and that the test is not skipped. */
export async function requireTest({ file, test }: Reference): Promise<void> {
  const titles = await titlesOf(file);
  const found = titles.filter((title) => title === test || title.endsWith(` > ${test}`));
  assert.ok(
    found.length > 0,
    `${file} has no test ${JSON.stringify(test)} that is run. It has:\n${titles.join("\n")}`,
  );
  assert.equal(
    found.length,
    1,
    `${file} has several tests of that title; write the suite's title before it:\n${found.join("\n")}`,
  );
}

async function titlesOf(file: string): Promise<readonly string[]> {
  let titles = known.get(file);
  if (titles === undefined) {
    const kind = kinds.find(({ pattern }) => pattern.test(file));
    assert.ok(kind, `${file}: \`cargo xtask test\` runs no such file`);
    assert.ok(existsSync(join(repository, file)), `there is no file ${file}`);
    titles = kind.titles(await readFile(join(repository, file), "utf8"), file);
    known.set(file, titles);
  }
  return titles;
}

type Node = Readonly<Record<string, unknown>> & { readonly type: string };

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

const suites = new Set(["describe", "suite"]);
const tests = new Set(["test", "it"]);

/** Returns the titles of all tests in a file for node:test. The titles of the suites around a test come first: `suite > test`. */
export function titlesOfNode(text: string, file: string): string[] {
  const { program, errors } = parseSync(file, text);
  assert.deepEqual(errors, [], file);
  const titles: string[] = [];
  const visit = (value: unknown, around: readonly string[]): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, around);
    if (!isNode(value)) return;
    const call = value.type === "CallExpression" ? callOf(value, text) : undefined;
    if (call?.isSkipped === true) return;
    const path = call === undefined ? around : [...around, call.title];
    if (call !== undefined && tests.has(call.name)) titles.push(path.join(" > "));
    for (const [key, child] of Object.entries(value)) if (key !== "type") visit(child, path);
  };
  visit(program, []);
  return titles;
}

interface Call {
  readonly name: string;
  readonly title: string;
  readonly isSkipped: boolean;
}

/** Returns the call if the node is one of `test`, `it`, `t.test`, `describe` or `suite`, otherwise `undefined`. */
function callOf(node: Node, text: string): Call | undefined {
  const callee = node["callee"] as Node;
  const [title, second] = node["arguments"] as readonly Node[];
  const name = callee.type === "MemberExpression" ? (callee["property"] as Node)["name"] : callee["name"];
  if (typeof name !== "string" || title === undefined) return undefined;
  if (name === "skip" || name === "todo") {
    const object = (callee["object"] as Node)["name"];
    const isTest = typeof object === "string" && (tests.has(object) || suites.has(object));
    return isTest ? { name: String(object), title: "", isSkipped: true } : undefined;
  }
  if (!tests.has(name) && !suites.has(name)) return undefined;
  const written = titleOf(title, text);
  return written === undefined ? undefined : { name, title: written, isSkipped: isSkipped(second) };
}

/** Returns the title that a node contains. For a template literal, this is the source between its backticks. */
function titleOf(node: Node, text: string): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  return text.slice(Number(node["start"]) + 1, Number(node["end"]) - 1);
}

/**
 * Returns true if the options contain `skip: true` or `todo: true`. Other values, such as `skip: process.platform === "win32"`, do not mean
 * that the test is skipped.
 */
function isSkipped(options: Node | undefined): boolean {
  if (options?.type !== "ObjectExpression") return false;
  return (options["properties"] as readonly Node[]).some((property) => {
    const [key, value] = [property["key"], property["value"]];
    if (!isNode(key) || !isNode(value)) return false;
    return (key["name"] === "skip" || key["name"] === "todo") && value["value"] === true;
  });
}

/** Returns the names of the test functions in a Rust file. Ignored tests do not occur, because `cargo xtask tidy` refuses them. */
export function titlesOfRust(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/\*[^]*?\*\/|\/\/.*$)/gm, "");
  const functions = /((?:#\[[^\]]*\]\s*)+)(?:async\s+)?fn\s+(\w+)\s*\(/g;
  return [...code.matchAll(functions)]
    .filter(([, attributes = ""]) => /#\[(?:tokio::)?test\b/.test(attributes))
    .map(([, , name = ""]) => name);
}

/** Returns the names of the cases in a file of `conformance/`. */
function titlesOfCases(text: string): string[] {
  const { cases } = JSON.parse(text) as { cases: readonly { name: string }[] };
  return cases.map(({ name }) => name);
}
