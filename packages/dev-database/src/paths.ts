import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { codeOf, DevDatabaseError, messageOf, USE_YOUR_OWN } from "./errors.ts";

/** Options that select a database. */
export interface DatabaseOptions {
  /** Directory of the project, or any directory in it. Default: the current directory. */
  readonly root?: string;
  /** Directory of the data. Default: the environment variable `KIT_DATA_DIR`, otherwise `.data` in the project. */
  readonly dataDir?: string;
  /**
   * Name of the database on the server. The database is created if it does not exist. Must match `[a-z_][a-z0-9_]*`. Default:
   * `app`.
   */
  readonly name?: string;
}

/** Paths of a project's server and its keeper. Every process of the project has the same. */
export interface Paths {
  /** True if committed data survives a crash of the machine. */
  readonly durable: boolean;
  /** Directory of the logs. The directory also contains the data, unless PostgreSQL's account cannot enter it. */
  readonly state: string;
  /** Path of the socket on which the keeper listens. On Windows, the name of a pipe. */
  readonly socket: string;
  /** File that the keeper holds a lock on as long as it runs. */
  readonly lock: string;
}

/** Returns the paths of the project's server, or of its separate server for tests. Creates the directories. */
export function pathsOf(options: DatabaseOptions, server: "postgres" | "tests" = "postgres"): Paths {
  const data =
    options.dataDir ??
    nonEmpty(process.env["KIT_DATA_DIR"]) ??
    join(projectRoot(options.root ?? "."), ".data");
  const state = resolve(data, server);
  try {
    mkdirSync(state, { recursive: true });
  } catch (error) {
    throw new DevDatabaseError(
      `cannot create the directory of the embedded database: ${messageOf(error)}`,
      `Set KIT_DATA_DIR to another directory. ${USE_YOUR_OWN}`,
    );
  }
  const real = realpathSync(state);
  // The name depends only on the data directory and the user. With TMPDIR or the current directory in it, two processes could start two
  // keepers. The name is short, because the path of a socket is limited to about a hundred bytes.
  const name = createHash("sha256").update(real).digest("hex").slice(0, 16);
  const places = { durable: server === "postgres", state: real };
  if (process.platform === "win32") {
    return { ...places, socket: `\\\\.\\pipe\\kit-database-${name}`, lock: join(real, "keeper.lock") };
  }
  const runtime = runtimeDirectory();
  return { ...places, socket: join(runtime, `${name}.sock`), lock: join(runtime, `${name}.lock`) };
}

/**
 * Returns the nearest directory with a `package.json`. Returns the directory itself if no parent directory
 * has one.
 */
export function projectRoot(from: string): string {
  const start = resolve(from);
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, "package.json"))) return directory;
    if (dirname(directory) === directory) return start;
  }
}

/**
 * Returns a directory that only this user can enter, because every program that can open the sockets in it
 * can use the database.
 */
function runtimeDirectory(): string {
  const uid = process.getuid?.() ?? 0;
  const directory = `/tmp/kit-${uid}`;
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") {
      throw new DevDatabaseError(
        `cannot create the directory ${directory}: ${messageOf(error)}`,
        USE_YOUR_OWN,
      );
    }
  }
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new DevDatabaseError(
      `${directory} is not a directory that only this user can enter`,
      `Delete this directory, then try again. ${USE_YOUR_OWN}`,
    );
  }
  return directory;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
