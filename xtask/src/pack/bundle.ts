/**
 * `node bundle.ts DIRECTORY`: bundles each entry below `src/` in the manifest of a staged package into one JavaScript file below `dist/`,
 * with a source map. Loading a module costs Node some time, independent of its size, and an application loads most of kit.
 *
 * Code that several entries share becomes a separate file, and so does each dynamic import. Imports of other packages stay
 * unchanged. Names are not minified, because most stack traces are read without a source map.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { build, type Metafile } from "esbuild";

interface Manifest {
  readonly exports?: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string>>;
}

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("Say which package: node bundle.ts DIRECTORY");

const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
const entries = Object.values({ ...manifest.exports, ...manifest.imports });
const { metafile } = await build({
  absWorkingDir: directory,
  entryPoints: entries.filter((path) => path.startsWith("./src/")),
  outbase: "src",
  outdir: "dist",
  bundle: true,
  splitting: true,
  chunkNames: "[name]-[hash]",
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node24",
  // This replaces the tsconfig of the package, which refers to the type declarations of other packages.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  charset: "utf8",
  sourcemap: "linked",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
checkPlaces(directory, metafile);

/** Throws an error if a module that finds files relative to itself would move to another directory. */
function checkPlaces(root: string, { outputs }: Metafile): void {
  for (const [output, { inputs }] of Object.entries(outputs)) {
    for (const input of Object.keys(inputs)) {
      if (relative("src", dirname(input)) === relative("dist", dirname(output))) continue;
      if (!/import\.meta\.(url|dirname|filename)/.test(readFileSync(join(root, input), "utf8"))) continue;
      throw new Error(
        `${input} would be in ${output}, where it does not find what it looks for beside itself; name that under "imports" of the manifest and use import.meta.resolve`,
      );
    }
  }
}
