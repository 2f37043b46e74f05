import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const mark = "kit-load";

/**
 * A configuration file and the modules of the project's own that it imports, plugins most of all. Node keeps a module for as long as
 * it runs; a command that builds again has all of these imported anew once the text of one of them is another.
 */
export class ConfigModule {
  /** What was imported, with its text at that time; undefined where it could not be read. */
  readonly #texts = new Map<string, string | undefined>();
  #loads = 0;
  #isHooked = false;

  /** Paths of the file and of what it imports. */
  get files(): readonly string[] {
    return [...this.#texts.keys()];
  }

  /** Whether it would be as it was if it were imported now. */
  isCurrent(): boolean {
    return (
      this.#texts.size > 0 &&
      [...this.#texts].every(([file, text]) => text !== undefined && read(file) === text)
    );
  }

  /** Imports it as it is now. */
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

  /** Marks what the file's modules import with the number of the load, so that Node takes it for something new. */
  #hook(): void {
    if (this.#isHooked) return;
    this.#isHooked = true;
    registerHooks({
      resolve: (specifier, context, next) => {
        const result = next(specifier, context);
        const { parentURL, conditions } = context;
        const file = ownFile(result.url);
        const parent = parentURL === undefined ? undefined : ownFile(parentURL);
        if (file === undefined || parent === undefined || !this.#texts.has(parent)) return result;
        if (!this.#texts.has(file)) this.#texts.set(file, read(file));
        // What is required has a cache of its own, from which it was taken.
        if (this.#loads === 1 || conditions.includes("require")) return result;
        const url = new URL(result.url);
        url.searchParams.set(mark, String(this.#loads));
        return { ...result, url: url.href };
      },
    });
  }
}

/** The path of a module that its user edits; one that is installed has to be installed anew to change. */
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
