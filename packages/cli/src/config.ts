import type { Plugin } from "./plugins/plugin.ts";

/** Options of a project. Each has a default, so most projects need no configuration file. */
export interface Config {
  /**
   * Globs of the files that declare types, relative to the project's root. A glob that begins with `!` excludes files.
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
   * Directory of the generated files. Only kit writes to it.
   *
   * @defaultValue `".kit"`
   */
  readonly outputDir?: string;
  /**
   * Directory of the compiler's output.
   *
   * @defaultValue `"dist"`
   */
  readonly distDir?: string;
  /**
   * Compiler of the project.
   *
   * @defaultValue `"tsc"`
   */
  readonly compiler?: "tsc" | "tsup" | "swc";
  /** Arguments of the project's compiler. */
  readonly compilerArgs?: readonly string[];
  /** Database of the project. */
  readonly database?: DatabaseConfig;
  /** OpenAPI documents of the project. */
  readonly openapi?: OpenApiConfig;
  /** Meaning of types. */
  readonly types?: TypesConfig;
  /** Values that generated tests send in addition to the contracts, for example credentials for protected routes. */
  readonly tests?: TestsConfig;
  /**
   * Plugins of the build, in order. Values that are false, null or undefined are ignored. This option must be in a configuration file, and
   * not in `package.json`, because plugins are code.
   */
  readonly plugins?: readonly (Plugin | false | null | undefined)[];
}

/** Values that generated tests send, in addition to values that follow from the contracts. */
export interface TestsConfig {
  /**
   * Path of the module that exports the application, relative to the project's root: `"src/app.ts"`.
   *
   * @defaultValue The module that calls `createApp`.
   */
  readonly app?: string;
  /** Headers of every request, such as `{ authorization: "Bearer tester:admin" }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Path of the module that exports the fixtures, relative to the project's root: `"tests/fixtures.ts"`. Its default export is the
   * fixtures.
   */
  readonly fixtures?: string;
  /** Values for single routes, by method and complete path pattern: `"GET /notes/:id"`. */
  readonly routes?: Readonly<Record<string, RouteTestsConfig>>;
}

/** Values that the generated tests of one route send. */
export interface RouteTestsConfig {
  /** Headers, which override the headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of path parameters, written as in a path: `"a%20b"`. */
  readonly params?: Readonly<Record<string, string>>;
  /** Reason why the route has no tests. If this is set, the route is not tested. */
  readonly skip?: string;
}

/** Options of the OpenAPI documents. */
export interface OpenApiConfig {
  /**
   * Version of OpenAPI. Choose `"3.0"` for tools that cannot read newer versions; rules that it cannot express are left
   * out of the document.
   *
   * @defaultValue `"3.1"`
   */
  readonly version?: "3.0" | "3.1" | "3.2";
}

/** Options for the meaning of types. */
export interface TypesConfig {
  /**
   * Meaning of `any`. With `"error"`, `any` is an error in types of the project, and in types of installed packages it is
   * `unknown`, with a warning. With `"unknown"`, `any` is `unknown` everywhere: every JSON value is valid.
   *
   * @defaultValue `"error"`
   */
  readonly any?: "error" | "unknown";
}

/** Options of the project's database. */
export interface DatabaseConfig {
  /**
   * Database library that schema files are generated for.
   *
   * @defaultValue `"drizzle"` if the project depends on `drizzle-orm`; otherwise no schema files are generated.
   */
  readonly adapter?: "drizzle" | "kysely" | "raw";
}

/**
 * Declares the configuration of a project. Returns its argument, with its type checked. Use the result as the default export of
 * `kit.config.ts`.
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
