import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type DevDatabase, openDatabase } from "@kit/dev-database";

import type { Contracts } from "../../../packages/testing/src/coverage/contracts.ts";
import { Project } from "../../e2e/support/project.ts";
import { RunningApp } from "../../e2e/support/running-app.ts";
import { rustProgram } from "../../e2e/support/server.ts";
import { Lane } from "./lane.ts";

/** Notes as a server on Node and as one in Rust, each with an empty database of its own. */
export class Notes {
  readonly lanes: readonly [Lane, Lane];
  readonly #stop: () => Promise<void>;

  private constructor(lanes: readonly [Lane, Lane], stop: () => Promise<void>) {
    this.lanes = lanes;
    this.#stop = stop;
  }

  static async start(project: Project, mode: "development" | "production"): Promise<Notes> {
    const databases: DevDatabase[] = [];
    const apps: RunningApp[] = [];
    const lanes: Lane[] = [];
    const stop = async (): Promise<void> => {
      for (const lane of lanes) lane.close();
      for (const app of apps) await app.stop();
      for (const database of databases) await database.close();
    };
    try {
      for (const name of ["node", "rust"] as const) {
        const database = await openDatabase({ root: project.root, name: `${name}_${mode}` });
        databases.push(database);
        const env = { DATABASE_URL: database.url, LOG_LEVEL: "fatal" };
        const migrated = await project.kit(["migrate:apply"], { env });
        if (migrated.code !== 0) throw new Error(migrated.stdout + migrated.stderr);
        const program = name === "rust" ? { program: rustProgram } : {};
        const app = await RunningApp.start(project.root, { mode, env, ...program });
        apps.push(app);
        lanes.push(new Lane(name, app.port));
      }
    } catch (error) {
      await stop();
      throw error;
    }
    return new Notes(lanes as unknown as readonly [Lane, Lane], stop);
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

/** A copy of Notes whose contracts are built, and what they are. */
export async function builtNotes(): Promise<{ readonly project: Project; readonly contracts: Contracts }> {
  if (!existsSync(rustProgram)) {
    throw new Error(
      `${rustProgram} is not there: run \`kit build\` in examples/notes-rust with CARGO_TARGET_DIR=target/generated`,
    );
  }
  const project = await Project.copy("notes");
  // A server in Rust always answers it, one on Node where it is told to.
  const app = join(project.root, "src/app.ts");
  const source = await readFile(app, "utf8");
  await writeFile(app, source.replace("server: nativeServer(),", "server: nativeServer(),\n  health: true,"));
  await project.build();
  const file = pathToFileURL(join(project.root, ".kit/tests/contracts.ts"));
  const { default: contracts } = (await import(file.href)) as { default: Contracts };
  return { project, contracts };
}
