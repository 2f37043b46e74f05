import type { Program, Route, Span } from "./program.ts";

/**
 * Plugin of the build. The option `plugins` of `kit.config.ts` lists the plugins.
 *
 * Taps of one hook run one after the other: by ascending stage, and in the order of the list if the stages are equal. An error in a tap
 * fails the build, with the plugin's name, the hook and the location. Use {@link BuildContext.report} for mistakes of the project.
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
  /** Taps of the plugin, by hook. */
  readonly hooks: PluginHooks;
  /** Globs of files outside of the output directory that the plugin writes, relative to the project's root: `["Cargo.toml"]`. */
  readonly owns?: readonly string[];
}

/** Function that a hook calls, alone or with options. */
export type Tap<Event> =
  | ((event: Event) => void | Promise<void>)
  | {
      /**
       * Order of the tap. Lower stages run earlier.
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

/** Members of the event of every hook. */
export interface BuildEvent {
  /** Current build. */
  readonly build: BuildContext;
}

/** Current build, as plugins see it. The object is read-only. */
export interface BuildContext {
  /** Absolute path of the project's root. */
  readonly root: string;
  /**
   * Mode of the build: `build` writes, `check` compares with existing files, `watch` and `dev` build after every edit (`kit build --watch`,
   * `kit dev`).
   */
  readonly mode: "build" | "check" | "watch" | "dev";
  /** Configuration of the project, with defaults. */
  readonly config: BuildConfig;
  /** Absolute path of a directory for the plugin alone, which builds do not change. The directory may not exist. */
  readonly cacheDir: string;
  /** Writes a line to standard error. */
  readonly info: (message: string) => void;
  /** Writes a warning about the plugin itself to standard error. Use `report` for mistakes of the project. */
  readonly warn: (message: string) => void;
  /**
   * Reports a mistake in the project in the same form as kit's own diagnostics: with its location, and in the output of `--json`. Errors
   * fail the build.
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
  /** Declares an input file, relative to the root. A change of the file starts a new build in watch mode. */
  readonly watch: (path: string) => void;
}

/** Configuration of a project: the options of `kit.config.ts`, with defaults for the others. */
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
  /** Names of all plugins, in order. */
  readonly plugins: readonly string[];
}

/** Mistake that a plugin found in a project. */
export interface PluginReport {
  /** Severity. If there is an error, the build fails and writes nothing. */
  readonly severity: "error" | "warning";
  /** Description of the mistake. */
  readonly message: string;
  /** Path of the file, relative to the root. */
  readonly file?: string;
  /** Line number, from 1. Without a `column`, the whole line is marked. */
  readonly line?: number;
  /** Column number, from 1, in UTF-16 units. */
  readonly column?: number;
  /** Location of a property, type or route of the {@link Program}. Use it in place of `file`. */
  readonly span?: Span;
  /** Suggestion for the user. */
  readonly help?: string;
}

/** File with its content. */
export interface PluginFile {
  /** Relative path with `/`. */
  readonly path: string;
  readonly text: string;
}

/** Event of `beforeTransform`. Paths are relative to the project's root. */
export interface BeforeTransformEvent extends BuildEvent {
  /** Paths of the files that declare types, so far. */
  readonly types: readonly string[];
  /** Paths of the files that declare contracts, so far. */
  readonly routes: readonly string[];
  /** Adds a file that declares types: the path of an existing file, or a virtual file with its content. */
  readonly addTypes: (source: string | PluginFile) => void;
  /** Adds a file that declares contracts. */
  readonly addRoutes: (source: string | PluginFile) => void;
}

/** Event of `afterTypeParse`. */
export interface AfterTypeParseEvent extends BuildEvent {
  /** Types and routes of the application. Changes are validated and used for the build. */
  readonly program: Program;
}

/** Event of `afterValidators`. */
export interface AfterValidatorsEvent extends BuildEvent {
  /** Generated validators. */
  readonly validators: readonly (PluginFile & { readonly type: string })[];
  /** Adds a module below `validators/` of the output directory. */
  readonly addValidator: (file: PluginFile) => void;
  /** Replaces the module of a type's validator. It must export `<Type>Validator` with the interface of the generated one. */
  readonly replaceValidator: (type: string, text: string) => void;
}

/** Event of `afterRouteTable`. */
export interface AfterRouteTableEvent extends BuildEvent {
  /** Routes. A tap may change `summary`, `tags`, `throws`, `documentation` and `status`; other changes fail the build. */
  readonly routes: Route[];
}

/** Event of `emit`. */
export interface EmitEvent extends BuildEvent {
  /** Types and routes of the application. Changes have no effect. */
  readonly program: Program;
  /** Paths of the files that kit generates, relative to the output directory. */
  readonly files: readonly string[];
  /** Adds a file. Its path is relative to the output directory. */
  readonly addFile: (file: PluginFile) => void;
  /**
   * Writes a file outside of the output directory. Its path must match `owns` of the plugin. Its first line must state that the file is
   * generated. If a file with another first line exists, it is not changed, and the build fails.
   *
   * @param options - With `onlyIfMissing`, an existing file is never changed.
   */
  readonly addProjectFile: (file: PluginFile, options?: { readonly onlyIfMissing?: boolean }) => void;
}

/** Event of `compile`. */
export interface CompileEvent extends BuildEvent {
  /** True if an earlier tap has replaced the compile step. */
  readonly handled: boolean;
  /** Replaces the compile step: the project's compiler does not run. */
  readonly handle: () => void;
}

/** Event of `done`. */
export interface DoneEvent extends BuildEvent {
  /** `built` if the output directory is up to date with the sources, otherwise `failed`. */
  readonly status: "built" | "failed";
  /** Paths of files with changed content, relative to the output directory. */
  readonly written: readonly string[];
  /** Paths of files that were removed, because they are no longer generated. */
  readonly removed: readonly string[];
  /** Number of unchanged files. */
  readonly unchanged: number;
  /** Number of source files, types, entities and routes. */
  readonly counts: {
    readonly sources: number;
    readonly types: number;
    readonly entities: number;
    readonly routes: number;
  };
}
