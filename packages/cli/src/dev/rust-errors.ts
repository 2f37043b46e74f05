import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Location of a contract or a type in the sources. */
interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Content of the file in which the Rust plugin writes the locations of contracts and types. */
interface ContractLines {
  readonly handlers: readonly {
    readonly file: string;
    readonly function: string;
    readonly route: string;
    readonly at: Place;
  }[];
  readonly models: readonly { readonly name: string; readonly at: Place }[];
}

/** Part of a line of cargo's output with `--message-format=json`. */
interface CargoMessage {
  readonly reason: string;
  readonly message?: RustMessage;
  readonly executable?: string | null;
  readonly fresh?: boolean;
  readonly target?: { readonly kind: readonly string[]; readonly src_path: string };
}

interface RustMessage {
  readonly message: string;
  readonly level: string;
  readonly code: { readonly code: string } | null;
  readonly rendered: string | null;
  readonly spans: readonly {
    readonly file_name: string;
    readonly line_start: number;
    readonly is_primary: boolean;
    readonly label: string | null;
  }[];
}

/** Program that cargo has built. */
export interface BuiltProgram {
  readonly path: string;
  /** True if the program is that of the last build. */
  readonly isFresh: boolean;
}

/** Reads the output of cargo: finds the program, and adds the lines of the contracts to the errors of the Rust compiler. */
export class CargoOutput {
  /** Program that cargo has built from `src/main.rs`; `undefined` if it built none. */
  program: BuiltProgram | undefined;
  readonly #root: string;
  readonly #lines: ContractLines;
  #rest = "";

  /** `outputDir` is the output directory of kit, relative to the root. */
  constructor(root: string, outputDir: string) {
    this.#root = root;
    this.#lines = readLines(join(root, outputDir, "contract-lines.json"));
  }

  /** Reads a part of cargo's output, and returns the messages in it for a terminal. */
  read(chunk: string): string[] {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop()!;
    return lines.flatMap((line) => this.#message(line));
  }

  #message(line: string): string[] {
    let parsed: CargoMessage;
    try {
      parsed = JSON.parse(line) as CargoMessage;
    } catch {
      // A build script or a macro may print lines, too.
      return line === "" ? [] : [line];
    }
    const { reason, message, executable, fresh, target } = parsed;
    if (reason === "compiler-artifact" && typeof executable === "string") {
      const isMain = target?.src_path === join(this.#root, "src", "main.rs");
      if (isMain) this.program = { path: executable, isFresh: fresh === true };
    }
    if (reason !== "compiler-message" || typeof message?.rendered !== "string") return [];
    const text = message.rendered.trimEnd();
    return [[text, ...this.#origins(message)].join("\n")];
  }

  /** Returns the lines of the contracts, or else of the types, that are the cause of an error. */
  #origins(message: RustMessage): string[] {
    if (message.level !== "error" || message.code === null) return [];
    const { handlers, models } = this.#lines;
    const inFiles = new Set(message.spans.map((span) => span.file_name.replaceAll("\\", "/")));
    const missing = message.code.code === "E0046" ? names(message) : [];
    const written = message.spans
      .filter((span) => span.is_primary)
      .map((span) => this.#functionAt(span.file_name, span.line_start));
    const found = handlers.filter(
      ({ file, function: name }) => inFiles.has(file) && [...missing, ...written].includes(name),
    );
    if (found.length > 0) {
      const shown = found.map(({ route, at }) => this.#excerpt(`the contract of \`${route}\``, at));
      const help = "help: `kit scaffold add handler` adds the missing handlers";
      return missing.length > 0 ? [...shown, help] : shown;
    }
    const used = names(message);
    return models
      .filter(({ name }) => used.includes(name))
      .map(({ name, at }) => this.#excerpt(`the type of \`${name}\``, at));
  }

  /** Returns the name of the function around a line of a file; an empty text if there is none. */
  #functionAt(file: string, line: number): string {
    const lines = readText(join(this.#root, file)).split("\n").slice(0, line);
    const declared = lines.map((text) => /^\s*(?:pub )?(?:async )?fn (?:r#)?(\w+)/.exec(text)?.[1]);
    return declared.findLast((name) => name !== undefined) ?? "";
  }

  #excerpt(subject: string, { path, line, column }: Place): string {
    const text = readText(join(this.#root, path)).split("\n")[line - 1]?.trimEnd() ?? "";
    const margin = " ".repeat(String(line).length);
    return [
      `note: ${subject}`,
      `${margin}--> ${path}:${line}:${column}`,
      `${margin} |`,
      `${line} | ${text}`,
    ].join("\n");
  }
}

/** Returns the names in backticks of a message and of the labels in its excerpts. */
function names(message: RustMessage): string[] {
  const texts = [message.message, ...message.spans.map(({ label }) => label ?? "")];
  return texts.flatMap((text) => [...text.matchAll(/`(?:[\w]+::)*(\w+)`/g)].map(([, name]) => name!));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function readLines(path: string): ContractLines {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as ContractLines;
  } catch {
    // The error is shown without the lines.
    return { handlers: [], models: [] };
  }
}
