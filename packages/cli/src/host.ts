import { Console } from "node:console";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

import { type DevelopmentEvent, loadCompiler, type NodeEnd, type ServeRequest } from "@kit/transform-native";

import type { Supervisor } from "./dev/supervisor.ts";
import { runNode } from "./node-run.ts";
import { plainData } from "./plain-data.ts";
import { describePlugins } from "./plugins/describe.ts";
import type { Plugin, PluginHooks } from "./plugins/plugin.ts";
import { runTap, type TapAnswer, type TapRequest } from "./plugins/run.ts";

/** The part of `@kit/dev-database` that is used here; the package is optional, so its types may not be there. */
interface DevDatabase {
  readonly url: string;
  close(): Promise<void>;
}

/** Does for a command what only JavaScript can do. */
export class Host {
  readonly #open: DevDatabase[] = [];
  /** Of the configuration that was loaded last. */
  #plugins: readonly Plugin[] = [];
  #received: NodeJS.Signals | undefined;
  #supervisor: Supervisor | undefined;
  #configs = 0;

  /** The signal that ended what the command waited for, and that is to end the command. */
  get received(): NodeJS.Signals | undefined {
    return this.#received;
  }

  /**
   * Imports a configuration file.
   *
   * @returns Its default export as plain data.
   * @throws An `Error` for the user where it cannot be imported or holds something else.
   */
  async loadConfig(path: string): Promise<unknown> {
    const name = basename(path);
    const restore = redirectConsole();
    let module: { default?: unknown };
    try {
      // Node keeps a module for as long as it runs; `kit dev` reads a configuration again.
      const again = this.#configs === 0 ? "" : `?${this.#configs}`;
      this.#configs += 1;
      module = (await import(pathToFileURL(path).href + again)) as { default?: unknown };
    } catch (error) {
      throw new Error(`${name} cannot be loaded: ${describe(error, path)}`, { cause: error });
    } finally {
      restore();
    }
    if (module.default === undefined) {
      throw new Error(`${name} has no default export; write \`export default defineConfig({ … })\``);
    }
    try {
      const config: unknown = await module.default;
      if (typeof config !== "object" || config === null || !("plugins" in config)) return plainData(config);
      const { plugins, ...rest } = config;
      if (!Array.isArray(plugins)) return plainData(config);
      const described = describePlugins(plugins);
      this.#plugins = plugins as readonly Plugin[];
      return plainData({ ...rest, plugins: described });
    } catch (error) {
      throw new Error(`${name}: ${describe(error, path)}`, { cause: error });
    }
  }

  /**
   * Runs a tap of a plugin of the configuration.
   *
   * @throws An `Error` with what the tap threw, and where.
   */
  async runTap(plugin: number, hook: string, request: unknown): Promise<TapAnswer> {
    const found = this.#plugins[plugin];
    if (found === undefined) throw new Error("the configuration was not loaded");
    const restore = redirectConsole();
    try {
      return await runTap(found, hook as keyof PluginHooks, request as TapRequest);
    } catch (error) {
      throw new Error(describeTap(error), { cause: error });
    } finally {
      restore();
    }
  }

  /**
   * Starts the project's embedded database, or joins the one that runs already.
   *
   * @throws An `Error` for the user where the package is missing or the database does not start.
   */
  async databaseUrl(root: string): Promise<string> {
    const entry = findDevDatabase(root);
    if (entry === undefined) {
      throw new Error(
        "there is no database: DATABASE_URL is not set, and @kit/dev-database is not installed. " +
          "Set DATABASE_URL=postgres://…, or get an embedded PostgreSQL with `npm install --save-dev @kit/dev-database`",
      );
    }
    const { openDatabase } = (await import(pathToFileURL(entry).href)) as {
      openDatabase(options: { root: string }): Promise<DevDatabase>;
    };
    const database = await openDatabase({ root });
    this.#open.push(database);
    return database.url;
  }

  /** Runs Node until it ends; see `runNode`. */
  async runNode(args: readonly string[], directory: string): Promise<NodeEnd> {
    const { received, ...end } = await runNode(args, directory);
    this.#received = received;
    return end;
  }

  /** Serves an application under `kit dev` until something is to be done. */
  async serve(request: ServeRequest): Promise<DevelopmentEvent> {
    if (this.#supervisor === undefined) {
      // No other command pays for it.
      const { Supervisor: Loaded } = await import("./dev/supervisor.ts");
      this.#supervisor = new Loaded(loadCompiler());
    }
    return this.#supervisor.serve(request);
  }

  /** Gives back what was opened: the application before the database that it uses. */
  async close(): Promise<void> {
    await this.#supervisor?.close();
    await Promise.all(this.#open.splice(0).map((database) => database.close()));
  }
}

/** The project's own copy, else the one beside this package. */
function findDevDatabase(root: string): string | undefined {
  for (const from of [join(root, "package.json"), import.meta.url]) {
    try {
      return createRequire(from).resolve("@kit/dev-database");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND")) {
        throw error;
      }
    }
  }
  return undefined;
}

/** Standard output belongs to the command's result: what a configuration file prints goes to standard error. */
function redirectConsole(): () => void {
  const original = globalThis.console;
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
  return () => {
    globalThis.console = original;
  };
}

/** The message of what a tap threw, and the first place outside of Node and kit. */
function describeTap(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  const own = new URL(".", import.meta.url).href;
  const frame = error.stack
    ?.split("\n")
    .filter((line) => /^\s+at /.test(line))
    .find((line) => !line.includes("node:") && !line.includes(own));
  const place = frame?.match(/\(?((?:file:\/\/)?\/[^()]+?:\d+:\d+)\)?$/)?.[1];
  return place === undefined ? error.message : `${error.message} (${place.replace(/^file:\/\//, "")})`;
}

/** The message of an error, and where in the file it was thrown. */
function describe(error: unknown, path: string): string {
  if (!(error instanceof Error)) {
    return `it threw ${String(error)}`;
  }
  const line = error.stack
    ?.split("\n")
    .find((frame) => frame.includes(pathToFileURL(path).href) || frame.includes(path))
    ?.match(/:(\d+)(?::\d+)?\)?$/)?.[1];
  return line === undefined ? error.message : `${error.message} (line ${line})`;
}
