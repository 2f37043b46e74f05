// Tests the packages as users get them: packed into archives, and installed into a directory outside of the repository.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import { Ajv2020 } from "ajv/dist/2020.js";

import { type CommandResult, run } from "../e2e/support/command.ts";
import { freePort } from "../../packages/core/test/support/free-port.ts";
import { onlyLong } from "../e2e/support/long.ts";
import { repository } from "../e2e/support/project.ts";
import { RunningApp } from "../e2e/support/running-app.ts";
import { Collector } from "../../packages/otel/test/support/collector.ts";
import { databaseStopped } from "../scaffold/database.ts";
import { plugin as plansPlugin, project as plansProject } from "./plugin.ts";
import { runsAsImage } from "./image.ts";
import { servesInBoth, todos } from "./rust.ts";
import { NoRegistry, replay } from "./tutorial.ts";

const manifestOf = async (path: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(repository, path, "package.json"), "utf8")) as Manifest;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const tsconfig = JSON.stringify({
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    types: ["node"],
    strict: true,
    // The declarations of the packages themselves are checked too.
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    noEmit: true,
  },
  include: ["src", ".kit/**/*"],
});

const greetings: Readonly<Record<string, string>> = {
  "src/greeting.types.ts": `
export interface Greeting {
  /** @minLength 1 */
  name: string;
  at: Date;
}
`,
  "src/greeting.routes.ts": `
import type { RouteContract } from "@kit/types";
import type { Greeting } from "./greeting.types.ts";

export interface GreetingRoutes {
  "POST /greetings": RouteContract<void, void, Pick<Greeting, "name">, Greeting>;
}
`,
  "src/app.ts": `
import { createApp, defineHandlers } from "@kit/core";
import { AppError } from "@kit/errors";
import { nativeServer } from "@kit/server-native";
import { expressServer } from "@kit/server-express";
import { fastifyServer } from "@kit/server-fastify";
import { honoServer } from "@kit/server-hono";
import type { GreetingRoutes } from "./greeting.routes.ts";

const servers = { native: nativeServer, express: expressServer, fastify: fastifyServer, hono: honoServer };
const server = servers[(process.env["SERVER"] ?? "native") as keyof typeof servers]();
const handlers = defineHandlers<GreetingRoutes>({
  "POST /greetings": ({ body, ctx }) => {
    ctx.log.info("A greeting", { name: body.name });
    if (body.name === "nobody") throw new AppError("NOBODY", 418, "Nobody is there");
    return { name: body.name, at: new Date(0) };
  },
});

const isTold = process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] !== undefined;
export const app = createApp({
  server,
  routes: [{ prefix: "/greetings", handlers }],
  telemetry: { tracing: isTold, metrics: isTold, serviceName: "greetings", metricsIntervalMs: 500 },
});
`,
  "src/main.ts": `
import { app } from "./app.ts";

const { url } = await app.listen({ port: Number(process.env["PORT"] ?? 0), host: "127.0.0.1" });
console.log(\`Listening on \${url}\`);
`,
};

/** Names of the entry points that each package has, if applications load it. */
const entriesOf: Readonly<Record<string, readonly string[]>> = {
  "kit-core": ["codec/", "", "keyset/", "pg/", "process/", "router/"].map(
    (at) => `package/dist/${at}index.js`,
  ),
  "kit-errors": ["package/dist/index.js"],
  "kit-server-native": ["package/dist/index.js"],
  "kit-server-node": ["package/dist/index.js"],
};

/** Returns true if a file contains code that several entry points of a package share. */
function isShared(file: string): boolean {
  return /\/chunk-[A-Z0-9]+\.js$/.test(file);
}

describe("the packed packages", () => {
  let home: string;
  let archives: readonly string[];

  before(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), "kit-packed-"));
    // If the tests run as root, PostgreSQL runs as another account.
    await chmod(home, 0o755);
    const out = join(home, "kit-packages");
    const pack = ["xtask", "pack", "--no-build", "--out", out];
    succeeded(await run("cargo", pack, { cwd: repository, timeout: 300_000 }));
    archives = (await readdir(out)).map((name) => join(out, name));
  });

  after(() => rm(home, { recursive: true, force: true }));

  /** Creates an empty project and installs packages in it. */
  async function install(name: string, packages: readonly string[]): Promise<string> {
    const root = join(home, name);
    await mkdir(root);
    await writeFile(join(root, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", ...archives, ...packages];
    succeeded(await run("npm", args, { cwd: root, timeout: 300_000 }));
    return root;
  }

  test("contain code, declarations, licence and readme, and no other files of the repository", async () => {
    assert.ok(archives.length >= 13, archives.join("\n"));
    for (const archive of archives) {
      // oxlint-disable-next-line no-await-in-loop
      const { stdout } = await run("tar", ["-tzf", archive], { cwd: home });
      const files = stdout.trim().split("\n");
      for (const file of ["package/package.json", "package/LICENSE", "package/README.md"])
        assert.ok(files.includes(file), `${basename(archive)} has no ${file}`);
      const strange = files.filter(
        (file) =>
          !/^package\/((dist|bin)\/.*\.(js|js\.map|d\.ts)|viewer\/[^/]+|[^/]*\.(json|md|node)|LICENSE|THIRD-PARTY-NOTICES\.txt)$/.test(
            file,
          ) && !/^package\/dist-dashboard\/.*\.(html|js|css|svg|md)(\.br|\.gz)?$/.test(file),
      );
      assert.deepEqual(strange, [], basename(archive));
      // A package that applications load has one file per entry point, because each module costs time to load.
      const code = files.filter((file) => /^package\/dist\/.*\.js$/.test(file)).toSorted();
      const entries = entriesOf[basename(archive).replace(/-\d+\.\d+\.\d+\.tgz$/, "")];
      // Core has five shared files: the codec, the router's matcher, the check of keys for signatures, the log and start of processes, and
      // headers, which compression also uses.
      assert.ok(entries === undefined || code.filter(isShared).length <= 5, `${code}`);
      // Only applications with compression, redirects from plain HTTP and certificates of clients load these files.
      const rare = /\/(?:compressed-service|tls-redirect|client-certificate)-\w+\.js$/;
      const own = code.filter((file) => !isShared(file) && !rare.test(file));
      if (entries !== undefined) assert.deepEqual(own, entries, basename(archive));
      const hasAddon = files.some((file) => file.endsWith(".node"));
      assert.equal(files.includes("package/THIRD-PARTY-NOTICES.txt"), hasAddon, basename(archive));
      // oxlint-disable-next-line no-await-in-loop
      const { stdout: text } = await run("tar", ["-xzOf", archive, "--exclude=*.node"], { cwd: home });
      if (hasAddon) assert.match(text, /\nserde [\d.]+ \(MIT OR Apache-2\.0\)\n[^]*Apache License/);
      assert.match(text, /"directory": "packages\//);
      assert.ok(!text.includes(repository), `${basename(archive)} names a directory of this machine`);
    }
  });

  test("serve requests on every server", async (t) => {
    const versions: Record<string, string> = {};
    for (const name of ["express", "fastify", "hono"])
      // oxlint-disable-next-line no-await-in-loop
      Object.assign(versions, (await manifestOf(`packages/server-${name}`)).devDependencies);
    const { devDependencies } = await manifestOf(".");
    Object.assign(versions, devDependencies);
    const wanted = ["express", "fastify", "hono", "@hono/node-server", "typescript", "@types/node"];
    const root = await install(
      "greetings",
      wanted.map((name) => `${name}@${versions[name]}`),
    );
    await mkdir(join(root, "src"));
    for (const [path, text] of Object.entries({ ...greetings, "tsconfig.json": tsconfig }))
      // oxlint-disable-next-line no-await-in-loop
      await writeFile(join(root, path), text);
    const bin = join(root, "node_modules/.bin");
    succeeded(await run(join(bin, "kit"), ["build"], { cwd: root }));
    succeeded(await run(join(bin, "tsc"), ["-p", "."], { cwd: root }));
    // node:test finds the reporter by its name in the package. Packing changes that name.
    await writeFile(
      join(root, "src/a.test.ts"),
      'import { test } from "node:test";\ntest("holds", () => {});\n',
    );
    const tested = await run(join(bin, "kit"), ["test", "--json"], { cwd: root });
    succeeded(tested);
    const counts = JSON.parse(tested.stdout) as { passed: number };
    assert.partialDeepStrictEqual(counts, { failed: 0, skipped: 0 });
    assert.ok(counts.passed > 1, "the project's test, and those of its contracts");
    await t.test("contain source maps, so that a stack trace names the sources", () => leadsToSources(root));
    await t.test("contain a kit dev that serves requests, or reports why it cannot", () => develops(root));
    for (const server of ["native", "express", "fastify", "hono"]) {
      // oxlint-disable-next-line no-await-in-loop
      await t.test(server, async () => {
        await using collector = await Collector.start();
        const env = { SERVER: server, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
        const app = await RunningApp.start(root, { env });
        try {
          const create = (body: unknown): Promise<Response> =>
            fetch(`${app.url}/greetings`, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify(body),
            });
          const made = await create({ name: "Ada" });
          assert.equal(made.status, 201);
          assert.deepEqual(await made.json(), { name: "Ada", at: "1970-01-01T00:00:00.000Z" });
          assert.equal((await create({ name: "" })).status, 400);
          assert.equal((await create({ name: "nobody" })).status, 418);
          // The API reference needs the viewer in its package.
          const page = await fetch(`${app.url}/docs`);
          assert.equal(page.status, 200);
          assert.match(page.headers.get("content-security-policy")!, /script-src 'self'/);
          const viewer = await fetch(`${app.url}/docs/viewer.js`);
          assert.equal(viewer.headers.get("content-encoding"), "gzip");
          assert.match(await viewer.text(), /createApiReference/);
          const etag = viewer.headers.get("etag")!;
          const again = await fetch(`${app.url}/docs/viewer.js`, { headers: { "if-none-match": etag } });
          assert.deepEqual([again.status, await again.text()], [304, ""]);
          const document = await fetch(`${app.url}/docs/openapi.json`);
          assert.equal(((await document.json()) as { openapi: string }).openapi, "3.1.0");
        } finally {
          await app.stop();
        }
        // The rest of the telemetry is sent during the shutdown.
        assert.deepEqual(collector.errors, []);
        assertTold(collector);
      });
    }
  });

  test("let a plugin in another package extend the build", { skip: onlyLong }, async () => {
    const { devDependencies } = await manifestOf(".");
    const root = await install(
      "plans",
      ["typescript", "@types/node"].map((name) => `${name}@${devDependencies[name]}`),
    );
    await writeFiles(root, { ...greetings, ...plansProject, "tsconfig.json": tsconfig });
    const bin = join(root, "node_modules/.bin");
    // The plugin is a package of its own. It is built with the types in the archives, packed, and installed.
    const source = join(home, "kit-plugin-plans");
    await writeFiles(source, plansPlugin);
    await symlink(join(root, "node_modules"), join(source, "node_modules"), "dir");
    succeeded(await run(join(bin, "tsc"), ["-p", "."], { cwd: source }));
    succeeded(await run("npm", ["pack", "--pack-destination", home], { cwd: source, timeout: 300_000 }));
    const archive = join(home, "kit-plugin-plans-1.0.0.tgz");
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--legacy-peer-deps", archive];
    succeeded(await run("npm", args, { cwd: root, timeout: 300_000 }));

    const built = await run(join(bin, "kit"), ["build", "--json"], { cwd: root });
    succeeded(built);
    assert.partialDeepStrictEqual(JSON.parse(built.stdout), {
      status: "built",
      compiler: null,
      warnings: [
        {
          code: "KIT1508",
          message: "[kit-plugin-plans] Greeting has no description",
          path: "src/greeting.types.ts",
          line: 2,
        },
      ],
    });
    const made = (path: string): Promise<string> => readFile(join(root, ".kit", path), "utf8");
    // The package contains a JSON Schema of the program that plugins receive. The program of this plugin must fit it.
    const schema = join(root, "node_modules/@kit/cli/program.schema.json");
    const resolve = 'process.stdout.write(import.meta.resolve("@kit/cli/program.schema.json"))';
    const resolved = await run("node", ["--input-type=module", "-e", resolve], { cwd: root });
    assert.equal(resolved.stdout, pathToFileURL(schema).href);
    const validate = new Ajv2020().compile(JSON.parse(await readFile(schema, "utf8")) as object);
    assert.ok(validate(JSON.parse(await made("plans/program.json"))), JSON.stringify(validate.errors));
    assert.match(await made("types.ts"), /"free" \| "paid"/);
    assert.match(
      await made("validators/Subscription.validator.ts"),
      /^\/\/ checked by kit-plugin-plans\n[^]*export const SubscriptionValidator/,
    );
    assert.equal(await made("plans/routes.txt"), "POST /greetings\n");
    // The types that the plugin has added and changed are type-checked, and the application validates them.
    succeeded(await run(join(bin, "tsc"), ["-p", "."], { cwd: root }));
    const compiled = await readFile(join(root, "dist/src/plan.js"), "utf8");
    assert.match(compiled, /export const isPlan = \(text {8}\) +=>/);
    const app = await RunningApp.start(root, {});
    try {
      const statusFor = async (name: string): Promise<number> => {
        const headers = { "content-type": "application/json" };
        const body = JSON.stringify({ name });
        return (await fetch(`${app.url}/greetings`, { method: "POST", headers, body })).status;
      };
      assert.deepEqual([await statusFor("Grace"), await statusFor("Barbara")], [201, 400]);
    } finally {
      await app.stop();
    }

    // Without the plugin, the build removes all of its output.
    await writeFile(join(root, "kit.config.ts"), "export default {};\n");
    await rm(join(root, "src/plan.ts"));
    succeeded(await run(join(bin, "kit"), ["build", "--no-compile"], { cwd: root }));
    await assert.rejects(made("plans/routes.txt"), { code: "ENOENT" });
    assert.doesNotMatch(await made("types.ts"), /"free"/);
  });

  test("create a Rust server next to the server on Node", { skip: onlyLong }, async () => {
    const { devDependencies } = await manifestOf(".");
    const wanted = ["typescript", "@types/node"].map((name) => `${name}@${devDependencies[name]}`);
    const root = await install("todos", wanted);
    await writeFiles(root, { ...todos, "tsconfig.json": tsconfig });
    await servesInBoth(root);
    succeeded(await run(join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: root }));
  });

  test("create a new project that works", async (t) => {
    const kit = join(await install("maker", []), "node_modules/.bin/kit");
    // The packages are not published yet, so users get them as files.
    const args = ["scaffold", "init", "shop", "--packages", join(home, "kit-packages"), "--no-git"];
    const env = { npm_config_prefer_offline: "true" };
    const made = await run(kit, args, { cwd: home, env, timeout: 300_000 });
    succeeded(made);
    // A user who creates a project sees no messages of npm about packages.
    assert.doesNotMatch(made.stderr, /install-scripts|allow-?scripts|deprecated|EBADENGINE|vulnerab/i);
    const root = join(home, "shop");
    succeeded(await run("npm", ["run", "check"], { cwd: root }));
    const tested = await run("npm", ["run", "--silent", "test", "--", "--json"], { cwd: root });
    succeeded(tested);
    const counts = JSON.parse(tested.stdout) as { passed: number };
    assert.partialDeepStrictEqual(counts, { failed: 0, skipped: 0 });
    assert.ok(counts.passed > 55, `the project's tests, and those of its contracts: ${tested.stdout}`);
    const left = await run("npx", ["kit", "build", "--check"], { cwd: root });
    assert.equal(left.code, 0, left.stdout);
    await t.test("create an image that contains all files that it needs", () =>
      runsAsImage(root, join(home, "image")),
    );
  });

  test("lead a newcomer through the tutorial", { skip: onlyLong }, async (t) => {
    const page = "docs/tutorial.md";
    const directory = join(home, "newcomer");
    await mkdir(directory);
    // These commands of the page need not run again: `cargo xtask test` has done what they do.
    const done = ["cargo xtask setup", "cargo xtask pack --out ~/kit-packages"];
    try {
      const text = await readFile(join(repository, page), "utf8");
      await replay(page, text, { directory, home, port: await freePort(), done });
    } catch (error) {
      if (!(error instanceof NoRegistry)) throw error;
      t.skip("npm reaches no registry");
    } finally {
      await databaseStopped(join(directory, "shop"));
    }
  });

  test("run the Notes example with the embedded database", { skip: onlyLong }, async () => {
    const { dependencies, devDependencies } = await manifestOf("examples/notes");
    const packages = Object.entries({ ...dependencies, ...devDependencies })
      .filter(([name]) => !name.startsWith("@kit/"))
      .map(([name, version]) => `${name}@${version}`);
    const root = await install("notes", packages);
    for (const part of ["src", "migrations", "tsconfig.json"])
      // oxlint-disable-next-line no-await-in-loop
      await cp(join(repository, "examples/notes", part), join(root, part), { recursive: true });
    const bin = join(root, "node_modules/.bin");
    succeeded(await run(join(bin, "kit"), ["build"], { cwd: root }));
    succeeded(await run(join(bin, "tsc"), ["-p", "."], { cwd: root }));
    succeeded(await run(join(bin, "kit"), ["migrate:apply"], { cwd: root }));
    const app = await RunningApp.start(root, {});
    try {
      const headers = { authorization: "Bearer ada:user", "content-type": "application/json" };
      const body = JSON.stringify({ title: "Groceries", content: "Milk" });
      const made = await fetch(`${app.url}/notes`, { method: "POST", headers, body });
      assert.equal(made.status, 201);
      const { id } = (await made.json()) as { id: string };
      const found = await fetch(`${app.url}/notes/${id}`, { headers });
      assert.equal(((await found.json()) as { title: string }).title, "Groceries");
    } finally {
      await app.stop();
    }
  });
});

/** Asserts that a collector has received traces, log entries and metrics of the requests, in messages that conform to OpenTelemetry. */
function assertTold({ spans, points, logs }: Collector): void {
  const roots = spans.filter(({ name, kind }) => name === "POST /greetings" && kind === "SPAN_KIND_SERVER");
  assert.deepEqual(
    roots.map(({ attributes }) => attributes["http.status_code"]),
    [201, 400, 418],
  );
  for (const { spanId, traceId, resource } of roots) {
    assert.equal(resource["service.name"], "greetings");
    const children = spans.filter(({ parentSpanId }) => parentSpanId === spanId);
    assert.ok(children.length > 0 && children.every((child) => child.traceId === traceId));
  }
  const handlers = new Set(spans.filter(({ name }) => name === "handler").map(({ spanId }) => spanId));
  const entries = logs.filter(({ body }) => body === "A greeting");
  assert.deepEqual(
    entries.map(({ attributes }) => attributes["data"]),
    [{ name: "Ada" }, { name: "nobody" }],
  );
  assert.ok(entries.every(({ spanId }) => handlers.has(spanId)));
  const counts = points
    .filter(({ metric }) => metric === "http.server.request.duration")
    .filter(({ attributes }) => attributes["http.route"] === "/greetings")
    .map(({ attributes, count }) => `${String(attributes["http.response.status_code"])} ${count}`);
  assert.deepEqual(counts.toSorted(), ["201 1", "400 1", "418 1"]);
}

/** Asserts that the stack trace of an error in a package names the TypeScript file and line, because of source maps. */
async function leadsToSources(root: string): Promise<void> {
  const program = `
import { createApp } from "@kit/core";
try {
  createApp({ routes: "none" });
} catch (error) {
  console.log(error.stack);
}
`;
  const file = join(root, "src/stack.mjs");
  await writeFile(file, program);
  for (const [args, place] of [
    [[], /node_modules\/@kit\/core\/(dist\/index\.js):(\d+):\d+/],
    [["--enable-source-maps"], /node_modules\/@kit\/core\/(src\/.*?\.ts):(\d+):\d+/],
  ] as const) {
    const { stdout } = await run(process.execPath, [...args, file], { cwd: root });
    const [, path, line] = place.exec(stdout) ?? [];
    assert.ok(path !== undefined, stdout);
    const base = path.endsWith(".ts")
      ? join(repository, "packages/core")
      : join(root, "node_modules/@kit/core");
    const source = await readFile(join(base, path), "utf8");
    assert.match(source.split("\n")[Number(line) - 1]!, /throw |new \w*Error\(/);
  }
}

/** Asserts that `kit dev` serves a page of its own until there is an application. Its package must contain that page. */
async function develops(root: string): Promise<void> {
  const types = join(root, "src/greeting.types.ts");
  await writeFile(types, "export interface Greeting {");
  const port = await freePort();
  const env = { ...process.env, HOST: "127.0.0.1", PORT: `${port}`, NODE_ENV: "development" };
  const child = spawn(join(root, "node_modules/.bin/kit"), ["dev", "--no-db"], { cwd: root, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const answers = async (status: number): Promise<void> => {
    const end = performance.now() + 30_000;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const answer = await fetch(`http://127.0.0.1:${port}/greetings`).catch(() => undefined);
      if (answer?.status === status) return;
      if (performance.now() > end) throw new Error(`there was no ${status}; so far:\n${output}`);
      // oxlint-disable-next-line no-await-in-loop
      await setTimeout(50);
    }
  };
  try {
    await answers(503);
    await writeFile(types, greetings["src/greeting.types.ts"]!);
    await answers(405);
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
}

function succeeded(result: CommandResult): void {
  assert.equal(result.code, 0, `${result.stdout}\n${result.stderr}`);
}

async function writeFiles(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    // oxlint-disable-next-line no-await-in-loop
    await mkdir(dirname(join(directory, path)), { recursive: true });
    // oxlint-disable-next-line no-await-in-loop
    await writeFile(join(directory, path), text);
  }
}
