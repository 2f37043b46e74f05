import type { GeneratedFile, BuildOutcome } from "../compiler/messages.ts";

/** Outputs that the page shows, each with the title of its tab. */
export const outputs = {
  validators: "Validators",
  openapi: "OpenAPI",
  sql: "SQL",
  client: "Client",
  rust: "Rust",
  files: "All files",
} as const;

export type Output = keyof typeof outputs;

/** Result of a build that succeeded. */
export type Built = Extract<BuildOutcome, { kind: "built" }>;

/** Texts for outputs without a file. */
export const reasons: Readonly<Record<Output, string>> = {
  validators: "The project has no types.",
  openapi: "The project has no routes.",
  sql: "No type is stored in a database. Write @table into the comment of an interface to get a table.",
  client: "The client needs the dependency @kit/client in package.json.",
  rust: "No Rust server was generated. See the problems below.",
  files: "The build wrote no files.",
};

/** Returns the files of an output. The most important file is the first one. */
export function filesOf(output: Output, { files, answer }: Built): readonly GeneratedFile[] {
  switch (output) {
    case "validators":
      // `runtime.js` has the types of routes, and `codecs.js` all other types. Either can be nearly empty.
      return [
        ...pick(files, /^(?:runtime|codecs)\.js$/).toSorted((a, b) => b.text.length - a.text.length),
        ...pick(files, /^types\.ts$/, /^validators\//),
      ];
    case "openapi":
      return pick(files, /^schemas\/openapi\.json$/, /^schemas\/.*\.openapi\.json$/);
    case "sql":
      return pick(files, /^migrations\/pending\.sql$/, /^schemas\/.*\.(?:ts|sql)$/);
    case "client":
      return pick(files, /^client\/index\.ts$/, /^client\//, /^types\.ts$/);
    case "rust":
      return pick(answer.rust, /^models\/(?!mod\.rs$)/, /^router\.rs$/, /^src\/handlers\/(?!mod\.rs$)/, /./);
    case "files":
      return files;
  }
}

/** Returns the files that match one of the patterns, in the order of the patterns. */
function pick(files: readonly GeneratedFile[], ...patterns: readonly RegExp[]): GeneratedFile[] {
  return [...new Set(patterns.flatMap((pattern) => files.filter(({ path }) => pattern.test(path))))];
}
