import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { type Config, defineConfig } from "@kit/cli";

import { NOTES, Project } from "./support/project.ts";

test("defineConfig types its argument and returns it", () => {
  const config: Config = { outputDir: "generated", database: { adapter: "drizzle" } };
  assert.equal(defineConfig(config), config);
  // @ts-expect-error An option that does not exist.
  defineConfig({ outputDri: "generated" });
  // @ts-expect-error A compiler that kit does not know.
  defineConfig({ compiler: "babel" });
});

test("a configuration written as the documentation shows it is followed", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "kit.config.ts": [
      'import { defineConfig } from "@kit/cli";',
      "",
      'export default defineConfig({ outputDir: "generated/kit", database: { adapter: "drizzle" } });',
    ].join("\n"),
  });
  await mkdir(join(project.root, "node_modules/@kit"), { recursive: true });
  await symlink(fileURLToPath(new URL("..", import.meta.url)), join(project.root, "node_modules/@kit/cli"));
  const outcome = await project.kit(["build"]);
  assert.equal(outcome.code, 0, outcome.err);
  const output = await project.output("generated/kit");
  assert.ok("schemas/notes.ts" in output, Object.keys(output).join(" "));
});
