import type { Program, Route, Span } from "./program.ts";

/**
 * Plugin of the build. The option `plugins` of `kit.config.ts` lists the plugins of a project.
 *
 * A plugin has functions for hooks of the build, which are called taps. The taps for one hook run one after the other: taps with a lower
 * stage first, and taps with equal stages in the order of the list. If a tap throws an error, the build fails and reports the plugin's
 * name, the hook and the location. Use {@link BuildContext.report} for mistakes in the project.
 *
 * @example
 * ```ts
 * import type { Plugin } from "@kit/cli";
 *
 * export function routeList(): Plugin {
 *   return {
 *     name: "route-list",
 *     hooks: {
 *       emit({ program, addFile }) {
 *         addFile({ path: "routes.txt", text: program.routes.map((route) => `${route.path}\n`).join("") });
 *       },
 *     },
 *   };
 * }
 * ```
 */
export interface Plugin {
  /** Unique name of the plugin. Consists of letters, digits and `-_.@/`. */
  readonly name: string;
  /** Taps of the plugin: its functions, by the name of their hook. */
  readonly hooks: PluginHooks;
  /** Globs of files outside of the output directory that the plugin writes, relative to the project's root: `["Cargo.toml"]`. */
  readonly owns?: readonly string[];
}

/** Tap: a function that a hook calls, or an object with this function and options. */
export type Tap<Event> =
  | ((event: Event) => void | Promise<void>)
  | {
      /**
       * Order of the tap among the taps for the same hook. Taps with a lower stage run earlier.
       *
       * @defaultValue `0`
       */
      readonly stage?: number;
      /**
       * Timeout in seconds. The build fails if the handler takes longer.
       *
       * @defaultValue `60`; for `compile` `1800`
       */
      readonly timeout?: number;
      readonly handler: (event: Event) => void | Promise<void>;
    };

/** Hooks of a build, in the order in which they run. */
export interface PluginHooks {
  /** Add source files before anything is parsed. */
  readonly beforeTransform?: Tap<BeforeTransformEvent>;
  /** Read or change the types. Not called if the sources have mistakes. */
  readonly afterTypeParse?: Tap<AfterTypeParseEvent>;
  /** Add or replace generated validators. */
  readonly afterValidators?: Tap<AfterValidatorsEvent>;
  /** Read or change the routes. */
  readonly afterRouteTable?: Tap<AfterRouteTableEvent>;
  /** Add files to the output. */
  readonly emit?: Tap<EmitEvent>;
  /** Replace the compile step. Not called by `kit build --check`, `kit build --no-compile` and `kit generate`. */
  readonly compile?: Tap<CompileEvent>;
  /** Clean up and report. Also called after failed builds. */
  readonly done?: Tap<DoneEvent>;
}

/** Properties of the event of every hook. */
export interface BuildEvent {
  /** Current build. */
  readonly build: BuildContext;
}

/** Information about the current build, and functions to report about it. The object is read-only. */
export interface BuildContext {
  /** Absolute path of the project's root. */
  readonly root: string;
  /**
   * Mode of the build: `build` writes, `check` compares with existing files, `watch` and `dev` build after every edit (`kit build --watch`,
   * `kit dev`).
   */
  readonly mode: "build" | "check" | "watch" | "dev";
  /** Configuration of the project, in which options that are not set have their defaults. */
  readonly config: BuildConfig;
  /**
   * Absolute path of a directory that only this plugin uses and that builds do not change. The directory may not exist
   * yet.
   */
  readonly cacheDir: string;
  /** Writes a line to standard error. */
  readonly info: (message: string) => void;
  /** Writes a warning about the plugin itself to standard error. Use `report` for mistakes of the project. */
  readonly warn: (message: string) => void;
  /**
   * Reports a mistake in the project like one of kit's own diagnostics: with its location, and in the output of `--json`. An error makes
   * the build fail.
   *
   * @example
   * ```ts
   * afterTypeParse({ program, build }) {
   *   for (const { table, declaration } of program.entities)
   *     if (!table.endsWith("s"))
   *       build.report({
   *         severity: "warning",
   *         message: `the table \`${table}\` is not in the plural`,
   *         span: program.declarations[declaration]!.span,
   *         help: `write \`@table ${table}s\``,
   *       });
   * }
   * ```
   */
  readonly report: (report: PluginReport) => void;
  /** Declares a file that the plugin reads, by its path relative to the root. In watch mode, a change of the file starts a new build. */
  readonly watch: (path: string) => void;
}

/** Configuration of a project. Options that `kit.config.ts` does not set have their defaults. */
export interface BuildConfig {
  /** Globs of the files that declare types. */
  readonly typeFiles: readonly string[];
  /** Globs of the files that declare contracts. */
  readonly routeFiles: readonly string[];
  /** Output directory of kit, relative to the root. */
  readonly outputDir: string;
  /** Output directory of the project's compiler, relative to the root. */
  readonly distDir: string;
  readonly compiler: "tsc" | "tsup" | "swc";
  readonly compilerArgs: readonly string[];
  readonly database: { readonly adapter: "drizzle" | "kysely" | "raw" };
  /** Values for the requests of contract tests. */
  readonly tests: BuildTests;
  /** Names of all plugins, in order. */
  readonly plugins: readonly string[];
}

/** Option `tests` of `kit.config.ts`. */
export interface BuildTests {
  /** Path of the module that exports the application, relative to the root. */
  readonly app?: string;
  /** Path of the module that exports the fixtures, relative to the root. */
  readonly fixtures?: string;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values for single routes, by method and complete path pattern: `"GET /notes/:id"`. */
  readonly routes: Readonly<
    Record<
      string,
      {
        readonly headers: Readonly<Record<string, string>>;
        readonly params: Readonly<Record<string, string>>;
        /** Reason why the route has no tests. */
        readonly skip?: string;
      }
    >
  >;
}

/** Mistake that a plugin found in a project. */
export interface PluginReport {
  /** Severity. If there is an error, the build fails and writes nothing. */
  readonly severity: "error" | "warning";
  /** Description of the mistake. */
  readonly message: string;
  /** Path of the file, relative to the root. */
  readonly file?: string;
  /** Line number, from 1. Without a `column`, the report marks the whole line. */
  readonly line?: number;
  /** Column number in UTF-16 code units, from 1. */
  readonly column?: number;
  /** Location of a property, type or route of the {@link Program}. Use it in place of `file`. */
  readonly span?: Span;
  /** Suggestion for the user. */
  readonly help?: string;
}

/** File with its content. */
export interface PluginFile {
  /** Relative path with `/` as the separator. */
  readonly path: string;
  readonly text: string;
}

/** Event of `beforeTransform`. Paths are relative to the project's root. */
export interface BeforeTransformEvent extends BuildEvent {
  /** Paths of the files that declare types, including files that other plugins have added. */
  readonly types: readonly string[];
  /** Paths of the files that declare contracts, including files that other plugins have added. */
  readonly routes: readonly string[];
  /** Adds a file that declares types: the path of an existing file, or a file that does not exist on disk, with its content. */
  readonly addTypes: (source: string | PluginFile) => void;
  /** Adds a file that declares contracts, in the same way as `addTypes`. */
  readonly addRoutes: (source: string | PluginFile) => void;
}

/** Event of `afterTypeParse`. */
export interface AfterTypeParseEvent extends BuildEvent {
  /**
   * Types and routes of the application. If a tap changes them, the build validates and uses the changed types and
   * routes.
   */
  readonly program: Program;
}

/** Event of `afterValidators`. */
export interface AfterValidatorsEvent extends BuildEvent {
  /** Generated validators. */
  readonly validators: readonly (PluginFile & { readonly type: string })[];
  /** Adds a module to the directory `validators/` in the output directory. */
  readonly addValidator: (file: PluginFile) => void;
  /**
   * Replaces the generated validator of a type by the module in `text`. The module must export `<Type>Validator` with the interface of the
   * generated validator.
   */
  readonly replaceValidator: (type: string, text: string) => void;
}

/** Event of `afterRouteTable`. */
export interface AfterRouteTableEvent extends BuildEvent {
  /**
   * Routes of the application. A tap may change their `summary`, `tags`, `throws`, `documentation` and `status`. Any other change makes the
   * build fail.
   */
  readonly routes: Route[];
}

/** Event of `emit`. */
export interface EmitEvent extends BuildEvent {
  /** Types and routes of the application. Changes have no effect. */
  readonly program: Program;
  /** Paths of the files that kit generates, relative to the output directory. */
  readonly files: readonly string[];
  /** Adds a file to the output directory, to which its path is relative. */
  readonly addFile: (file: PluginFile) => void;
  /**
   * Writes a file outside of the output directory. The plugin's `owns` must match its path, and its first line must state that the file is
   * generated. A file with another first line is never overwritten: the build fails.
   *
   * @param options - With `onlyIfMissing`, an existing file is never changed.
   */
  readonly addProjectFile: (file: PluginFile, options?: { readonly onlyIfMissing?: boolean }) => void;
}

/** Event of `compile`. */
export interface CompileEvent extends BuildEvent {
  /** True if an earlier tap has replaced the compile step. */
  readonly handled: boolean;
  /** Replaces the compile step: the project's compiler does not run in this build. */
  readonly handle: () => void;
}

/** Event of `done`. */
export interface DoneEvent extends BuildEvent {
  /** `built` if the output directory is up to date with the sources, otherwise `failed`. */
  readonly status: "built" | "failed";
  /** Paths of written files whose content has changed, relative to the output directory. */
  readonly written: readonly string[];
  /** Paths of files that were removed because the build no longer generates them. */
  readonly removed: readonly string[];
  /** Number of generated files whose content has not changed. */
  readonly unchanged: number;
  /** Numbers of source files, types, entities and routes. */
  readonly counts: {
    readonly sources: number;
    readonly types: number;
    readonly entities: number;
    readonly routes: number;
  };
}
