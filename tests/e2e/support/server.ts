import assert from "node:assert/strict";
import { join, resolve } from "node:path";

/** Server that the tests in `tests/e2e/servers` use. */
export interface Server {
  /** Package that exports the adapter. */
  readonly from: string;
  /** Name of the function that creates the adapter. */
  readonly make: string;
  /** Name of the adapter in error messages and log entries. */
  readonly adapter: string;
  /** Environment variables of the application. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Program of a server that does not run on Node. It is `examples/notes-rust`, which `kit build` has built there. Projects of another example
   * start the program of that example.
   */
  readonly program?: string;
}

/** Directory for the programs that cargo builds from generated code. `xtask/src/check.rs` contains the same path. */
const generated = resolve(import.meta.dirname, "../../../target/generated");

/** Returns the path of the program that `kit build` creates for a project with the plugin `rustServer()`. */
export function rustProgramOf(project: string): string {
  return join(generated, "debug", project);
}

/** Path of the program that serves Notes in Rust. */
export const rustProgram: string = rustProgramOf("notes-rust");

/** Servers by the value of `KIT_E2E_SERVER`. `xtask/src/test.rs` runs the tests on all of them. */
const servers: Readonly<Record<string, Server>> = {
  native: { from: "@kit/server-native", make: "nativeServer", adapter: "native", env: {} },
  // This server is the native adapter as it behaves on a platform without its addon.
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

/** Server that this run tests: `KIT_E2E_SERVER=express node --test "tests/e2e/servers/*.test.ts"`. Default: `native`. */
export const server: Server = chosen(process.env["KIT_E2E_SERVER"] ?? "native");

function chosen(name: string): Server {
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
  assert.ok(found, `KIT_E2E_SERVER is ${JSON.stringify(name)}; it may be ${Object.keys(servers).join(", ")}`);
  return found;
}

/**
 * Changes the source of an application for the native server, so that it uses the server of this run. A user who chooses another server
 * changes the same two lines.
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
