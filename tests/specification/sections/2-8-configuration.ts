import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "@kit/cli";
import { projectOf } from "../projects.ts";
import { at, type Section, type Statement } from "../statement.ts";

const contract = (name: string): string => `import type { RouteContract } from "@kit/types";
export interface ${name}Routes {
  "GET /${name.toLowerCase()}": RouteContract;
}
`;

/** Creates a project and runs `kit generate` in it. Returns those of the given paths that then exist. */
async function made(files: Readonly<Record<string, string>>, ...paths: readonly string[]): Promise<string[]> {
  const project = await projectOf({ "package.json": '{ "name": "small", "type": "module" }', ...files });
  const { code, stderr } = await project.kit(["generate"]);
  assert.equal(code, 0, stderr);
  return paths.filter((path) => existsSync(join(project.root, path)));
}

/** Returns the names of the routes of a project. */
async function routesOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const project = await projectOf({ "package.json": '{ "name": "small", "type": "module" }', ...files });
  await project.kitOk("generate");
  const { stdout } = await project.kitOk("inspect", "routes", "--json");
  return (JSON.parse(stdout) as { path: string }[]).map(({ path }) => path);
}

const validator = (type: string, directory = ".kit"): string =>
  `${directory}/validators/${type}.validator.ts`;

const defaults = [
  ["src/**/*.types.ts", "src/deep/a.types.ts"],
  ["src/**/types.ts", "src/deep/types.ts"],
] as const;
const typeStatements = defaults.map(([glob, path]): Statement => ({
  title: `typeFiles has ${glob} by default`,
  test: async () => {
    const files = {
      [path]: "export interface Found { a: string }\n",
      "src/other.ts": "export interface Other { a: string }\n",
    };
    assert.deepEqual(await made(files, validator("Found"), validator("Other")), [validator("Found")]);
  },
}));

const routeDefaults = [
  ["src/**/*.routes.ts", "src/deep/a.routes.ts"],
  ["src/**/routes.ts", "src/deep/routes.ts"],
  ["src/**/contracts.ts", "src/deep/contracts.ts"],
] as const;
const routeStatements = routeDefaults.map(([glob, path]): Statement => ({
  title: `routeFiles has ${glob} by default`,
  test: async () =>
    assert.deepEqual(await routesOf({ [path]: contract("Found"), "src/other.ts": contract("Other") }), [
      "/found",
    ]),
}));

const oneType = { "src/a.types.ts": "export interface Found { a: string }\n" };

export const configuration: Section = {
  number: "2.8",
  title: "Configuration",
  statements: [
    {
      title: "defineConfig returns its argument",
      test: () => {
        const config = { outputDir: "generated" };
        assert.equal(defineConfig(config), config);
      },
    },
    ...typeStatements,
    {
      title: "typeFiles selects the files with types",
      test: async () => {
        const files = {
          "kit.config.ts": 'export default { typeFiles: ["domain/*.ts"] };\n',
          "domain/a.ts": "export interface Found { a: string }\n",
          "src/b.types.ts": "export interface Other { a: string }\n",
        };
        assert.deepEqual(await made(files, validator("Found"), validator("Other")), [validator("Found")]);
      },
    },
    ...routeStatements,
    {
      title: "routeFiles selects the files with contracts",
      test: async () => {
        const files = {
          "kit.config.ts": 'export default { routeFiles: ["api/*.ts"] };\n',
          "api/a.ts": contract("Found"),
          "src/b.routes.ts": contract("Other"),
        };
        assert.deepEqual(await routesOf(files), ["/found"]);
      },
    },
    {
      title: "outputDir is .kit by default",
      test: async () => assert.deepEqual(await made(oneType, validator("Found")), [validator("Found")]),
    },
    {
      title: "outputDir is the directory that artifacts are written to",
      test: async () => {
        const files = { ...oneType, "kit.config.ts": 'export default { outputDir: "made/here" };\n' };
        assert.deepEqual(await made(files, validator("Found", "made/here"), ".kit"), [
          validator("Found", "made/here"),
        ]);
      },
    },
    {
      title: "the compiler is tsc by default, and distDir is dist",
      provenBy: at("packages/cli/test/compile.test.ts", "runs the compiled output without the sources"),
    },
    {
      title: "distDir and compilerArgs are passed to the compiler",
      provenBy: at(
        "packages/cli/test/compile.test.ts",
        "passes arguments of the configuration to the compiler",
      ),
    },
    {
      title: "the compiler may be tsup or swc",
      provenBy: at("tests/compilers/compilers.test.ts", "compiled by ${compiler} runs without its sources"),
    },
    {
      title: "an unknown compiler is refused",
      test: async () => {
        const files = { ...oneType, "package.json": '{ "name": "small", "kit": { "compiler": "babel" } }' };
        const { code, stderr } = await (await projectOf(files)).kit(["generate"]);
        assert.equal(code, 1);
        assert.match(stderr, /babel/);
      },
    },
    {
      title: "kit.config.js is read as well as kit.config.ts",
      test: async () => {
        const files = { ...oneType, "kit.config.js": 'export default { outputDir: "from-js" };\n' };
        assert.deepEqual(await made(files, "from-js", ".kit"), ["from-js"]);
      },
    },
    {
      title: "the field kit of package.json is read if there is no configuration file",
      test: async () => {
        const files = {
          ...oneType,
          "package.json": '{ "type": "module", "kit": { "outputDir": "from-package" } }',
        };
        assert.deepEqual(await made(files, "from-package", ".kit"), ["from-package"]);
      },
    },
    {
      title: "kit.config.ts takes precedence over package.json",
      test: async () => {
        const files = {
          ...oneType,
          "package.json": '{ "type": "module", "kit": { "outputDir": "from-package" } }',
          "kit.config.ts": 'export default { outputDir: "from-file" };\n',
        };
        assert.deepEqual(await made(files, "from-file", "from-package"), ["from-file"]);
      },
    },
  ],
};
