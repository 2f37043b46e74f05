import { registerHooks } from "node:module";

/** Matches a relative path or a URL that tsc reads as the name of a compiled file. */
const compiled = /^((?:\.\.?\/|file:).*)\.([cm]?)js$/;
const typescript = [".ts", ".mts", ".cts"];

/**
 * Lets modules in TypeScript import `./money.js` if there is only `money.ts`, as tsc does. Projects that run their compiled code write
 * imports in this way. kit also runs their sources: the application of `kit dev`, tests and the configuration. The same holds for the
 * files of workers and of child processes.
 *
 * A file that exists wins, so modules that Node finds by itself stay as they are.
 */
export function resolveSourceImports(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const path = compiled.exec(specifier);
      if (path === null) return next(specifier, context);
      const source = `${path[1]}.${path[2]}ts`;
      // The file with which a worker or a process begins has no parent.
      if (!isSource(context.parentURL ?? source)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch (error) {
        if (!isMissing(error)) throw error;
        try {
          return next(source, context);
        } catch (other) {
          // The first error names the path that stands in the import.
          throw isMissing(other) ? error : other;
        }
      }
    },
  });
}

/** Returns true for the URL of a module in TypeScript that Node can run. Node refuses those in `node_modules`. */
function isSource(url: string): boolean {
  const [path = ""] = url.split("?", 1);
  return typescript.some((ending) => path.endsWith(ending)) && !url.includes("/node_modules/");
}

function isMissing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  // `import` and `require` have different codes.
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}
