/**
 * `node bundle.ts DIRECTORY`: what the manifest of a staged package leads to below `src/`, as one JavaScript file each below `dist/`,
 * with a source map. Node takes some time for each module that it loads, whatever is in it, and an application loads most of kit.
 *
 * What several entries need is one file beside them, and what is imported only when it is wanted one of its own. Other packages
 * stay imports. Names are kept as they are: a stack is read without its source map mostly.
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
  // In place of the package's, which leads to the declarations of the others.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  charset: "utf8",
  sourcemap: "linked",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
checkPlaces(directory, metafile);

/** A module that looks for files beside itself must stay in its directory. */
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
