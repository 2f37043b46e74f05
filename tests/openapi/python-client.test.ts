// Tests a client in another language. openapi-python-client generates it from the OpenAPI documents of the examples, and it sends
// requests to the running applications. The calls are in notes.py and teams.py.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";

import { accessToken } from "../../examples/teams/tests/token.ts";
import { run } from "../e2e/support/command.ts";
import { Project } from "../e2e/support/project.ts";
import { PythonPackage } from "./python.ts";

const generator = new PythonPackage("openapi-python-client", "0.29.1");

describe("a Python client that is generated from the OpenAPI document sends requests to", () => {
  let missing: string | undefined;
  before(() => {
    missing = generator.install();
  });

  for (const [example, version] of [
    ["notes", "3.1"],
    ["teams", "3.1"],
    ["notes", "3.0"],
    ["teams", "3.0"],
  ] as const) {
    test(`${example}, with OpenAPI ${version}`, { timeout: 300_000 }, async (t) => {
      if (missing !== undefined) {
        t.skip(missing);
        return;
      }
      const project = await Project.ready(example);
      try {
        if (version !== "3.1") await changeVersion(project, version);
        const made = await run(
          join(generator.bin, "openapi-python-client"),
          [
            "generate",
            "--path",
            join(project.root, ".kit/schemas/openapi.json"),
            "--output-path",
            join(project.root, "client", `${example}_client`),
            "--meta",
            "none",
            "--fail-on-warning",
          ],
          // The generator calls a formatter in the same directory.
          { cwd: project.root, env: { PATH: `${generator.bin}:${process.env["PATH"]}` }, timeout: 120_000 },
        );
        assert.equal(made.code, 0, made.stdout + made.stderr);
        const app = await project.start();
        const program = join(import.meta.dirname, `${example}.py`);
        const called = await run(
          join(generator.bin, "python"),
          [program, app.url, await accessToken("ada", ["manager"])],
          {
            cwd: project.root,
            env: { PYTHONPATH: join(project.root, "client"), PYTHONDONTWRITEBYTECODE: "1" },
            timeout: 60_000,
          },
        );
        assert.deepEqual([called.code, called.stdout], [0, "done\n"], called.stdout + called.stderr);
      } finally {
        await project.remove();
      }
    });
  }
});

/** Sets the version of the OpenAPI document and builds the project again. */
async function changeVersion(project: Project, version: string): Promise<void> {
  const file = join(project.root, "kit.config.ts");
  const config = await readFile(file, "utf8");
  await writeFile(
    file,
    config.replace("defineConfig({", `defineConfig({\n  openapi: { version: "${version}" },`),
  );
  await project.build();
  const document = await readFile(join(project.root, ".kit/schemas/openapi.json"), "utf8");
  assert.match(document, new RegExp(`"openapi": "${version}\\.`));
}
