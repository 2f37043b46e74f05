/**
 * Builds everything that the HTTP benchmark needs: the application, the load generator, the packages of the peers, and the peer in Rust.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Need, SubjectPlan } from "./catalog.ts";
import { installPeers } from "../peers.ts";
import { run } from "./command.ts";

const directory: string = import.meta.dirname;
const repository = join(directory, "../..");
/** Directory with the packages of the servers that kit is compared with. */
export const peers: string = join(directory, "peers");
const axum = join(directory, "subjects/axum");

/** Programs that can be started, and the reasons why others cannot. */
export interface Prepared {
  readonly loader: string;
  /** Path of the program that runs each kind of subject. */
  readonly programs: Readonly<Record<SubjectPlan["program"], string>>;
  /** Reason for each requirement that this machine does not meet. */
  readonly missing: ReadonlyMap<Need, string>;
}

/**
 * Builds or installs what the subjects require. If something is missing, that is not an error, because the other subjects can still be
 * measured.
 */
export async function prepare(plans: readonly SubjectPlan[], signal: AbortSignal): Promise<Prepared> {
  const needs = new Set(plans.flatMap((plan) => plan.needs));
  const missing = new Map<Need, string>();
  const attempt = async (need: Need, make: () => Promise<void>): Promise<void> => {
    if (!needs.has(need)) return;
    try {
      await make();
    } catch (error) {
      if (signal.aborted) throw error;
      missing.set(need, error instanceof Error ? error.message : String(error));
    }
  };
  console.error("building the application, the load generator and the peers");
  for (const app of ["app", "edge-app", "identity-app"]) {
    await run(
      process.execPath,
      [join(repository, "node_modules/@kit/cli/bin/kit.js"), "build"],
      join(directory, app),
      signal,
    );
  }
  const loader = await buildLoader(signal);
  await attempt("packages", async () => installPeers(peers));
  const bun = join(peers, "node_modules/.bin/bun");
  await attempt("bun", async () => {
    if (!existsSync(bun)) throw new Error("the npm package of Bun does not support this platform");
    await run(bun, ["--version"], directory, signal);
  });
  let server = "";
  await attempt("axum", async () => {
    const environment = { ...process.env, CARGO_TARGET_DIR: join(repository, "target/bench-peers") };
    const text = await run(
      "cargo",
      ["build", "--release", "--locked", "--message-format", "json"],
      axum,
      signal,
      environment,
    );
    server = executableOf(text, "bench-http-axum");
  });
  return { loader, programs: { node: process.execPath, bun, axum: server }, missing };
}

/** Builds the load generator. Returns its path. */
export async function buildLoader(signal: AbortSignal): Promise<string> {
  const options = [
    "--release",
    "--locked",
    "-p",
    "kit-http",
    "--example",
    "load",
    "--message-format",
    "json",
  ];
  return executableOf(await run("cargo", ["build", ...options], repository, signal), "load");
}

/** Returns the versions of the crates that the peer in Rust uses. */
export function crateVersions(): Readonly<Record<string, string>> {
  return cratesOf(axum, [
    "axum",
    "hyper",
    "tokio",
    "sqlx",
    "jsonwebtoken",
    "tower-sessions",
    "tower_governor",
  ]);
}

/** Returns the versions of the named crates from the `Cargo.lock` of a project. */
export function cratesOf(project: string, names: readonly string[]): Readonly<Record<string, string>> {
  const lock = readFileSync(join(project, "Cargo.lock"), "utf8");
  return Object.fromEntries(
    names.map((name) => [
      name,
      new RegExp(`name = "${name}"\nversion = "([^"]+)"`).exec(lock)?.[1] ?? "unknown",
    ]),
  );
}

/** Returns the path of a program, which cargo's JSON messages contain. */
export function executableOf(messages: string, name: string): string {
  for (const line of messages.split("\n")) {
    if (!line.includes('"executable"')) continue;
    const { executable, target } = JSON.parse(line) as {
      executable: string | null;
      target: { name: string };
    };
    if (executable !== null && target.name === name) return executable;
  }
  throw new Error(`cargo has not built the program ${name}`);
}
