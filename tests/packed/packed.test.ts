// The packages as users get them: packed, installed into an empty directory outside of the repository, and used there.

import assert from "node:assert/strict";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";

import { type CommandResult, run } from "../e2e/support/command.ts";
import { repository } from "../e2e/support/project.ts";
import { RunningApp } from "../e2e/support/running-app.ts";

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
    // The declarations of the packages are what is looked at here.
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
  "POST /greetings": ({ body }) => {
    if (body.name === "nobody") throw new AppError("NOBODY", 418, "Nobody is there");
    return { name: body.name, at: new Date(0) };
  },
});

export const app = createApp({ server, routes: [{ prefix: "/greetings", handlers }] });
`,
  "src/main.ts": `
import { app } from "./app.ts";

const { url } = await app.listen({ port: Number(process.env["PORT"] ?? 0), host: "127.0.0.1" });
console.log(\`Listening on \${url}\`);
`,
};

describe("packed packages", () => {
  let home: string;
  let archives: readonly string[];

  before(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), "kit-packed-"));
    // PostgreSQL runs as another user where the tests run as root.
    await chmod(home, 0o755);
    const out = join(home, "packages");
    const pack = ["xtask", "pack", "--no-build", "--out", out];
    succeeded(await run("cargo", pack, { cwd: repository, timeout: 300_000 }));
    archives = (await readdir(out)).map((name) => join(out, name));
  });

  after(() => rm(home, { recursive: true, force: true }));

  /** Makes an empty project and installs into it. */
  async function install(name: string, packages: readonly string[]): Promise<string> {
    const root = join(home, name);
    await mkdir(root);
    await writeFile(join(root, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", ...archives, ...packages];
    succeeded(await run("npm", args, { cwd: root, timeout: 300_000 }));
    return root;
  }

  test("hold code, declarations, licence and page, and nothing of the repository", async () => {
    assert.ok(archives.length >= 13, archives.join("\n"));
    for (const archive of archives) {
      // oxlint-disable-next-line no-await-in-loop
      const { stdout } = await run("tar", ["-tzf", archive], { cwd: home });
      const files = stdout.trim().split("\n");
      for (const file of ["package/package.json", "package/LICENSE", "package/README.md"])
        assert.ok(files.includes(file), `${basename(archive)} has no ${file}`);
      const strange = files.filter(
        (file) =>
          !/^package\/((dist|bin)\/.*\.(js|d\.ts)|viewer\/[^/]+|[^/]*\.(json|md|node)|LICENSE)$/.test(file),
      );
      assert.deepEqual(strange, [], basename(archive));
      // oxlint-disable-next-line no-await-in-loop
      const { stdout: text } = await run("tar", ["-xzOf", archive, "--exclude=*.node"], { cwd: home });
      assert.ok(!text.includes(repository), `${basename(archive)} names a directory of this machine`);
    }
  });

  test("serve on every server", async (t) => {
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
    // The reporter of tests is found by its name in the package, which packing has to change.
    await writeFile(
      join(root, "src/a.test.ts"),
      'import { test } from "node:test";\ntest("holds", () => {});\n',
    );
    const tested = await run(join(bin, "kit"), ["test", "--json"], { cwd: root });
    succeeded(tested);
    assert.partialDeepStrictEqual(JSON.parse(tested.stdout), { passed: 1, failed: 0, skipped: 0 });
    for (const server of ["native", "express", "fastify", "hono"]) {
      // oxlint-disable-next-line no-await-in-loop
      await t.test(server, async () => {
        const app = await RunningApp.start(root, { env: { SERVER: server } });
        try {
          const ask = (body: unknown): Promise<Response> =>
            fetch(`${app.url}/greetings`, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify(body),
            });
          const made = await ask({ name: "Ada" });
          assert.equal(made.status, 201);
          assert.deepEqual(await made.json(), { name: "Ada", at: "1970-01-01T00:00:00.000Z" });
          assert.equal((await ask({ name: "" })).status, 400);
          assert.equal((await ask({ name: "nobody" })).status, 418);
          // The API reference, which was packed with its viewer.
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
      });
    }
  });

  test("make a project that works", async () => {
    const scaffold = ["scaffold", "init", "shop", "--no-install", "--no-git", "--json"];
    const kit = join(await install("maker", []), "node_modules/.bin/kit");
    succeeded(await run(kit, scaffold, { cwd: home }));
    const root = join(home, "shop");
    // Until the packages are published, a user has them as files too.
    const own = archives.filter((archive) => !/server-(express|fastify|hono)/.test(basename(archive)));
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", ...own];
    succeeded(await run("npm", args, { cwd: root, timeout: 300_000 }));
    succeeded(await run("npm", ["run", "check"], { cwd: root }));
    succeeded(await run("npm", ["test"], { cwd: root }));
    const left = await run("npx", ["kit", "build", "--check"], { cwd: root });
    assert.equal(left.code, 0, left.stdout);
  });

  test("run the example on the embedded database", async () => {
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

function succeeded(result: CommandResult): void {
  assert.equal(result.code, 0, `${result.stdout}\n${result.stderr}`);
}
