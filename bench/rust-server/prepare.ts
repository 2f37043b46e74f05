/** Builds what is measured: the generated server of the Notes example, the one written by hand, and the load generator. */
import { join } from "node:path";

import { run } from "../http/command.ts";
import { buildLoader, cratesOf, executableOf } from "../http/prepare.ts";

const directory: string = import.meta.dirname;
const repository = join(directory, "../..");
/** The Notes API as kit generates it. */
const generated = join(repository, "examples/notes-rust");
const peer = join(directory, "peer");

/** Programs to run. */
export interface Programs {
  readonly loader: string;
  readonly kit: string;
  readonly peer: string;
}

/** Builds all of them, each with the release profile of its own manifest. */
export async function prepare(signal: AbortSignal): Promise<Programs> {
  console.error("building both servers and the load generator");
  const kit = join(repository, "node_modules/@kit/cli/bin/kit.js");
  await run(process.execPath, [kit, "build", "--no-compile"], generated, signal);
  return {
    loader: await buildLoader(signal),
    kit: await server(generated, "notes-rust", signal),
    peer: await server(peer, "bench-rust-server-peer", signal),
  };
}

async function server(root: string, name: string, signal: AbortSignal): Promise<string> {
  // Libraries that both use alike are compiled once.
  const environment = { ...process.env, CARGO_TARGET_DIR: join(repository, "target/bench-peers") };
  const options = ["build", "--release", "--locked", "--message-format", "json"];
  return executableOf(await run("cargo", options, root, signal, environment), name);
}

/** Versions of the libraries that both use, by the lock file of each. */
export function versions(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const names = ["axum", "hyper", "serde_json", "sqlx", "tokio"];
  return { kit: cratesOf(generated, names), peer: cratesOf(peer, names) };
}
