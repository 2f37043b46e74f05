/** Compiles the application and its artifacts to JavaScript, and installs kit's packages in their published form. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { run } from "../http/command.ts";

const repository = join(import.meta.dirname, "../..");
const packages = /^kit-(types|errors|core|server-native|server-node)(-(linux|darwin|win32)-.*)?-\d/;

/** Writes the compiled application to `built` from its sources in `source`. Installs kit's packages, whose archives are in `archives`. */
export async function emit(
  source: string,
  built: string,
  archives: string,
  signal: AbortSignal,
): Promise<void> {
  await compile(join(source, "src"), join(built, "src"), signal);
  await compile(join(source, ".kit"), join(built, ".kit"), signal);
  // A part of the artifacts is JavaScript, which `kit build` copies and tsc does not.
  cpSync(join(source, ".kit"), join(built, ".kit"), {
    recursive: true,
    filter: (path) => path.endsWith(".js") || statSync(path).isDirectory(),
  });
  writeFileSync(join(built, "package.json"), readFileSync(join(source, "package.json")));
  const wanted = readdirSync(archives).filter((name) => packages.test(name));
  if (wanted.length === 0) throw new Error(`${archives} has no packages; run \`cargo xtask bench start\``);
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-save"];
  await run("npm", [...args, ...wanted.map((name) => join(archives, name))], built, signal);
}

async function compile(from: string, to: string, signal: AbortSignal): Promise<void> {
  mkdirSync(to, { recursive: true });
  const project = join(to, "tsconfig.json");
  const options = {
    extends: join(repository, "tsconfig.base.json"),
    compilerOptions: {
      rootDir: from,
      outDir: to,
      noEmit: false,
      noCheck: true,
      declaration: false,
      isolatedDeclarations: false,
      rewriteRelativeImportExtensions: true,
      types: [],
    },
    include: [`${from}/**/*.ts`],
  };
  writeFileSync(project, JSON.stringify(options));
  await run(join(repository, "node_modules/.bin/tsc"), ["--project", project], repository, signal);
}
