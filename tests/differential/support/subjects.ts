import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from "@kit/dev-database";

import type { Contracts } from "../../../packages/testing/src/coverage/contracts.ts";
import { Project } from "../../e2e/support/project.ts";
import { RunningApp } from "../../e2e/support/running-app.ts";
import { rustProgram, rustProgramOf } from "../../e2e/support/server.ts";
import { ServerUnderTest } from "./lane.ts";

type Mode = "development" | "production";

/** Project with types of every kind. `echo-errors` is the same with an error format of its own. */
export type Echo = "echo" | "echo-errors";

function echoAt(name: Echo): { readonly root: string; readonly program: string } {
  return { root: resolve(import.meta.dirname, "../fixtures", name), program: rustProgramOf(name) };
}

/** One application on two servers, on Node and in Rust, each with its own database, which is empty at first. */
export class Servers {
  readonly lanes: readonly [ServerUnderTest, ServerUnderTest];
  readonly #stop: () => Promise<void>;

  private constructor(lanes: readonly [ServerUnderTest, ServerUnderTest], stop: () => Promise<void>) {
    this.lanes = lanes;
    this.#stop = stop;
  }

  /** Starts Notes on both servers and creates its tables. */
  static notes(project: Project, mode: Mode): Promise<Servers> {
    return Servers.#start({ root: project.root }, project.root, rustProgram, mode);
  }

  /** Starts `fixtures/echo` or its variant on both servers. It stores nothing, but each server needs a database; `project` provides them. */
  static echo({ root }: Project, name: Echo, mode: Mode): Promise<Servers> {
    const template = { key: "empty", prepare: async () => undefined };
    const echo = echoAt(name);
    return Servers.#start({ root, template }, echo.root, echo.program, mode);
  }

  /** Starts Notes on both servers. Each has a database of its own, whose tables exist. */
  static async notesOn(project: Project, mode: Mode, urls: { node: string; rust: string }): Promise<Servers> {
    const apps: RunningApp[] = [];
    const lanes: ServerUnderTest[] = [];
    const stop = async (): Promise<void> => {
      for (const lane of lanes) lane.close();
      for (const app of apps) await app.stop();
    };
    try {
      for (const name of ["node", "rust"] as const)
        await Servers.#add(name, project.root, rustProgram, mode, urls[name], apps, lanes);
    } catch (error) {
      await stop();
      throw error;
    }
    return new Servers(lanes as unknown as readonly [ServerUnderTest, ServerUnderTest], stop);
  }

  static async #add(
    name: "node" | "rust",
    sources: string,
    program: string,
    mode: Mode,
    url: string,
    apps: RunningApp[],
    lanes: ServerUnderTest[],
  ): Promise<void> {
    const env = { DATABASE_URL: url, LOG_LEVEL: "fatal" };
    const app = await RunningApp.start(sources, { mode, env, ...(name === "rust" ? { program } : {}) });
    apps.push(app);
    lanes.push(new ServerUnderTest(name, app.port));
  }

  static async #start(
    options: TestDatabaseOptions,
    sources: string,
    program: string,
    mode: Mode,
  ): Promise<Servers> {
    const databases: TestDatabase[] = [];
    const apps: RunningApp[] = [];
    const lanes: ServerUnderTest[] = [];
    const stop = async (): Promise<void> => {
      for (const lane of lanes) lane.close();
      for (const app of apps) await app.stop();
      for (const database of databases) await database.close();
    };
    try {
      for (const name of ["node", "rust"] as const) {
        const database = await createTestDatabase(options);
        databases.push(database);
        await Servers.#add(name, sources, program, mode, database.url, apps, lanes);
      }
    } catch (error) {
      await stop();
      throw error;
    }
    return new Servers(lanes as unknown as readonly [ServerUnderTest, ServerUnderTest], stop);
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

/** Copies the Notes example and builds it. Returns the project and its contracts. */
export async function builtNotes(): Promise<{ readonly project: Project; readonly contracts: Contracts }> {
  insist(rustProgram, "examples/notes-rust");
  const project = await Project.copy("notes");
  // A server in Rust always has the route `health`. A server on Node has it only if that is configured.
  const app = join(project.root, "src/app.ts");
  const source = await readFile(app, "utf8");
  await writeFile(app, source.replace("server: nativeServer(),", "server: nativeServer(),\n  health: true,"));
  await project.build();
  return { project, contracts: await contractsIn(project.root) };
}

/** Returns the contracts of `fixtures/echo` or its variant, which must be built. */
export function builtEcho(name: Echo): Promise<Contracts> {
  const { root, program } = echoAt(name);
  insist(program, `tests/differential/fixtures/${name}`);
  return contractsIn(root);
}

async function contractsIn(root: string): Promise<Contracts> {
  const file = pathToFileURL(join(root, ".kit/tests/contracts.ts"));
  return ((await import(file.href)) as { default: Contracts }).default;
}

function insist(program: string, project: string): void {
  if (existsSync(program)) return;
  throw new Error(
    `${program} is not there: run \`kit build\` in ${project} with CARGO_TARGET_DIR=target/generated (absolute)`,
  );
}
