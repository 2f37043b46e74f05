import { lstatSync } from "node:fs";
import { registerHooks } from "node:module";

const packages = "/node_modules/";
/** A path that means the same to every loader: nothing escaped, no query, with its ending. */
const nearFile = /^\.\.?\/[\w./@-]+\.js$/;

/**
 * Resolves what modules of a package import of their own package as Node does, without reading the package's manifest for each of them again: Node copies all of it each
 * time, and one like drizzle-orm's, of 180 kB, costs a process a second and 160 MB that way.
 *
 * What a `.js` file is, a module or CommonJS, depends on its directory alone. So the first one of each directory is Node's to resolve, and so are those that are no plain files: links,
 * and files that are missing.
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
