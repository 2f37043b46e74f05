import type { Program, Route, Span } from "./program.ts";

/**
 * Code of a project's own that steps into its builds. Its place is `plugins` of `kit.config.ts`.
 *
 * Taps of one hook run one after the other: by ascending stage, at equal stages in the order of the list. What a tap throws fails the
 * build with the plugin's name, the hook and the place; mistakes of the project are better told with {@link BuildContext.report}.
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
  /** Letters, digits and `-_.@/`; unlike the names of all other plugins. */
  readonly name: string;
  /** Where it steps in. */
  readonly hooks: PluginHooks;
  /** Globs of files outside of the output directory that its builds overwrite, relative to the project's root: `["Cargo.toml"]`. */
  readonly owns?: readonly string[];
}

/** A function, or one with what there is to say about it. */
export type Tap<Event> =
  | ((event: Event) => void | Promise<void>)
  | {
      /**
       * Lower runs earlier.
       *
       * @defaultValue `0`
       */
      readonly stage?: number;
      /**
       * After how many seconds the build fails, where the handler did not finish.
       *
       * @defaultValue `60`; for `compile` `1800`
       */
      readonly timeout?: number;
      readonly handler: (event: Event) => void | Promise<void>;
    };

/** The hooks of a build, in the order in which they run. */
export interface PluginHooks {
  /** Add sources of types before anything is parsed. */
  readonly beforeTransform?: Tap<BeforeTransformEvent>;
  /** Look at the types, or change them. Not called where the sources have mistakes. */
  readonly afterTypeParse?: Tap<AfterTypeParseEvent>;
  /** Add validators to the generated ones, or replace them. */
  readonly afterValidators?: Tap<AfterValidatorsEvent>;
  /** Look at the routes, or change what they say. */
  readonly afterRouteTable?: Tap<AfterRouteTableEvent>;
  /** Add files to the output. */
  readonly emit?: Tap<EmitEvent>;
  /** Take over the compile step. Not called by `kit build --check`, `kit build --no-compile` and `kit generate`. */
  readonly compile?: Tap<CompileEvent>;
  /** Clean up and report. Called after builds that found mistakes too. */
  readonly done?: Tap<DoneEvent>;
}

/** What every tap is told. */
export interface BuildEvent {
  /** The build. */
  readonly build: BuildContext;
}

/** A build as plugins see it. It cannot be changed. */
export interface BuildContext {
  /** The project's root, absolute. */
  readonly root: string;
  /** Whether the build writes, compares with what is written, or goes on with every edit: `kit build --watch`, `kit dev`. */
  readonly mode: "build" | "check" | "watch" | "dev";
  /** The configuration, with every question answered. */
  readonly config: BuildConfig;
  /** A directory of the plugin's own that builds leave alone, absolute. It may not be there yet. */
  readonly cacheDir: string;
  /** Writes a line to standard error. */
  readonly info: (message: string) => void;
  /** Writes a warning to standard error, for what has to do with the plugin. What is wrong with the project is for `report`. */
  readonly warn: (message: string) => void;
  /**
   * Tells of a mistake in the project, as kit tells of its own: with the line that it is in, and in `--json`. Errors fail the build.
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
  /** Says that a change to this file, relative to the root, can change the output. */
  readonly watch: (path: string) => void;
}

/** The configuration of a project: what stands in `kit.config.ts`, and the defaults for the rest. */
export interface BuildConfig {
  /** Globs of the files that declare types. */
  readonly typeFiles: readonly string[];
  /** Globs of the files that declare contracts. */
  readonly routeFiles: readonly string[];
  /** Where kit writes, relative to the root. */
  readonly outputDir: string;
  /** Where the project's compiler writes, relative to the root. */
  readonly distDir: string;
  readonly compiler: "tsc" | "tsup" | "swc";
  readonly compilerArgs: readonly string[];
  readonly database: { readonly adapter: "drizzle" | "kysely" | "raw" };
  /** The names of all plugins, in order. */
  readonly plugins: readonly string[];
}

/** What a plugin found in a project. */
export interface PluginReport {
  /** An error fails the build, and nothing is written. */
  readonly severity: "error" | "warning";
  /** What was found. */
  readonly message: string;
  /** The file it is in, relative to the root. */
  readonly file?: string;
  /** From 1; the whole line is marked where there is no `column`. */
  readonly line?: number;
  /** From 1, in UTF-16 units. */
  readonly column?: number;
  /** In place of a file: where a property, a type or a route of the {@link Program} was written. */
  readonly span?: Span;
  /** What to do. */
  readonly help?: string;
}

/** A file with its text. */
export interface PluginFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** `beforeTransform`: paths are relative to the project's root. */
export interface BeforeTransformEvent extends BuildEvent {
  /** The files of types so far. */
  readonly types: readonly string[];
  /** The files of contracts so far. */
  readonly routes: readonly string[];
  /** Adds a file of types: its path, or a file that only the build sees. */
  readonly addTypes: (source: string | PluginFile) => void;
  /** Adds a file of contracts. */
  readonly addRoutes: (source: string | PluginFile) => void;
}

/** `afterTypeParse`. */
export interface AfterTypeParseEvent extends BuildEvent {
  /** Everything that the compiler learned; changes to it are taken over, and checked. */
  readonly program: Program;
}

/** `afterValidators`. */
export interface AfterValidatorsEvent extends BuildEvent {
  /** The generated validators. */
  readonly validators: readonly (PluginFile & { readonly type: string })[];
  /** Adds a module below `validators/` of the output directory. */
  readonly addValidator: (file: PluginFile) => void;
  /** Replaces the module of a type's validator. It must export `<Type>Validator` with the interface of the generated one. */
  readonly replaceValidator: (type: string, text: string) => void;
}

/** `afterRouteTable`. */
export interface AfterRouteTableEvent extends BuildEvent {
  /** The routes. Taken over are changes to `summary`, `tags`, `throws`, `documentation` and `status`; others fail the build. */
  readonly routes: Route[];
}

/** `emit`. */
export interface EmitEvent extends BuildEvent {
  /** Everything that the compiler learned. Changes to it mean nothing any more. */
  readonly program: Program;
  /** The files that kit makes, relative to the output directory. */
  readonly files: readonly string[];
  /** Adds a file, relative to the output directory. */
  readonly addFile: (file: PluginFile) => void;
  /**
   * Writes a file outside of the output directory that the plugin `owns`. Its first line must say that it is generated: a file that is
   * there with another first line is left alone, and the build fails.
   *
   * @param options - With `onlyIfMissing` a file that is there stays as it is, whatever it holds.
   */
  readonly addProjectFile: (file: PluginFile, options?: { readonly onlyIfMissing?: boolean }) => void;
}

/** `compile`. */
export interface CompileEvent extends BuildEvent {
  /** Whether an earlier tap took the step over. */
  readonly handled: boolean;
  /** Takes the step over: the project's compiler does not run. */
  readonly handle: () => void;
}

/** `done`. */
export interface DoneEvent extends BuildEvent {
  /** Whether the output directory holds what the sources say. */
  readonly status: "built" | "failed";
  /** Files with new bytes, relative to the output directory. */
  readonly written: readonly string[];
  /** Files that are no longer made. */
  readonly removed: readonly string[];
  /** How many files stayed as they were. */
  readonly unchanged: number;
  /** What was found. */
  readonly counts: {
    readonly sources: number;
    readonly types: number;
    readonly entities: number;
    readonly routes: number;
  };
}
