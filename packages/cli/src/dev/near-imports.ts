import { lstatSync } from "node:fs";
import { registerHooks } from "node:module";

const packages = "/node_modules/";
/** Relative path that every loader resolves the same way: no escapes, no query, with its extension. */
const nearFile = /^\.\.?\/[\w./@-]+\.js$/;

/**
 * Resolves imports within a package without reading the package's manifest for each import. Node copies the whole manifest each time. A
 * manifest of 180 kB, such as that of drizzle-orm, costs a second and 160 MB per process.
 *
 * The directory alone decides if a `.js` file is an ES module or CommonJS. So Node resolves the first file of each directory, and all files
 * that are not regular files: links and missing files.
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
