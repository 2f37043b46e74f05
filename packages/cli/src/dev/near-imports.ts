import { lstatSync } from "node:fs";
import { registerHooks } from "node:module";

const packages = "/node_modules/";
/** Matches a relative path that every loader resolves in the same way: with an extension, and without escapes and query. */
const nearFile = /^\.\.?\/[\w./@-]+\.js$/;

/**
 * Resolves imports within an installed package without reading its `package.json` for each import. Node
 * copies the whole file for each import. For a file of 180 kB, as in drizzle-orm, the copies cost a second
 * and 160 MB per process.
 *
 * All `.js` files in a directory are of the same kind, ES modules or CommonJS, so Node only needs to resolve
 * the first file of each directory. It also resolves paths that are not regular files: links and missing
 * files.
 */
export function resolveNearImports(): void {
  const formats = new Map<string, string>();
  registerHooks({
    resolve: (specifier, context, next) => {
      const { parentURL, conditions } = context;
      const isNear =
        nearFile.test(specifier) && parentURL?.includes(packages) === true && conditions.includes("import");
      if (!isNear) return next(specifier, context);
      const url = new URL(specifier, parentURL);
      const directory = new URL(".", url).href;
      const format = formats.get(directory);
      if (format !== undefined && lstatSync(url, { throwIfNoEntry: false })?.isFile() === true)
        return { url: url.href, format, shortCircuit: true };
      const result = next(specifier, context);
      const isInPlace = result.url === url.href && directory.includes(packages);
      if (isInPlace && typeof result.format === "string") formats.set(directory, result.format);
      return result;
    },
  });
}
