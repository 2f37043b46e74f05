/**
 * A Rust server of the same types, as a plugin of `kit build`. The code is made by kit's compiler; this package hands it the program,
 * gives the files to the build and runs cargo.
 *
 * @module
 */
import { basename } from "node:path";

import type { Plugin } from "@kit/cli";

import { runCargo } from "./cargo.ts";
import { generated } from "./generated.ts";

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
        const { root, cacheDir, config } = build;
        const { files, problems, hash } = generated(
          program,
          { name: basename(root), outputDir: config.outputDir, otlp },
          cacheDir,
        );
        for (const { message, span, help } of problems) {
          build.report({ severity: "error", message, span, help });
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
