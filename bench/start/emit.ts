/** Compiles the application, what kit built for it, and kit's own packages to JavaScript, as they are when they are deployed. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { run } from "../http/command.ts";

const repository = join(import.meta.dirname, "../..");
const packages = ["types", "errors", "core", "server-native", "server-node"];

/** Writes `built` from `source`, with kit's packages in its `node_modules`. */
export async function emit(source: string, built: string, signal: AbortSignal): Promise<void> {
  await compile(join(source, "src"), join(built, "src"), signal);
  await compile(join(source, ".kit"), join(built, ".kit"), signal);
  writeFileSync(join(built, "package.json"), readFileSync(join(source, "package.json")));
  for (const name of packages) {
    const from = join(repository, "packages", name);
    const to = join(built, "node_modules/@kit", name);
    await compile(join(from, "src"), join(to, "src"), signal);
    const manifest = readFileSync(join(from, "package.json"), "utf8");
    writeFileSync(join(to, "package.json"), manifest.replaceAll(/(\.\/src\/[^"]*)\.ts"/g, '$1.js"'));
    if (existsSync(join(from, "native")))
      cpSync(join(from, "native"), join(to, "native"), { recursive: true });
  }
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
