/**
 * Builds the programs of the benchmark: the server that kit generates for the Notes example, the handwritten server, and the load
 * generator.
 */
import { join } from "node:path";

import { run } from "../http/command.ts";
import { buildLoader, cratesOf, executableOf } from "../http/prepare.ts";

const directory: string = import.meta.dirname;
const repository = join(directory, "../..");
/** Directory of the server that kit generates. */
const generated = join(repository, "examples/notes-rust");
const peer = join(directory, "peer");

/** Paths of the programs that are run. */
export interface Programs {
  readonly loader: string;
  readonly kit: string;
  readonly peer: string;
}

/** Builds all programs. Each uses the release profile of its own manifest. */
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
  // The two servers use the same target directory, so that common libraries are compiled once.
  const environment = { ...process.env, CARGO_TARGET_DIR: join(repository, "target/bench-peers") };
  const options = ["build", "--release", "--locked", "--message-format", "json"];
  return executableOf(await run("cargo", options, root, signal, environment), name);
}

/** Returns the versions of the libraries that the two servers use. Reads each server's lock file. */
export function versions(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const names = ["axum", "hyper", "serde_json", "sqlx", "tokio"];
  return { kit: cratesOf(generated, names), peer: cratesOf(peer, names) };
}
