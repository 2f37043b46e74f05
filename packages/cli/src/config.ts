import type { Plugin } from "./plugins/plugin.ts";

/** What a project may configure. Everything has a default, so that most projects need no configuration file. */
export interface Config {
  /**
   * Globs of the files that declare types, relative to the project's root. A glob that begins with `!` excludes.
   *
   * @defaultValue `["src/**\/*.types.ts", "src/**\/types.ts"]`
   */
  readonly typeFiles?: readonly string[];
  /**
   * Globs of the files that declare contract groups.
   *
   * @defaultValue `["src/**\/*.routes.ts", "src/**\/routes.ts", "src/**\/contracts.ts"]`
   */
  readonly routeFiles?: readonly string[];
  /**
   * Where generated files go. The directory belongs to kit.
   *
   * @defaultValue `".kit"`
   */
  readonly outputDir?: string;
  /**
   * Where the project's compiler writes.
   *
   * @defaultValue `"dist"`
   */
  readonly distDir?: string;
  /**
   * The project's compiler.
   *
   * @defaultValue `"tsc"`
   */
  readonly compiler?: "tsc" | "tsup" | "swc";
  /** Arguments of the project's compiler. */
  readonly compilerArgs?: readonly string[];
  /** The project's database. */
  readonly database?: DatabaseConfig;
  /** What generated tests send besides what the contracts say, so that they reach protected routes. */
  readonly tests?: TestsConfig;
  /**
   * Code that steps into builds, in order; what is false, null or undefined is left out. Only in a configuration file, since plugins are
   * code.
   */
  readonly plugins?: readonly (Plugin | false | null | undefined)[];
}

/** What generated tests send besides what the contracts say. */
export interface TestsConfig {
  /**
   * The module that exports the application, relative to the project's root: `"src/app.ts"`.
   *
   * @defaultValue The module that calls `createApp`.
   */
  readonly app?: string;
  /** Headers of every request, such as `{ authorization: "Bearer tester:admin" }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A module, relative to the project's root, whose default export prepares what routes need: `"tests/fixtures.ts"`. */
  readonly fixtures?: string;
  /** What single routes need, by method and final path: `"GET /notes/:id"`. */
  readonly routes?: Readonly<Record<string, RouteTestsConfig>>;
}

/** What the generated tests of one route send. */
export interface RouteTestsConfig {
  /** Headers, which win over those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of path parameters, as they stand in a path. */
  readonly params?: Readonly<Record<string, string>>;
  /** Why the route is not tested. */
  readonly skip?: string;
}

/** How a project reaches its database. */
export interface DatabaseConfig {
  /**
   * What schema files are made for.
   *
   * @defaultValue `"drizzle"` where the project depends on `drizzle-orm`; otherwise no schema files are made.
   */
  readonly adapter?: "drizzle" | "kysely" | "raw";
}

/**
 * Types the default export of `kit.config.ts`. Returns its argument.
 *
 * @example
 * ```ts
 * // kit.config.ts
 * import { defineConfig } from "@kit/cli";
 *
 * export default defineConfig({
 *   typeFiles: ["src/domain/**\/*.ts"],
 *   routeFiles: ["src/api/**\/*.contract.ts"],
 * });
 * ```
 */
export function defineConfig(config: Config): Config {
  return config;
}
