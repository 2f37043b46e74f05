// Tests which modules of Node an application loads at its start. Each takes time and memory, also if the application never uses it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";

const program = join(import.meta.dirname, "started-application.ts");

/** Starts an application on a server, and returns the modules of Node that it has loaded. */
function modulesOf(server: "native" | "node"): ReadonlySet<string> {
  const env = { ...process.env, KIT_SERVER: server, NODE_OPTIONS: "" };
  // A pipe as standard output or error would make Node load `node:net`.
  const stdio = ["ignore", "ignore", "ignore", "pipe"] as const;
  const { status, output } = spawnSync(process.execPath, [program], {
    env,
    stdio: [...stdio],
    encoding: "utf8",
  });
  assert.equal(status, 0, "the application has started and ended");
  return new Set(JSON.parse(output[3]!) as string[]);
}

describe("an application that has started", () => {
  it("has loaded no module for HTTP, network or compression on the native server", () => {
    const loaded = modulesOf("native");
    assert.ok(loaded.has("fs"), "the list has the modules of Node");
    for (const name of ["http", "net", "tls", "zlib", "tty", "internal/deps/undici/undici"]) {
      assert.ok(!loaded.has(name), name);
    }
  });

  it("has loaded neither undici nor HTTP/2 on node:http", () => {
    const loaded = modulesOf("node");
    assert.ok(loaded.has("http"), "the list has the module of the server");
    for (const name of ["internal/http2/core", "zlib", "internal/deps/undici/undici"]) {
      assert.ok(!loaded.has(name), name);
    }
  });
});
