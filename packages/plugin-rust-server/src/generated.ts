import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Program, Span } from "@kit/cli";
import { addonPath, loadCompiler } from "@kit/transform-native";

/** What the compiler makes of a program. */
export interface Generated {
  readonly files: readonly GeneratedFile[];
  /** What has no Rust form. */
  readonly problems: readonly { readonly message: string; readonly span: Span; readonly help: string }[];
}

/** A file, and whose it is: kit's in the output directory, kit's in the project, or the user's. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
  readonly owner: "output" | "project" | "user";
}

/** What the project says. */
export interface GenerateOptions {
  readonly name: string;
  readonly outputDir: string;
  readonly otlp: boolean;
}

/**
 * The server of a program, with the hash of all that it depends on. Where that is the hash of the last time, what was made then is
 * given again.
 */
export function generated(
  program: Program,
  options: GenerateOptions,
  cacheDir: string,
): Generated & { readonly hash: string } {
  const { generateRustServer, version } = loadCompiler();
  const document = JSON.stringify(program);
  const settings = JSON.stringify(options);
  const hash = createHash("sha256").update(`${version()}\n${settings}\n${document}`).digest("hex");
  const path = join(cacheDir, "generated.json");
  // Whoever builds kit has many compilers of one version.
  const { mtimeMs, size } = statSync(addonPath());
  const compiler = `${mtimeMs} ${size}`;
  const known = read(path);
  if (known?.hash === hash && known.compiler === compiler) return known;
  const made = { hash, compiler, ...(JSON.parse(generateRustServer(document, settings)) as Generated) };
  mkdirSync(cacheDir, { recursive: true });
  writeFileSync(path, JSON.stringify(made));
  return made;
}

/** What was made the last time, of what, and by which compiler. */
interface Kept extends Generated {
  readonly hash: string;
  readonly compiler: string;
}

/** What was made the last time; nothing where that cannot be read, whatever the reason. */
function read(path: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Kept;
  } catch {
    return undefined;
  }
}
