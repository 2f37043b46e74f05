/**
 * A Rust server of the same types, as a plugin of `kit build`. The code is made by kit's compiler; this package hands it the program,
 * gives the files to the build and runs cargo.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Plugin } from "@kit/cli";

import { runCargo } from "./cargo.ts";
import { committedMigrations, generated, projectName } from "./generated.ts";

/** Options of {@link rustServer}. */
export interface RustServerOptions {
  /** The driver layer of the database; there is one. */
  readonly db: "sqlx";
  /**
   * What `kit build` tells cargo to build.
   *
   * @defaultValue `"release"`
   */
  readonly profile?: "dev" | "release";
  /**
   * Whether the server can send traces and log records to an OpenTelemetry collector. It does where the environment names one, by the standard
   * variables (`OTEL_EXPORTER_OTLP_ENDPOINT`); the packages that do so make its build longer.
   *
   * @defaultValue `false`
   */
  readonly otlp?: boolean;
}

/** The name of the plugin, as builds show it. */
const NAME = "@kit/plugin-rust-server";

/**
 * Generates a Rust server beside what kit makes anyway, and builds it in place of the project's own compiler.
 *
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
      "src/main.rs",
      "src/lib.rs",
      "src/handlers/**",
      "src/middleware/**",
      "src/services/**",
    ],
    hooks: {
      emit({ program, build, addFile, addProjectFile }) {
        const { root, config } = build;
        const settings = {
          name: projectName(root),
          outputDir: config.outputDir,
          otlp,
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

/** Tells if the author of a handler file has replaced the code that kit wrote there. White space does not count. */
function isReplaced(root: string, handler: { readonly path: string; readonly code: string }): boolean {
  const path = join(root, handler.path);
  if (!existsSync(path)) return false;
  return !withoutSpace(readFileSync(path, "utf8")).includes(withoutSpace(handler.code));
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, "");
}
