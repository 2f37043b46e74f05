// Tests the generated Rust client of the conformance applications: a program in Rust opens WebSockets and sends bodies of all formats to
// every server.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";

import { nativeServer } from "@kit/server-native";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { Authority } from "../../packages/server-node/test/certificates.ts";
import { serveBodies } from "./bodies-application.ts";
import { createMessageApp } from "./messages-application.ts";
import { readConformance } from "./option-cases.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { createSocketApp } from "./sockets-application.ts";
import { makeStaticDirectory, type StaticFixture } from "./static-directory.ts";

quietStdout();

const program = resolve(import.meta.dirname, "rust-client");
const generated = resolve(import.meta.dirname, "rust-server/.kit/rust-client");
const files = readConformance<StaticFixture>("downloads.json");
const target = resolve(import.meta.dirname, "../../target/generated");
const skip = !existsSync(generated) && "tests/conformance/rust-server is not built";

/** Runs the program against an application at a port. With an authority, the program trusts only the certificates of the authority. */
async function check(application: string, port = 0, authority?: Authority): Promise<void> {
  const origin = authority === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const child = spawn(join(target, "debug/conformance-client-test"), [origin, application], {
    env: { ...process.env, ...(authority !== undefined && { SSL_CERT_FILE: authority.path("ca.pem") }) },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.equal(stdout, "all calls passed\n", stderr);
}

describe("the Rust client", { skip }, () => {
  before(() => {
    const built = spawnSync("cargo", ["build", "--manifest-path", join(program, "Cargo.toml")], {
      env: { ...process.env, CARGO_TARGET_DIR: target },
      encoding: "utf8",
    });
    assert.equal(built.status, 0, built.stderr);
  });

  test("compiles no server", () => {
    const tree = spawnSync("cargo", ["tree", "--manifest-path", join(program, "Cargo.toml")], {
      encoding: "utf8",
    });
    assert.equal(tree.status, 0, tree.stderr);
    assert.match(tree.stdout, /kit-runtime/);
    assert.doesNotMatch(tree.stdout, /\baxum\b/);
  });

  test("refuses servers that break the rules of WebSockets", () => check("none"));

  for (const application of isRust
    ? ["bodies", "downloads", "formats", "messages", "sockets", "subprotocols"]
    : []) {
    test(`calls the application "${application}" on rust`, async () => {
      const settings = { bodyBytes: application === "sockets" ? 64 * 1024 : 1024 * 1024 };
      const variables = { LOG_LEVEL: "fatal", DOWNLOADS_ROOT: makeStaticDirectory(files) };
      await using app = await startRust("rust-server", settings, "production", variables);
      await check(application, app.port);
    });
  }

  describe("over TLS with HTTP/2, and with HTTP/1.1 for WebSockets", () => {
    const authority = new Authority();
    const { cert, key } = authority.signFiles();
    after(() => authority[Symbol.dispose]());

    test(
      "calls the applications on rust",
      { skip: !isRust && "this run tests the servers on Node" },
      async () => {
        const variables = { LOG_LEVEL: "fatal", TLS_CERT: cert, TLS_KEY: key };
        for (const [application, bodyBytes] of [
          ["http2", 1024 * 1024],
          ["bodies", 1024 * 1024],
          ["messages", 1024 * 1024],
          ["sockets", 64 * 1024],
        ] as const) {
          await using app = await startRust("rust-server", { bodyBytes }, "production", variables);
          await check(application, app.port, authority);
        }
      },
    );

    test(
      "calls the applications on native",
      { skip: isRust && "this run tests the Rust server" },
      async (t) => {
        const tls = { cert, key, http2: true };
        await using bodies = await serveBodies(nativeServer(), tls);
        await check("http2", bodies.port, authority);
        await check("bodies", bodies.port, authority);
        const app = createSocketApp(nativeServer());
        t.after(() => app.close({ graceMs: 0 }));
        const { port } = await app.listen({ port: 0, host: "127.0.0.1", tls });
        await check("sockets", port, authority);
      },
    );

    test("refuses a server whose certificate it does not trust", { skip: isRust }, async () => {
      await using bodies = await serveBodies(nativeServer(), { cert, key, http2: true });
      using other = new Authority();
      await check("untrusted", bodies.port, other);
    });
  });

  for (const [name, make] of servers) {
    test(`calls the application "bodies" on ${name}`, async () => {
      await using app = await serveBodies(make());
      await check("bodies", app.port);
    });

    for (const [application, create] of [
      ["messages", createMessageApp],
      ["sockets", createSocketApp],
    ] as const) {
      test(`calls the application "${application}" on ${name}`, async (t) => {
        const app = create(make());
        t.after(() => app.close({ graceMs: 0 }));
        const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
        await check(application, port);
      });
    }
  }
});
