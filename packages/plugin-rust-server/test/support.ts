// Helpers for tests of the plugin: projects that use it.

import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const repository: string = join(import.meta.dirname, "../../..");
export const kit: string = join(repository, "node_modules/.bin/kit");

export const types = `/** @table items */
export interface Item {
  /** @id @generated uuid */
  id: string;
  /** @minLength 1 */
  name: string;
}
`;

export const routes = `import type { RouteContract } from "@kit/types";
import type { Item } from "./items.types.ts";
export interface ItemRoutes {
  "GET /items/:id": RouteContract<{ id: string }, void, void, Item>;
}
`;

/** Project in a directory below the repository, because Node finds the packages of kit only there. */
export class Project {
  readonly root: string;

  constructor(root: string, profile: "dev" | "release" = "release") {
    this.root = root;
    this.write("package.json", '{ "name": "items", "private": true, "type": "module" }');
    this.write(
      "kit.config.ts",
      `import { defineConfig } from "@kit/cli";
import { rustServer } from "@kit/plugin-rust-server";
export default defineConfig({ database: { adapter: "raw" }, plugins: [rustServer({ db: "sqlx", profile: "${profile}" })] });
`,
    );
    this.write("src/items.types.ts", types);
    this.write("src/items.routes.ts", routes);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Runs `kit build` in the project. Returns its exit code and its output. */
  build(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): { code: number | null; text: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [kit, "build", ...args], {
      cwd: this.root,
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
    return { code: status, text: stdout + stderr };
  }

  /** Returns the modification time of each file of the Rust project. */
  times(): Record<string, number> {
    const files = [".kit/**/*", "src/**/*", "Cargo.toml"].flatMap((glob) =>
      globSync(glob, { cwd: this.root }),
    );
    const entries = files.map((path) => [path, statSync(join(this.root, path))] as const);
    return Object.fromEntries(
      entries.filter(([, stats]) => stats.isFile()).map(([path, stats]) => [path, stats.mtimeMs]),
    );
  }
}

/** Returns the paths of the files that were created, removed or written between two calls of `times`. */
export function changed(before: Record<string, number>, after: Record<string, number>): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).toSorted();
}
