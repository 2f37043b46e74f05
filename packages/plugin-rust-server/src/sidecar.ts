import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { gzipSync } from "node:zlib";

/** Name of the package with the dashboard. */
const PACKAGE = "@kit/plugin-debug";

/** Endings of the files that the dashboard consists of. Other files are compressed copies of them. */
const ENDINGS: ReadonlySet<string> = new Set([".html", ".js", ".css", ".svg", ".md"]);

/** Path of the file in the output directory that contains the dashboard. */
export const DASHBOARD = "sidecar/dashboard.json";

/**
 * Returns the dashboard of the debug sidecar as JSON: an object that has each file by its path, compressed with gzip and written as
 * base64, because files of a build are texts. Returns `undefined` if the project does not list `@kit/plugin-debug` in its
 * `dependencies` or `devDependencies`.
 */
export function dashboard(root: string): string | undefined {
  const manifest = join(root, "package.json");
  if (!existsSync(manifest)) return undefined;
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, "utf8")) as {
    readonly dependencies?: object;
    readonly devDependencies?: object;
  };
  if (!Object.hasOwn(dependencies, PACKAGE) && !Object.hasOwn(devDependencies, PACKAGE)) return undefined;
  let entry: string;
  try {
    entry = createRequire(manifest).resolve(PACKAGE);
  } catch (cause) {
    throw new Error(`${PACKAGE} is in package.json, but it is not installed: run \`npm install\``, { cause });
  }
  const directory = join(dirname(entry), "../dist-dashboard");
  // The repository of kit has this directory only after `cargo xtask dashboard`.
  const names = existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: "utf8" }) : [];
  const files = names
    .filter((name) => ENDINGS.has(extname(name)))
    .toSorted()
    .map((name) => {
      const text = gzipSync(readFileSync(join(directory, name)), { level: 9 }).toString("base64");
      return [name.replaceAll("\\", "/"), text] as const;
    });
  return `${JSON.stringify(Object.fromEntries(files))}\n`;
}
