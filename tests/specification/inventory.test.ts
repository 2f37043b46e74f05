// Counts the statements, and checks that every section is run.

import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { type Kind, kindOf, nameOf, type Section } from "./statement.ts";

const directory = import.meta.dirname;

/** Returns every section, by the name under which its module exports it. */
async function allSections(): Promise<ReadonlyMap<string, Section>> {
  const sections = new Map<string, Section>();
  for await (const path of glob("sections/*.ts", { cwd: directory })) {
    const module = (await import(pathToFileURL(join(directory, path)).href)) as Readonly<
      Record<string, Section>
    >;
    for (const [name, section] of Object.entries(module)) {
      assert.ok(!sections.has(name), `two modules export ${name}`);
      sections.set(name, section);
    }
  }
  return sections;
}

test("every section is run by exactly one file", async () => {
  const run: string[] = [];
  for await (const path of glob("*.test.ts", { cwd: directory })) {
    const [, names = ""] = /^run\(([^)]*)\);$/m.exec(await readFile(join(directory, path), "utf8")) ?? [];
    run.push(...names.split(",").map((name) => name.trim()));
  }
  assert.deepEqual(
    run.filter((name) => name !== "").toSorted(),
    [...(await allSections()).keys()].toSorted(),
  );
});

test("all statements have different names, and are counted by kind", async (t) => {
  const counts = new Map<Kind, number>();
  const names = new Set<string>();
  for (const section of (await allSections()).values()) {
    for (const statement of section.statements) {
      const name = nameOf(section, statement);
      assert.ok(!names.has(name), `two statements are called ${name}`);
      names.add(name);
      counts.set(kindOf(statement), (counts.get(kindOf(statement)) ?? 0) + 1);
    }
  }
  const parts = [...counts].map(([kind, count]) => `${count} ${kind}`);
  t.diagnostic(`${names.size} statements: ${parts.join(", ")}`);
  assert.ok(names.size >= 250, `${names.size} statements`);
});
