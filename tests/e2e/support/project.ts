import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { type DevDatabase, openDatabase } from "@kit/dev-database";
import { basename, dirname, join, resolve } from "node:path";
import { type CommandOptions, type CommandResult, run } from "./command.ts";
import { RunningApp, type StartOptions } from "./running-app.ts";
import { onServer, rustProgramOf, server } from "./server.ts";

/** Root of this repository. */
export const repository: string = resolve(import.meta.dirname, "../../..");

/** Name of an application in `examples/`. */
export type Example = "chat" | "notes" | "photos" | "realworld" | "shop" | "teams";

/** Returns true if a file belongs to the project of the Rust server. Build outputs, data and links to shared files do not. */
function isOfRust(path: string): boolean {
  return ![".kit", ".data", "target", "node_modules", "api", "migrations"].includes(basename(path));
}

/** Project in its own directory, with its own artifacts and its own database. */
export class Project {
  readonly root: string;
  readonly #apps: RunningApp[] = [];
  /** Program of the Rust server, if this run tests that server. */
  #program = server.program;
  /** True for a copy of the Rust server's example. */
  #isOfRust = false;
  /** Database of a program that does not start the database itself. */
  #database: DevDatabase | undefined;

  private constructor(root: string) {
    this.root = root;
  }

  /** Creates a project in an empty directory. The packages of this repository are installed in it. */
  static async empty(): Promise<Project> {
    const root = await mkdtemp(join(await realpath(tmpdir()), "kit-e2e-"));
    // If the tests run as root, PostgreSQL runs as another account. It stores its data in the project only if that account can enter the
    // directory.
    await chmod(root, 0o755);
    await symlink(join(repository, "node_modules"), join(root, "node_modules"));
    return new Project(root);
  }

  /** Creates a project with these files. The keys are paths, the values are contents. */
  static async of(files: ReadonlyMap<string, string>): Promise<Project> {
    const project = await Project.empty();
    for (const [path, text] of files) {
      const file = join(project.root, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    return project;
  }

  /**
   * Copies an example as it is in git, without build output and data. If this run tests the Rust server, copies the Rust server's example.
   *
   * @param files - With `all`, copies the example itself, for example because the test needs its front end. The project still starts the
   *   Rust server if this run tests that server.
   */
  static async copy(
    example: Example = "notes",
    files: "all" | "of the server" = "of the server",
  ): Promise<Project> {
    const project = await Project.empty();
    if (server.program !== undefined) {
      project.#program = rustProgramOf(`${example}-rust`);
      project.#isOfRust = files !== "all";
    }
    if (project.#isOfRust) {
      await project.#copyRust(example);
      return project;
    }
    await cp(join(repository, "examples", example), project.root, {
      recursive: true,
      filter: (path) => ![".kit", ".data", "dist", "node_modules"].includes(basename(path)),
    });
    const app = join(project.root, "src/app.ts");
    await writeFile(app, onServer(await readFile(app, "utf8")));
    return project;
  }

  /** Copies an example of the Rust server, and the files that are links in it, to their places. Its program has been built already. */
  async #copyRust(example: Example): Promise<void> {
    const [rust, types] = [`${example}-rust`, join(repository, "examples", example)];
    assert.ok(existsSync(join(repository, "examples", rust)), `there is no Rust server of ${example}`);
    await cp(join(repository, "examples", rust), this.root, { recursive: true, filter: isOfRust });
    await cp(join(types, "src"), join(this.root, "api"), { recursive: true });
    await cp(join(types, "migrations"), join(this.root, "migrations"), { recursive: true });
  }

  /** Copies an example, builds it and applies its migrations. The parameters are those of `copy`. */
  static async ready(
    example: Example = "notes",
    files: "all" | "of the server" = "of the server",
  ): Promise<Project> {
    const project = await Project.copy(example, files);
    try {
      await project.build();
      await project.kitOk("migrate:apply");
      return project;
    } catch (error) {
      await project.remove();
      throw error;
    }
  }

  /** Runs `kit build`. Does nothing for a program in Rust, because it is the same in every copy. */
  async build(): Promise<void> {
    await this.kitOk("build", ...(this.#isOfRust ? ["--no-compile"] : []));
  }

  /** Runs the program `kit` in the project. */
  async kit(args: readonly string[], options: Omit<CommandOptions, "cwd"> = {}): Promise<CommandResult> {
    const bin = join(repository, "node_modules/.bin/kit");
    return run(process.execPath, [bin, ...args], { ...options, cwd: this.root });
  }

  /** Runs the program `kit` in the project. Throws an error if it fails. */
  async kitOk(...args: readonly string[]): Promise<CommandResult> {
    const result = await this.kit(args);
    assert.equal(result.code, 0, `kit ${args.join(" ")} failed:\n${result.stdout}${result.stderr}`);
    return result;
  }

  /** Starts the application and waits until it listens. */
  async start(options: StartOptions = {}): Promise<RunningApp> {
    const app = await RunningApp.start(this.root, await this.#withDatabase(options));
    this.#apps.push(app);
    return app;
  }

  /** Adds a program in Rust, and the URL of the database for its environment. */
  async #withDatabase(options: StartOptions): Promise<StartOptions> {
    if (this.#program === undefined) return options;
    this.#database ??= await openDatabase({ root: this.root });
    return { program: this.#program, ...options, env: { DATABASE_URL: this.#database.url, ...options.env } };
  }

  /** Stops everything that was started, and deletes the directory. */
  async remove(): Promise<void> {
    for (const app of this.#apps) await app.kill();
    await this.#database?.close();
    await this.#databaseStopped();
    await rm(this.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }

  /**
   * Waits until the embedded database has stopped, which happens shortly after its last user. Otherwise its files would be deleted while it
   * runs.
   */
  async #databaseStopped(): Promise<void> {
    const files = ["postgres", "tests"].map((of) => join(this.root, ".data", of, "cluster/postmaster.pid"));
    const deadline = Date.now() + 30_000;
    while (files.some((file) => existsSync(file))) {
      assert.ok(Date.now() < deadline, "the embedded database did not stop after its last user was gone");
      await new Promise((wake) => setTimeout(wake, 50));
    }
  }
}
