import assert from "node:assert/strict";
import { join, resolve } from "node:path";

/** A server that the tests of `tests/e2e/servers` run on. */
export interface Server {
  /** The package of its adapter. */
  readonly from: string;
  /** What makes the adapter. */
  readonly make: string;
  /** What the adapter calls itself in errors and logs. */
  readonly adapter: string;
  /** What the process of the application needs in its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The program, where it is not one of Node's: `examples/notes-rust`, which `kit build` has built there. It is Notes alone. */
  readonly program?: string;
}

/** Where cargo builds what kit generates in this repository, once for all of it. `xtask/src/check.rs` names it too. */
const generated = resolve(import.meta.dirname, "../../../target/generated");

/** The program that `kit build` makes of a project with `rustServer()`. */
export function rustProgramOf(project: string): string {
  return join(generated, "debug", project);
}

/** Notes as a program in Rust. */
export const rustProgram: string = rustProgramOf("notes-rust");

/** By the names that `KIT_E2E_SERVER` may have. `xtask/src/test.rs` goes through them. */
const servers: Readonly<Record<string, Server>> = {
  native: { from: "@kit/server-native", make: "nativeServer", adapter: "native", env: {} },
  // The native adapter where its engine is not to be had.
  fallback: {
    from: "@kit/server-native",
    make: "nativeServer",
    adapter: "native",
    env: { KIT_SERVER: "node" },
  },
  express: {
    from: "@kit/server-express",
    make: "expressServer",
    adapter: "express",
    env: {},
  },
  fastify: {
    from: "@kit/server-fastify",
    make: "fastifyServer",
    adapter: "fastify",
    env: {},
  },
  hono: { from: "@kit/server-hono", make: "honoServer", adapter: "hono", env: {} },
  rust: {
    from: "@kit/plugin-rust-server",
    make: "rustServer",
    adapter: "axum",
    env: {},
    program: rustProgram,
  },
};

/** The server of this run: `KIT_E2E_SERVER=express node --test "tests/e2e/servers/*.test.ts"`; default `native`. */
export const server: Server = chosen(process.env["KIT_E2E_SERVER"] ?? "native");

function chosen(name: string): Server {
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
  assert.ok(found, `KIT_E2E_SERVER is ${JSON.stringify(name)}; it may be ${Object.keys(servers).join(", ")}`);
  return found;
}

/**
 * The source of an application that is written for the native server, on the server of this run. A user who changes servers changes
 * these two places too, and no others.
 */
export function onServer(source: string): string {
  if (server.program !== undefined) return source;
  const changed = source
    .replace(
      'import { nativeServer } from "@kit/server-native";',
      `import { ${server.make} } from "${server.from}";`,
    )
    .replace("server: nativeServer(),", `server: ${server.make}(),`);
  assert.equal(changed.split(server.make).length, 3, "the application names its server in two places");
  assert.ok(
    changed === source || !changed.includes("nativeServer"),
    "the application still names the native server",
  );
  return changed;
}
