/**
 * Plugin of `kit build` that generates a Rust server from the same TypeScript types. kit's compiler generates the code. This package passes
 * the types to the compiler, adds the generated files to the build and runs cargo.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Plugin } from "@kit/cli";

import { referenceFiles } from "./api-docs.ts";
import { runCargo } from "./cargo.ts";
import { committedMigrations, generated, projectName } from "./generated.ts";

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
}

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
  const { db, profile = "release", otlp = false } = options;
  if (db !== "sqlx") throw new Error(`rustServer: \`db\` is ${JSON.stringify(db)}; it may be "sqlx"`);
  if (profile !== "dev" && profile !== "release") {
    throw new Error(`rustServer: \`profile\` is ${JSON.stringify(profile)}; it may be "dev" or "release"`);
  }
  if (typeof otlp !== "boolean") {
    throw new Error(`rustServer: \`otlp\` is ${JSON.stringify(otlp)}; it may be true or false`);
  }
  return {
    name: NAME,
    owns: [
      "Cargo.toml",
      "src/app.rs",
      "src/main.rs",
      "src/lib.rs",
      "src/handlers/**",
      "src/middleware/**",
      "src/services/**",
    ],
    hooks: {
      emit({ program, build, addFile, addProjectFile }) {
        const { root, config } = build;
        const reference = referenceFiles(root);
        const settings = {
          name: projectName(root),
          outputDir: config.outputDir,
          otlp,
          apiDocs: reference.length > 0,
          migrations: committedMigrations(root),
        };
        const { files, problems, manifestProblems, warnings, hash } = generated(program, settings, build);
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
        for (const file of reference) addFile(file);
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

/** Returns true if the user has replaced the generated code of a handler. Changes of white space do not count. */
function isReplaced(root: string, handler: { readonly path: string; readonly code: string }): boolean {
  const path = join(root, handler.path);
  if (!existsSync(path)) return false;
  return !withoutSpace(readFileSync(path, "utf8")).includes(withoutSpace(handler.code));
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, "");
}
