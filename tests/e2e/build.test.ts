// Tests `kit build` and migrations as a user sees them.

import assert from "node:assert/strict";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, describe, test } from "node:test";
import { run } from "./support/command.ts";
import { Project, repository } from "./support/project.ts";

const projects: Project[] = [];
const fixed = { SOURCE_DATE_EPOCH: "1750000000" };

async function copy(): Promise<Project> {
  const project = await Project.copy();
  projects.push(project);
  return project;
}

afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove();
});
after(() => assert.equal(projects.length, 0));

/** Returns the content of every file in `.kit/`. */
async function artifacts(project: Project): Promise<Map<string, string>> {
  const root = join(project.root, ".kit");
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const entries = await Promise.all(
    paths
      .toSorted()
      .map(async (path): Promise<[string, string]> => [
        path.slice(root.length + 1),
        await readFile(path, "latin1"),
      ]),
  );
  return new Map(entries);
}

async function edit(project: Project, path: string, change: (text: string) => string): Promise<void> {
  const file = join(project.root, path);
  const before = await readFile(file, "utf8");
  const text = change(before);
  assert.notEqual(text, before, `nothing changed in ${path}`);
  await writeFile(file, text);
}

describe("kit build", () => {
  test("writes the files that docs/artifacts.md lists", async () => {
    const project = await copy();
    await project.kitOk("build");
    const paths = [...(await artifacts(project)).keys()];
    const expected = [
      "types.ts",
      "validators/Note.validator.ts",
      "validators/note.ts",
      "runtime.js",
      "runtime.d.ts",
      "codecs.js",
      "codecs.d.ts",
      "routes/compiled-router.ts",
      "routes/route-table.ts",
      "routes/index.ts",
      "routes.json",
      "middleware.json",
      "schemas.json",
      "schemas/openapi.json",
      "schemas/note.openapi.json",
      "schemas/notes.ts",
    ];
    assert.deepEqual(
      expected.filter((path) => !paths.includes(path)),
      [],
      `among ${paths.join(", ")}`,
    );
  });

  test("writes the same bytes in two directories", async () => {
    const [one, two] = [await copy(), await copy()];
    for (const project of [one, two]) {
      const result = await project.kit(["build"], { env: fixed });
      assert.equal(result.code, 0, result.stderr);
    }
    assert.deepEqual(await artifacts(one), await artifacts(two));
  });

  test("changes nothing if it runs again, and writes the same bytes from scratch", async () => {
    const project = await copy();
    await project.kitOk("build");
    const first = await artifacts(project);
    await project.kitOk("build");
    assert.deepEqual(await artifacts(project), first);

    await rm(join(project.root, ".kit"), { recursive: true });
    assert.equal((await project.kit(["build"], { env: fixed })).code, 0);
    const generatedAt = /"?generatedAt"?: "[^"]*"/g;
    const strip = (files: Map<string, string>): [string, string][] =>
      [...files].map(([path, text]) => [path, text.replace(generatedAt, "")]);
    assert.deepEqual(strip(await artifacts(project)), strip(first));
  });

  test("writes artifacts that pass the project's own tsc", async () => {
    const project = await copy();
    await project.kitOk("build");
    const tsc = join(repository, "node_modules/typescript/bin/tsc");
    const result = await run(process.execPath, [tsc, "-p", "."], { cwd: project.root });
    assert.equal(result.code, 0, result.stdout);
  });

  test("reports a mistake with its location, and leaves the artifacts of the last valid build", async () => {
    const project = await copy();
    await project.kitOk("build");
    const good = await artifacts(project);
    await edit(project, "src/notes.types.ts", (text) => text.replace("@minLength 1", "@format emial"));
    const line =
      (await readFile(join(project.root, "src/notes.types.ts"), "utf8"))
        .split("\n")
        .findIndex((text) => text.includes("emial")) + 1;

    const human = await project.kit(["build"]);
    assert.equal(human.code, 1);
    assert.match(human.stderr, /KIT1302/);
    assert.match(human.stderr, new RegExp(`src/notes\\.types\\.ts:${line}`));
    assert.match(human.stderr, /did you mean .*email/);

    const machine = await project.kit(["build", "--json"]);
    assert.equal(machine.code, 1);
    const failure = JSON.parse(machine.stdout) as {
      code: string;
      phase: string;
      failures: Record<string, unknown>[];
    };
    assert.equal(failure.code, "BUILD_ERROR");
    assert.equal(failure.phase, "types");
    assert.equal(failure.failures[0]?.["path"], "src/notes.types.ts");
    assert.equal(failure.failures[0]?.["line"], line);
    assert.match(String(failure.failures[0]?.["suggestion"]), /email/);
    assert.deepEqual(await artifacts(project), good);
  });

  test("must run before the application starts, and the error names the command if it did not run", async () => {
    const project = await copy();
    await project.kitOk("build");
    await rm(join(project.root, ".kit/routes"), { recursive: true });
    await assert.rejects(project.start(), /kit build/);
  });

  test("must run again after a route was added, and the error names the route if it did not run", async () => {
    const project = await copy();
    await project.kitOk("build");
    await edit(project, "src/notes.handlers.ts", (text) =>
      text.replace(
        '"GET /notes": async',
        '"GET /notes/all": async () => ({}) as never,\n  "GET /notes": async',
      ),
    );
    await assert.rejects(project.start(), (error: Error) => {
      assert.match(error.message, /GET \/notes\/all/);
      assert.match(error.message, /kit build/);
      return true;
    });
  });
});

describe("migrations of the example", () => {
  test("are up to date with the types", async () => {
    const project = await copy();
    await project.kitOk("build");
    assert.deepEqual(
      [...(await artifacts(project)).keys()].filter((path) => path.startsWith("migrations/pending")),
      [],
      "there is a pending draft: run `kit migrate:generate` in examples/notes",
    );
  });

  test("are applied once, and then nothing is left to do", async () => {
    const project = await copy();
    await project.kitOk("build");
    const first = await project.kitOk("migrate:apply");
    assert.match(first.stdout + first.stderr, /create_notes/);
    const second = await project.kitOk("migrate:apply");
    assert.doesNotMatch(second.stdout + second.stderr, /applied .*create_notes/);
  });
});
