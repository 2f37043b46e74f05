// Tests commands in unusual places: paths with special characters, directories below the project, sources with Windows line endings,
// full disks.

import assert from "node:assert/strict";
import { chmod, glob, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type CommandResult, run } from "./support/command.ts";
import { Project, repository } from "./support/project.ts";

const kit = join(repository, "node_modules/.bin/kit");

/** Fixed time of the build. With it, two builds of the same sources write the same bytes. */
const TIMELESS = { SOURCE_DATE_EPOCH: "1790000000" };

/** Returns the content of every file below a directory, by path. */
async function tree(root: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for await (const entry of glob("**/*", { cwd: root, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    texts[path.slice(root.length + 1)] = await readFile(path, "utf8");
  }
  // The pattern does not match names that begin with a dot.
  for (const name of await readdir(root)) if (name.startsWith(".") && name !== ".lock") texts[name] ??= "";
  return texts;
}

async function sources(project: Project, change: (text: string) => string): Promise<void> {
  for await (const path of glob("src/**/*.ts", { cwd: project.root })) {
    const file = join(project.root, path);
    await writeFile(file, change(await readFile(file, "utf8")));
  }
}

describe("a project", () => {
  let project: Project;
  before(async () => {
    project = await Project.copy();
  });
  after(() => project.remove());

  test("may have spaces, umlauts and quotes in its path", async () => {
    await project.kitOk("build");
    const plain = await tree(join(project.root, ".kit"));
    const root = join(project.root, "Ünser »Läden« (1) it's 100% #a");
    await mkdir(root);
    for (const name of ["src", "package.json", "tsconfig.json", "migrations"])
      await rename(join(project.root, name), join(root, name));
    try {
      await writeFile(
        join(root, "src/place.test.ts"),
        'import { test } from "node:test";\ntest("holds", () => {});\n',
      );
      const at = async (...args: string[]): Promise<CommandResult> => {
        const result = await run(process.execPath, [kit, ...args], { cwd: root });
        assert.equal(result.code, 0, `kit ${args.join(" ")}: ${result.stdout}${result.stderr}`);
        return result;
      };
      await at("build", "--no-compile");
      const generated = await tree(join(root, ".kit"));
      assert.deepEqual(Object.keys(generated), Object.keys(plain));
      await at("build", "--check");
      const routes = JSON.parse((await at("inspect", "routes", "--json")).stdout) as unknown[];
      assert.equal(routes.length, 5);
      const tested = JSON.parse((await at("test", "place", "--json")).stdout) as { passed: number };
      assert.equal(tested.passed, 1);
      await at("migrate:apply");
      await at("scaffold", "init", "inner", "--no-install", "--no-git");
    } finally {
      for (const name of ["src", "package.json", "tsconfig.json", "migrations"])
        await rename(join(root, name), join(project.root, name));
    }
  });

  test("is named in the error of a command that runs in a directory below the project's directory", async () => {
    const below = join(project.root, "src");
    const named = `--root ${project.root}`;
    const built = await run(process.execPath, [kit, "build"], { cwd: below });
    assert.equal(built.code, 1);
    assert.ok(built.stderr.includes(named), built.stderr);
    const inspected = await run(process.execPath, [kit, "inspect", "routes", "--json"], { cwd: below });
    assert.equal(inspected.code, 1);
    assert.ok(inspected.stdout.includes(named), inspected.stdout);
    const there = await run(process.execPath, [kit, "build", "--root", "..", "--no-compile"], { cwd: below });
    assert.equal(there.code, 0, there.stderr);
    assert.ok(!(await readdir(below)).includes(".kit"));
  });
});

test("sources with Windows line endings have the same artifacts, and the same line numbers in errors", async () => {
  const project = await Project.copy();
  try {
    const build = ["build", "--no-compile"];
    assert.equal((await project.kit(build, { env: TIMELESS })).code, 0);
    const untouched = await tree(join(project.root, ".kit"));
    await sources(project, (text) => text.replaceAll("\n", "\r\n"));
    const again = await project.kit([...build, "--json"], { env: TIMELESS });
    assert.equal(again.code, 0, again.stdout);
    assert.deepEqual(await tree(join(project.root, ".kit")), untouched);

    await project.kitOk("scaffold", "add", "route", "reports");
    const app = await readFile(join(project.root, "src/app.ts"), "utf8");
    assert.equal(app.replaceAll("\r\n", "").includes("\n"), false, "src/app.ts keeps its line endings");

    const types = join(project.root, "src/notes.types.ts");
    const text = await readFile(types, "utf8");
    await writeFile(
      types,
      `${text}export interface Wrong {\r\n  /** @minLength soon */\r\n  title: string;\r\n}\r\n`,
    );
    const failed = await project.kit([...build, "--json"]);
    assert.equal(failed.code, 1);
    const [failure] = (JSON.parse(failed.stdout) as { failures: { path: string; line: number }[] }).failures;
    assert.equal(failure!.path, "src/notes.types.ts");
    assert.equal(failure!.line, text.split("\n").length + 1);
  } finally {
    await project.remove();
  }
});

describe("a full disk", { skip: process.platform !== "linux" }, () => {
  let project: Project;
  before(async () => {
    project = await Project.copy();
    await project.kitOk("build", "--no-compile");
  });
  after(() => project.remove());

  /** Runs kit with a maximum file size in kilobytes. A longer write fails in the middle, as on a full disk. */
  function full(kilobytes: number, ...args: string[]): Promise<CommandResult> {
    const limited = `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$@"`;
    return run("bash", ["-c", limited, "bash", process.execPath, kit, ...args], { cwd: project.root });
  }

  test("does not destroy the artifacts of the last build, and no partial file is left", async () => {
    const untouched = await tree(join(project.root, ".kit"));
    const types = join(project.root, "src/notes.types.ts");
    const text = await readFile(types, "utf8");
    await writeFile(
      types,
      text.replace("title: string;", "title: string;\n  /** @default 0 */\n  stars: number;"),
    );
    const failed = await full(2, "build", "--no-compile");
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /^error: cannot write .*: /m);
    assert.deepEqual(await tree(join(project.root, ".kit")), untouched);

    const migration = await full(0, "migrate:generate", "--name", "more");
    assert.deepEqual([migration.code, migration.stdout], [1, ""]);
    const migrations = await readdir(join(project.root, "migrations"));
    assert.deepEqual(
      migrations.filter((name) => name.startsWith(".") || name.includes("more")),
      [],
    );
    // Without the maximum, both work again.
    assert.equal((await project.kit(["migrate:generate", "--name", "more"])).code, 0);
    assert.equal((await project.kit(["build", "--no-compile"])).code, 0);
    assert.equal((await project.kit(["build", "--check"])).code, 0);
  });

  test("leaves no partial project", async () => {
    const untouched = await tree(join(project.root, "src"));
    const added = await full(0, "scaffold", "add", "route", "reports");
    assert.deepEqual([added.code, added.stdout], [1, ""]);
    assert.deepEqual(await tree(join(project.root, "src")), untouched);
    const made = await full(1, "scaffold", "init", "shop", "--no-install", "--no-git");
    assert.deepEqual([made.code, made.stdout], [1, ""]);
    assert.deepEqual(
      (await readdir(project.root)).filter((name) => name.startsWith("shop")),
      [],
    );
  });
});

test("kit build reports a directory that it may not write to", async (t) => {
  const project = await Project.copy();
  try {
    await project.kitOk("build", "--no-compile");
    const types = join(project.root, "src/notes.types.ts");
    await writeFile(types, `${await readFile(types, "utf8")}export type More = string;\n`);
    const untouched = await tree(join(project.root, ".kit"));
    // File permissions do not apply to root.
    const user =
      process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    for await (const path of glob("{.kit,.kit/**/*,src,.}", { cwd: project.root })) {
      const file = join(project.root, path);
      await chmod(file, (await isDirectory(file)) ? 0o555 : 0o444);
    }
    const command = [...user, process.execPath, kit, "build", "--no-compile"];
    const failed = await run(command[0]!, command.slice(1), { cwd: project.root }).catch(() => undefined);
    if (failed === undefined || /EACCES|Cannot find module|Permission denied.*node/.test(failed.stderr)) {
      t.skip("no other user can run kit here");
      return;
    }
    assert.equal(failed.code, 1, failed.stdout);
    assert.match(failed.stderr, /^error: cannot .*\.kit.*Permission denied/m);
    assert.deepEqual(await tree(join(project.root, ".kit")), untouched);
  } finally {
    for await (const path of glob("{.kit,.kit/**/*,src,.}", { cwd: project.root })) {
      const file = join(project.root, path);
      if (await isDirectory(file)) await chmod(file, 0o755);
    }
    await project.remove();
  }
});

async function isDirectory(path: string): Promise<boolean> {
  return readdir(path).then(
    () => true,
    () => false,
  );
}
