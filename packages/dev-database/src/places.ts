import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { codeOf, DevDatabaseError, messageOf, USE_YOUR_OWN } from "./errors.ts";

/** Which database. */
export interface DatabaseOptions {
  /** The project: a directory at or below the one with its `package.json`. Default: the current directory. */
  readonly root?: string;
  /** Where data is kept. Default: `KIT_DATA_DIR`, else `.data` in the project. */
  readonly dataDir?: string;
  /** The database within the server, made where it is missing: `[a-z_][a-z0-9_]*`. Default: `app`. */
  readonly name?: string;
}

/** Where a project's server and its keeper are found. The same for every process that asks. */
export interface Places {
  /** Whether what is committed outlasts the machine. */
  readonly durable: boolean;
  /** Directory of logs and, where PostgreSQL may go there, of the data. */
  readonly state: string;
  /** The keeper's socket, or named pipe. */
  readonly socket: string;
  /** Held locked by the keeper for as long as it lives. */
  readonly lock: string;
}

/** Finds, and makes, the places of the project's server, or of the one that its tests have. */
export function placesOf(options: DatabaseOptions, server: "postgres" | "tests" = "postgres"): Places {
  const data =
    options.dataDir ??
    nonEmpty(process.env["KIT_DATA_DIR"]) ??
    join(projectRoot(options.root ?? "."), ".data");
  const state = resolve(data, server);
  try {
    mkdirSync(state, { recursive: true });
  } catch (error) {
    throw new DevDatabaseError(
      `cannot make the directory of the embedded database: ${messageOf(error)}`,
      `Name another one with KIT_DATA_DIR. ${USE_YOUR_OWN}`,
    );
  }
  const real = realpathSync(state);
  // The name depends on nothing but the directory and the user: neither TMPDIR nor the current directory may lead two
  // processes to two keepers. It is short because a socket's path may have about a hundred bytes only.
  const name = createHash("sha256").update(real).digest("hex").slice(0, 16);
  const places = { durable: server === "postgres", state: real };
  if (process.platform === "win32") {
    return { ...places, socket: `\\\\.\\pipe\\kit-database-${name}`, lock: join(real, "keeper.lock") };
  }
  const runtime = runtimeDirectory();
  return { ...places, socket: join(runtime, `${name}.sock`), lock: join(runtime, `${name}.lock`) };
}

/** The nearest directory with a `package.json`, else the directory itself. */
export function projectRoot(from: string): string {
  const start = resolve(from);
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, "package.json"))) return directory;
    if (dirname(directory) === directory) return start;
  }
}

/** A directory that only this user can enter, since whoever reaches the socket reaches the database. */
function runtimeDirectory(): string {
  const uid = process.getuid?.() ?? 0;
  const directory = `/tmp/kit-${uid}`;
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") {
      throw new DevDatabaseError(`cannot make ${directory}: ${messageOf(error)}`, USE_YOUR_OWN);
    }
  }
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new DevDatabaseError(
      `${directory} is not a directory that only this user can enter`,
      `Remove it, then try again. ${USE_YOUR_OWN}`,
    );
  }
  return directory;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
