import { AsyncResource } from "node:async_hooks";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Registers a function that runs after all tests: `after` of node:test or `afterAll` of vitest. */
export type AfterHook = (run: () => Promise<void>) => unknown;

/**
 * Async context of the time when this module was loaded, outside of all tests and hooks. In any other
 * context, node:test can run an `after` hook too early: an `after` hook that code in a `before` hook
 * registers runs at the end of the `before` hook and not after the tests.
 */
const outside = new AsyncResource("createIntegrationSuite");

/** Returns `after` of node:test or `afterAll` of vitest, depending on which of them runs the tests. */
export async function afterHook(root: string): Promise<AfterHook> {
  if (process.env["VITEST"] === undefined) {
    const { after } = await import("node:test");
    return (run) => outside.runInAsyncScope(() => after(run));
  }
  const global: unknown = Reflect.get(globalThis, "afterAll");
  if (typeof global === "function") return global as AfterHook;
  const path = vitestOf(root);
  const module =
    path === undefined ? {} : ((await import(pathToFileURL(path).href)) as Record<string, unknown>);
  const hook = module["afterAll"];
  if (typeof hook === "function") return hook as AfterHook;
  throw new Error(
    "The suite found no global function `afterAll` of vitest. Pass the function as an option: `createIntegrationSuite({ after: afterAll, … })`",
  );
}

/** Returns the path of the module that `import "vitest"` loads in a project, or `undefined` if vitest is not installed. */
function vitestOf(root: string): string | undefined {
  for (let directory = root; ; directory = dirname(directory)) {
    const manifest = join(directory, "node_modules/vitest/package.json");
    if (existsSync(manifest)) {
      const { exports } = createRequire(manifest)(manifest) as {
        exports?: { "."?: { import?: unknown; default?: unknown } };
      };
      let entry: unknown = exports?.["."];
      while (typeof entry === "object" && entry !== null) {
        entry = (entry as Record<string, unknown>)["import"] ?? (entry as Record<string, unknown>)["default"];
      }
      return typeof entry === "string" ? join(dirname(manifest), entry) : undefined;
    }
    if (dirname(directory) === directory) return undefined;
  }
}
