/** A location in a file of the project, as the compiler reports it. `start` and `end` count bytes of UTF-8. */
export interface Place {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** Line, counted from 1. 0 if the mistake belongs to the whole file. */
  readonly line: number;
  readonly column: number;
}

/** A mistake that the compiler found. */
export interface Mistake {
  readonly code: string | null;
  readonly isError: boolean;
  readonly message: string;
  readonly help: string | null;
  readonly place: Place | null;
}

/** A generated file. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Result of a build, as `kit-playground` prints it. */
export interface Answer {
  readonly outputDir: string;
  readonly diagnostics: readonly Mistake[];
  readonly rust: readonly GeneratedFile[];
  readonly rustMistakes: readonly Mistake[];
}

/** Files of a project: the text of each file by its path. */
export type Files = ReadonlyMap<string, string>;

/** Request to the worker. The first message gives it the compiler. */
export type WorkerRequest =
  | { readonly kind: "start"; readonly module: WebAssembly.Module }
  | { readonly kind: "build"; readonly files: Files };

/** Result of a build that the worker ran. */
export type BuildOutcome =
  | {
      readonly kind: "built";
      readonly answer: Answer;
      /** Files of the output directory. */
      readonly files: readonly GeneratedFile[];
      readonly milliseconds: number;
    }
  | { readonly kind: "failed"; readonly message: string };
