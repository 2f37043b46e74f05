/** Copy of the Notes example that uses kit's packages in their published form: one JavaScript file per entry point below `node_modules`. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { run } from "../http/command.ts";

const repository = join(import.meta.dirname, "../..");
const packages = [
  "types",
  "errors",
  "core",
  "server-node",
  "server-native",
  "plugin-debug",
  "api-docs",
  "transform-native",
  "dev-database",
  "cli",
];

/** Returns the path of the program `kit` in the copy. */
export function kitOf(root: string): string {
  return join(root, "node_modules/@kit/cli/bin/kit.js");
}

/** Writes a new copy of the example and creates its database. */
export async function writeProject(root: string, signal: AbortSignal): Promise<void> {
  rmSync(root, { recursive: true, force: true });
  cpSync(join(repository, "examples/notes"), root, {
    recursive: true,
    filter: (path) => !/[/\\](?:\.kit|\.data|dist|node_modules)$/.test(path),
  });
  for (const name of packages) await install(name, join(root, "node_modules/@kit", name), signal);
  const { DATABASE_URL: _, ...env } = process.env;
  await run(process.execPath, [kitOf(root), "migrate:apply"], root, signal, env);
}

/** Installs a package as `cargo xtask pack` builds it, without packing it into an archive. */
async function install(name: string, to: string, signal: AbortSignal): Promise<void> {
  const from = join(repository, "packages", name);
  for (const part of ["package.json", "src", "bin", "native", "viewer"])
    if (existsSync(join(from, part))) cpSync(join(from, part), join(to, part), { recursive: true });
  await run(process.execPath, ["xtask/src/pack/bundle.ts", to], repository, signal);
  const manifest = readFileSync(join(to, "package.json"), "utf8");
  writeFileSync(join(to, "package.json"), manifest.replaceAll(/"\.\/src\/([^"]*)\.ts"/g, '"./dist/$1.js"'));
}
