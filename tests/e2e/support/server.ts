import assert from "node:assert/strict";
import { join, resolve } from "node:path";

/** Server that the tests in `tests/e2e/servers` run on. */
export interface Server {
  /** Package of its adapter. */
  readonly from: string;
  /** Function that creates the adapter. */
  readonly make: string;
  /** Name of the adapter in errors and logs. */
  readonly adapter: string;
  /** Environment variables for the process of the application. */
  readonly env: Readonly<Record<string, string>>;
  /** Program of a server without Node: `examples/notes-rust`, which `kit build` has built there. It contains Notes only. */
  readonly program?: string;
}

/** Directory for programs that cargo builds from generated code, shared by the whole repository. `xtask/src/check.rs` has the same path. */
const generated = resolve(import.meta.dirname, "../../../target/generated");

/** Returns the path of the program that `kit build` creates for a project with `rustServer()`. */
export function rustProgramOf(project: string): string {
  return join(generated, "debug", project);
}

/** Path of Notes as a program in Rust. */
export const rustProgram: string = rustProgramOf("notes-rust");

/** Servers by the values of `KIT_E2E_SERVER`. `xtask/src/test.rs` runs all of them. */
const servers: Readonly<Record<string, Server>> = {
  native: { from: "@kit/server-native", make: "nativeServer", adapter: "native", env: {} },
  // The native adapter on a platform without its engine.
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

/** Server of this run: `KIT_E2E_SERVER=express node --test "tests/e2e/servers/*.test.ts"`; default `native`. */
export const server: Server = chosen(process.env["KIT_E2E_SERVER"] ?? "native");

function chosen(name: string): Server {
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
  assert.ok(found, `KIT_E2E_SERVER is ${JSON.stringify(name)}; it may be ${Object.keys(servers).join(", ")}`);
  return found;
}

/**
 * Returns the source of an application for the native server, changed for the server of this run. A user who changes the server changes
 * only these two lines too.
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
