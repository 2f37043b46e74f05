import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

import { resolveSourceImports } from "./source-imports/hook.ts";

const mark = "kit-load";

/**
 * Imports a configuration file, and imports it again after a change. Node caches a module until the process
 * exits, so after a change of the configuration or of a module of the project that it imports, all of these
 * modules are imported under new URLs.
 */
export class ConfigModule {
  /** Content of each imported file at the time of its import; `undefined` if the file could not be read. */
  readonly #texts = new Map<string, string | undefined>();
  #loads = 0;
  #isHooked = false;

  /** Paths of the configuration file and of the project's modules that it imports. */
  get files(): readonly string[] {
    return [...this.#texts.keys()];
  }

  /** Returns true if no file has changed since the import. */
  isCurrent(): boolean {
    return (
      this.#texts.size > 0 &&
      [...this.#texts].every(([file, text]) => text !== undefined && read(file) === text)
    );
  }

  /** Imports the configuration again. */
  async load(path: string): Promise<{ default?: unknown }> {
    this.#hook();
    const { cache } = createRequire(import.meta.url);
    for (const file of this.#texts.keys()) delete cache[file];
    this.#texts.clear();
    this.#loads += 1;
    this.#texts.set(path, read(path));
    const url = pathToFileURL(path);
    if (this.#loads > 1) url.searchParams.set(mark, String(this.#loads));
    return (await import(url.href)) as { default?: unknown };
  }

  /**
   * Registers a hook that adds the number of the import to the URLs of the modules. Node caches modules by URL, so it evaluates them again.
   */
  #hook(): void {
    if (this.#isHooked) return;
    this.#isHooked = true;
    resolveSourceImports();
    registerHooks({
      resolve: (specifier, context, next) => {
        const result = next(specifier, context);
        const { parentURL, conditions } = context;
        const file = ownFile(result.url);
        const parent = parentURL === undefined ? undefined : ownFile(parentURL);
        if (file === undefined || parent === undefined || !this.#texts.has(parent)) return result;
        if (!this.#texts.has(file)) this.#texts.set(file, read(file));
        // `require` has a cache of its own, from which `load` has deleted these modules.
        if (this.#loads === 1 || conditions.includes("require")) return result;
        const url = new URL(result.url);
        url.searchParams.set(mark, String(this.#loads));
        return { ...result, url: url.href };
      },
    });
  }
}

/**
 * Returns the path of a module of the project. Returns `undefined` for a module of an installed package,
 * which changes only if the package is installed again.
 */
function ownFile(url: string): string | undefined {
  return url.startsWith("file:") && !url.includes("/node_modules/") ? fileURLToPath(url) : undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
