import assert from "node:assert/strict";
import { readFile, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";

import { NOTES, Project, run } from "./support/project.ts";

const installed = fileURLToPath(new URL("../../../node_modules", import.meta.url));

const tsconfig = (more: object = {}): string =>
  `// A comment, which tsc permits.\n${JSON.stringify({
    compilerOptions: {
      target: "es2024",
      module: "nodenext",
      types: ["node"],
      strict: true,
      skipLibCheck: true,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      rootDir: ".",
      ...more,
    },
    // The pattern is needed because a directory whose name begins with a dot is not included otherwise.
    include: ["src", ".kit/**/*"],
  })}`;

const APP: Readonly<Record<string, string>> = {
  ...NOTES,
  "src/main.ts": [
    'import { createApp, defineHandlers } from "@kit/core";',
    'import { nativeServer } from "@kit/server-native";',
    'import type { NoteRoutes } from "./notes.routes.ts";',
    "",
    "const handlers = defineHandlers<NoteRoutes>({",
    '  "GET /notes/:id": ({ params }) => ({ id: params.id, title: "A note" }),',
    "});",
    "const app = createApp({ server: nativeServer(), routes: [{ handlers }], signals: false });",
    'const { url } = await app.listen({ port: 0, host: "127.0.0.1" });',
    "const answer = await fetch(`${url}/notes/7`);",
    "console.log(answer.status, await answer.text());",
    "await app.close();",
    "",
  ].join("\n"),
};

async function projectWith(t: TestContext, files: Readonly<Record<string, string>>): Promise<Project> {
  const project = await Project.create(t, files);
  await symlink(installed, join(project.root, "node_modules"), "junction");
  return project;
}

test("compiles enums and parameter properties, which Node alone does not run", async (t) => {
  const main = [
    "enum Color { Red = 1 }",
    "class Point { constructor(readonly x: Color) {} }",
    "console.log(`x is ${new Point(Color.Red).x}`);",
    APP["src/main.ts"],
  ].join("\n");
  const project = await projectWith(t, { ...APP, "src/main.ts": main, "tsconfig.json": tsconfig() });
  const built = await project.kit(["build"]);
  assert.equal(built.code, 0, built.err + built.out);
  const ran = await run(["dist/src/main.js"], project.root);
  assert.match(ran.out, /^x is 1\n/, ran.err);
});

test("runs the compiled output without the sources", async (t) => {
  const project = await projectWith(t, { ...APP, "tsconfig.json": tsconfig() });
  const built = await project.kit(["build"]);
  assert.equal(built.code, 0, built.err + built.out);
  assert.match(
    built.out,
    /^built 1 route[^]*\ncompiled with tsc into dist\/ in \d+ ms\nleft out: client .*, contract tests .*\n$/,
  );
  await rename(join(project.root, "src"), join(project.root, "sources-moved-away"));
  await rename(join(project.root, ".kit"), join(project.root, "kit-moved-away"));

  const ran = await run(["dist/src/main.js"], project.root);
  assert.equal(ran.err, "");
  assert.equal(ran.out, '200 {"id":"7","title":"A note"}\n');
});

test("the compiled application has the OpenAPI document", async (t) => {
  const main = APP["src/main.ts"]!.replace("signals: false", "signals: false, openapi: true").replace(
    "/notes/7`);",
    "/openapi.json`);",
  );
  const project = await projectWith(t, { ...APP, "src/main.ts": main, "tsconfig.json": tsconfig() });
  const built = await project.kit(["build"]);
  assert.equal(built.code, 0, built.err + built.out);
  const ran = await run(["dist/src/main.js"], project.root);
  assert.match(ran.out, /^200 \{\s*"openapi":/, ran.err);
});

test("reports an error of the project's compiler as the compiler prints it, or as JSON with --json", async (t) => {
  const wrong = { ...APP, "src/wrong.ts": 'export const count: number = "three";\n' };
  const project = await projectWith(t, { ...wrong, "tsconfig.json": tsconfig() });
  const people = await project.kit(["build"]);
  assert.equal(people.code, 1);
  assert.match(
    people.err,
    /^src\/wrong\.ts\(1,14\): error TS2322: .*\nerror: `tsc` failed \(exit status: [12]\); kit wrote the artifacts, but the code is not compiled\n$/,
  );

  const programs = await project.kit(["build", "--json"]);
  assert.equal(programs.code, 1);
  const failure = JSON.parse(programs.out) as { code: string; phase: string; failures: object[] };
  assert.deepEqual([failure.code, failure.phase, failure.failures.length], ["BUILD_ERROR", "compile", 1]);
  assert.deepEqual(
    { ...failure.failures[0], message: "" },
    {
      path: "src/wrong.ts",
      line: 1,
      column: 14,
      message: "",
      code: "BUILD_ERROR",
    },
  );
});

test("does not compile if the project runs from its sources, or if the build has --no-compile", async (t) => {
  const project = await projectWith(t, {
    ...APP,
    "base.json": tsconfig({ noEmit: true, rewriteRelativeImportExtensions: false }),
    "tsconfig.json": '{ "extends": "./base", }',
  });
  const built = await project.kit(["build", "--json"]);
  assert.equal(built.code, 0, built.out);
  assert.equal((JSON.parse(built.out) as { compiler: unknown }).compiler, null);

  await project.write("tsconfig.json", tsconfig());
  const left = await project.kit(["build", "--no-compile"]);
  assert.equal(left.code, 0, left.err);
  assert.doesNotMatch(left.out, /compiled/);
  await assert.rejects(readFile(join(project.root, "dist/src/main.js")));
});

test("kit build fails if the configured compiler is not installed", async (t) => {
  const project = await Project.create(t, {
    ...NOTES,
    "package.json": '{ "name": "notes", "type": "module", "kit": { "compiler": "swc" } }',
  });
  const outcome = await project.kit(["build"]);
  assert.equal(outcome.code, 1);
  assert.match(
    outcome.err,
    /error: the project's compiler, `swc`, is not installed: there is no node_modules\/\.bin\/swc in .* or above it\nhelp: install the compiler with `npm install --save-dev @swc\/cli @swc\/core`, or build without a compiler: `kit build --no-compile`\n$/,
  );
});

test("passes arguments of the configuration to the compiler", async (t) => {
  const project = await projectWith(t, {
    ...APP,
    "package.json": JSON.stringify({
      name: "notes",
      type: "module",
      kit: { distDir: "build/out", compilerArgs: ["--declaration", "-p", "tsconfig.build.json"] },
    }),
    "tsconfig.json": tsconfig({ noEmit: true }),
    "tsconfig.build.json": tsconfig(),
  });
  const built = await project.kit(["build"]);
  assert.equal(built.code, 0, built.err + built.out);
  assert.match(await readFile(join(project.root, "build/out/src/main.d.ts"), "utf8"), /export \{\}/);
});

test("compiled output contains validators that a plugin replaces", async (t) => {
  const config = `export default {
  plugins: [
    {
      name: "same",
      hooks: {
        afterValidators({ validators, replaceValidator }) {
          for (const { type, text } of validators) replaceValidator(type, text);
        },
      },
    },
  ],
};
`;
  const project = await projectWith(t, { ...APP, "kit.config.js": config, "tsconfig.json": tsconfig() });
  const built = await project.kit(["build"]);
  assert.equal(built.code, 0, built.err + built.out);
  await rename(join(project.root, "src"), join(project.root, "sources-moved-away"));
  await rename(join(project.root, ".kit"), join(project.root, "kit-moved-away"));
  const ran = await run(["dist/src/main.js"], project.root);
  assert.equal(ran.err, "");
  assert.equal(ran.out, '200 {"id":"7","title":"A note"}\n');
});

test("the error says that tsc alone does not copy the JavaScript of .kit/", async (t) => {
  const project = await projectWith(t, { ...APP, "tsconfig.json": tsconfig() });
  assert.equal((await project.kit(["generate"])).code, 0);
  const tsc = await run([join(installed, "typescript/bin/tsc"), "-p", ".", "--outDir", "dist"], project.root);
  assert.equal(tsc.code, 0, tsc.out);
  const ran = await run(["dist/src/main.js"], project.root);
  assert.match(ran.err, /cannot be loaded: Cannot find module .*\.kit\/routes\/(?:routes|tree)\.js/);
  assert.match(
    ran.err,
    /help: run `kit build`, which compiles the project and copies the JavaScript of \.kit\//,
  );
});

test("TypeScript checks the generated code of an interface with 3,000 properties", async (t) => {
  const properties = Array.from({ length: 3000 }, (_, index) => `  /** @maxLength 9 */ p${index}: string;`);
  const project = await projectWith(t, {
    "package.json": '{ "name": "wide", "type": "module" }',
    "src/wide.types.ts": `export interface Wide {\n${properties.join("\n")}\n}\n`,
    "src/wide.routes.ts":
      'import type { RouteContract } from "@kit/types";\nimport type { Wide } from "./wide.types.ts";\nexport interface WideRoutes { "POST /wide": RouteContract<void, void, Wide, Wide> }\n',
    "tsconfig.json": tsconfig({ noEmit: true }),
  });
  const built = await project.kit(["build"]);
  assert.equal(built.code, 0, built.err + built.out);
  const tsc = await run([join(installed, "typescript/bin/tsc"), "-p", "."], project.root);
  assert.equal(tsc.out, "");
});
