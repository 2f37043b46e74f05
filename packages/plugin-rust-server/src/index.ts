/**
 * Plugin of `kit build` that generates a Rust server from the same TypeScript types. kit's compiler generates the code. This package passes
 * the types to the compiler, adds the generated files to the build and runs cargo.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Plugin, Program, Span } from "@kit/cli";

import { referenceFiles } from "./api-docs.ts";
import { runCargo } from "./cargo.ts";
import { committedMigrations, type Generated, generated, projectName } from "./generated.ts";
import { DASHBOARD, dashboard } from "./sidecar.ts";
import { serverVariables, VARIABLES } from "./variables.ts";

/** Options of {@link rustServer}. */
export interface RustServerOptions {
  /** Rust crate for database access. `sqlx` is the only supported crate. */
  readonly db: "sqlx";
  /**
   * Profile that `kit build` passes to cargo.
   *
   * @defaultValue `"release"`
   */
  readonly profile?: "dev" | "release";
  /**
   * True to build the server with an OpenTelemetry exporter of traces and log records. The server exports them if the standard environment
   * variables name a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`). The exporter makes the build slower.
   *
   * @defaultValue `false`
   */
  readonly otlp?: boolean;
  /**
   * True to generate a Rust client of the API, too: a crate in `rust-client` of the output directory.
   *
   * @defaultValue `false`
   */
  readonly client?: boolean;
  /**
   * True to generate contract tests, too: tables of requests in the output directory, and the program `tests/contract.rs`, which
   * `cargo test` runs.
   *
   * @defaultValue `false`
   */
  readonly contractTests?: boolean;
}

/** File in the output directory with the locations of the contracts and types, which `kit dev` shows with errors of the Rust compiler. */
const CONTRACT_LINES = "contract-lines.json";

/** Name of the plugin in the output of `kit build`. */
const NAME = "@kit/plugin-rust-server";

/**
 * Creates a plugin that generates a Rust server in addition to the other artifacts, and builds it in place of the project's own compiler.
 *
 * @throws {Error} if an option has an invalid value.
 * @example
 * ```ts
 * import { defineConfig } from "@kit/cli";
 * import { rustServer } from "@kit/plugin-rust-server";
 *
 * export default defineConfig({ plugins: [rustServer({ db: "sqlx" })] });
 * ```
 */
export function rustServer(options: RustServerOptions): Plugin {
  const { db, profile = "release" } = options;
  if (db !== "sqlx") throw new Error(`rustServer: \`db\` must be "sqlx", not ${JSON.stringify(db)}`);
  if (profile !== "dev" && profile !== "release") {
    throw new Error(`rustServer: \`profile\` must be "dev" or "release", not ${JSON.stringify(profile)}`);
  }
  const isOn = (name: "otlp" | "client" | "contractTests"): boolean => {
    const value: unknown = options[name] ?? false;
    if (typeof value === "boolean") return value;
    throw new Error(`rustServer: \`${name}\` must be true or false, not ${JSON.stringify(value)}`);
  };
  const [otlp, client, contractTests] = [isOn("otlp"), isOn("client"), isOn("contractTests")];
  return {
    name: NAME,
    owns: [
      "Cargo.lock",
      "Cargo.toml",
      VARIABLES,
      "src/app.rs",
      "src/main.rs",
      "src/lib.rs",
      "tests/contract.rs",
      "src/handlers/**",
      "src/middleware/**",
      "src/services/**",
    ],
    hooks: {
      emit({ program, build, addFile, addProjectFile }) {
        const { root, config } = build;
        const reference = referenceFiles(root);
        const page = dashboard(root);
        const settings = {
          name: projectName(root),
          outputDir: config.outputDir,
          otlp,
          apiDocs: reference.length > 0,
          sidecar: page !== undefined,
          client,
          contractTests,
          ...(contractTests ? { tests: config.tests } : {}),
          migrations: committedMigrations(root),
        };
        const made = generated(program, settings, build);
        const { files, problems, manifestProblems, warnings, hash } = made;
        for (const { message, line, help } of manifestProblems) {
          build.report({ severity: "error", message, file: "Cargo.toml", line, help });
        }
        for (const { message, span, help } of problems) {
          build.report({ severity: "error", message, span, help });
        }
        for (const { message, span, help, handler } of warnings) {
          if (handler !== undefined && isReplaced(root, handler)) continue;
          build.report({ severity: "warning", message, span, help });
        }
        for (const { path, text, owner } of files) {
          if (owner === "output") addFile({ path, text });
          else addProjectFile({ path, text }, { onlyIfMissing: owner === "user" });
        }
        const variables = serverVariables(root);
        addProjectFile(variables.file, { onlyIfMissing: variables.isOfUser });
        for (const file of reference) addFile(file);
        if (page !== undefined) addFile({ path: DASHBOARD, text: page });
        addFile({ path: CONTRACT_LINES, text: contractLines(program, made) });
        addFile({ path: ".cache-hash", text: `${hash}\n` });
      },
      async compile({ build, handled, handle }) {
        if (handled) return;
        handle();
        await runCargo(build.root, profile);
      },
    },
  };
}

/** Returns the locations of the contracts of all handlers, and of the types of all models, as JSON. */
function contractLines({ sources }: Program, { handlers, models }: Generated): string {
  const place = ({ source, line, column }: Span) => ({ path: sources[source]!.path, line, column });
  const lines = {
    handlers: handlers.map(({ span, ...handler }) => ({ ...handler, at: place(span) })),
    models: models.map(({ name, span }) => ({ name, at: place(span) })),
  };
  return `${JSON.stringify(lines)}\n`;
}

/** Returns true if the user has replaced the generated code of a handler. Changes of white space do not count. */
function isReplaced(root: string, handler: { readonly path: string; readonly code: string }): boolean {
  const path = join(root, handler.path);
  if (!existsSync(path)) return false;
  return !withoutSpace(readFileSync(path, "utf8")).includes(withoutSpace(handler.code));
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, "");
}
