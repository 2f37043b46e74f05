import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { type Config, defineConfig } from "@kit/cli";

import { NOTES, Project } from "./support/project.ts";

test("defineConfig returns its argument and checks its type", () => {
  const config: Config = { outputDir: "generated", database: { adapter: "drizzle" } };
  assert.equal(defineConfig(config), config);
  // @ts-expect-error This option does not exist.
  defineConfig({ outputDri: "generated" });
  // @ts-expect-error kit does not support this compiler.
  defineConfig({ compiler: "babel" });
});

test("kit build uses a configuration that is written with defineConfig", async (t) => {
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
