// Releases of the application, and the replicas and workers that run them.

import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { answers, Part } from "./part.ts";

const root = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);
const kit = join(root, "node_modules/.bin/kit");
/** Program that `kit build` in `tests/conformance/rust-payments` creates. */
const rustProgram = join(root, "target/generated/debug/rust-payments");

/** A release of the application on Node: a directory with sources, migrations and the result of a build. */
export interface Release {
  readonly directory: string;
}

/** Creates the first release, and its first migration. */
export async function createRelease(directory: string): Promise<Release> {
  const release = join(directory, "release-1");
  cpSync(join(root, "tests/cluster/app"), release, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  await run(kit, ["build", "--no-compile"], { cwd: release });
  await run(kit, ["migrate:generate", "--name", "create_payments"], { cwd: release });
  return { directory: release };
}

/** Creates the next release: payments have a further column, which a migration adds. */
export async function createNextRelease(directory: string, last: Release): Promise<Release> {
  const release = join(directory, "release-2");
  cpSync(last.directory, release, { recursive: true });
  const types = join(release, "src/payments.types.ts");
  const text = readFileSync(types, "utf8");
  const edited = text.replace(
    "  hasJob: boolean;\n",
    '  hasJob: boolean;\n  /** @default "none" */\n  note: string;\n',
  );
  if (edited === text) throw new Error("The type of payments has no property `hasJob`");
  writeFileSync(types, edited);
  await run(kit, ["build", "--no-compile"], { cwd: release });
  await run(kit, ["migrate:generate", "--name", "add_note"], { cwd: release });
  return { directory: release };
}

/** Applies the migrations of a release. */
export async function migrate({ directory }: Release, databaseUrl: string): Promise<void> {
  await run(kit, ["migrate:apply"], { cwd: directory, env: { ...process.env, DATABASE_URL: databaseUrl } });
}

/** Addresses that replicas and workers use. */
export interface Addresses {
  readonly bouncerPort: number;
  readonly valkeyPort: number;
  readonly receiverPort: number;
}

/** Returns the program of a replica on Node. */
export function nodeReplica(
  directory: string,
  name: string,
  port: number,
  release: Release,
  addresses: Addresses,
): Part {
  return new Part({
    name,
    command: process.execPath,
    args: ["src/main.ts"],
    cwd: release.directory,
    env: { ...nodeEnvironment(addresses), PORT: String(port) },
    log: join(directory, `${name}.log`),
    ready: () => answers(`http://127.0.0.1:${port}/readyz`),
  });
}

/** Returns the program of a worker. */
export function worker(directory: string, name: string, release: Release, addresses: Addresses): Part {
  return new Part({
    name,
    command: process.execPath,
    args: ["src/worker.ts"],
    cwd: release.directory,
    env: nodeEnvironment(addresses),
    log: join(directory, `${name}.log`),
    ready: async (output) => output().includes("Working"),
  });
}

/** Returns the program of a replica in Rust. */
export function rustReplica(directory: string, name: string, port: number, { bouncerPort }: Addresses): Part {
  if (!existsSync(rustProgram)) {
    throw new Error(
      "The Rust server is not built: `cargo xtask cluster` builds it, or `CARGO_TARGET_DIR=$PWD/target/generated kit build` in tests/conformance/rust-payments",
    );
  }
  return new Part({
    name,
    command: rustProgram,
    args: [],
    env: {
      NODE_ENV: "production",
      PORT: String(port),
      HOST: "127.0.0.1",
      LOG_LEVEL: "warn",
      SHUTDOWN_DELAY_MS: "1500",
      DATABASE_URL: `postgres://postgres@127.0.0.1:${bouncerPort}/sessions?sslmode=disable`,
    },
    log: join(directory, `${name}.log`),
    ready: () => answers(`http://127.0.0.1:${port}/readyz`),
  });
}

function nodeEnvironment({ bouncerPort, valkeyPort, receiverPort }: Addresses): NodeJS.ProcessEnv {
  return {
    NODE_ENV: "production",
    DATABASE_URL: `postgres://postgres@127.0.0.1:${bouncerPort}/app`,
    VALKEY_URL: `redis://127.0.0.1:${valkeyPort}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiverPort}`,
    OTEL_SERVICE_NAME: "cluster",
  };
}
