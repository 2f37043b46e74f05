import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { SidecarState } from "./sidecar-state.ts";
import { readArtifact } from "./artifacts.ts";
import type { PendingMigration } from "./shapes.ts";

/**
 * Returns the migration draft in `.kit/migrations/`. `kit build` writes it if the types have changes that no committed migration contains.
 */
export async function migrationsOf({ host }: SidecarState): Promise<PendingMigration> {
  const directory = join(host.projectRoot, ".kit/migrations");
  const nothing = { destructive: false, changes: [], problems: [], sql: null };
  if (!existsSync(join(directory, "pending.json"))) {
    // Throws an error if the project has not been built.
    await readArtifact(host, "middleware.json");
    const snapshot = join(directory, "snapshot.json");
    if (!existsSync(snapshot)) return { hasTables: false, ...nothing };
    const { tables } = await readArtifact<{ tables?: readonly unknown[] }>(host, "migrations/snapshot.json");
    return { hasTables: (tables?.length ?? 0) > 0, ...nothing };
  }
  const pending = await readArtifact<Omit<PendingMigration, "hasTables" | "sql">>(
    host,
    "migrations/pending.json",
  );
  const { destructive, changes, problems } = pending;
  const sql = await readFile(join(directory, "pending.sql"), "utf8").catch(() => null);
  return { hasTables: true, destructive, changes, problems, sql };
}
