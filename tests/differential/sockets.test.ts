// Compares WebSockets on Node and in Rust: handshakes, messages, control frames and invalid frames. The servers are those of the
// conformance tests. `KIT_SEED`, `KIT_RUNS` and `KIT_FIRST` are as in the other tests.

import assert from "node:assert/strict";
import { test } from "node:test";

import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";

import { socketOptions } from "../conformance/sockets-application.ts";
import { startRust } from "../conformance/rust.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { MESSAGE_BYTES, type Script, scriptOf } from "./requests/socket-scripts.ts";
import { Random } from "./support/random.ts";
import { first, runs, seed } from "./support/settings.ts";
import { runScript } from "./support/socket-client.ts";

quietStdout();

const usual = 1500;

/** Kinds of steps that a run must contain, or little was compared. */
const KINDS = ["accepted", "binary", "broken", "close", "large", "message", "ping", "pong", "refused"];

test("sockets behave equally on Node and in Rust", { timeout: 10 * 60_000 }, async () => {
  // The Rust server of the conformance tests has no rules for other origins.
  const { cors: _, ...options } = socketOptions();
  const app = createApp({
    ...options,
    env: "production",
    limits: { bodyBytes: MESSAGE_BYTES },
    sockets: { compression: true, pingMs: 60_000 },
    server: nativeServer(),
  });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  await using rust = await startRust("rust-server", { bodyBytes: MESSAGE_BYTES }, "production", {
    SOCKET_COMPRESSION: "true",
    SOCKET_PING_MS: "60000",
  });
  const sent = new Map<string, number>();
  const differences: string[] = [];
  try {
    for (let index = first; index < first + runs(usual) && differences.length < 5; index += 1) {
      const script = scriptOf(new Random(seed, index));
      const [node, other] = await Promise.all([runScript(port, script), runScript(rust.port, script)]);
      // Only generated validators name the type in their messages. The validators of the application on Node are of these tests.
      const frames = other.frames.map((frame) => frame.replace(" (ChatMessage)", ""));
      for (const name of node.steps) sent.set(name, (sent.get(name) ?? 0) + 1);
      try {
        assert.deepEqual({ ...other, frames }, node);
      } catch (error) {
        differences.push(`seed ${seed}, script ${index}:\n${shown(script)}\n${String(error)}`);
      }
    }
  } finally {
    await app.close({ delayMs: 0, graceMs: 0 });
  }
  assert.ok(differences.length === 0, `\n${differences.join("\n\n")}`);
  process.stderr.write(`sockets: ${JSON.stringify(Object.fromEntries(sent))}\n`);
  if (runs(usual) >= usual) assert.deepEqual([...sent.keys()].toSorted(), KINDS);
});

function shown({ head, steps }: Script): string {
  const lines = steps.map(
    ({ name, parts }) => `${name}: ${parts.map((part) => part.toString("hex")).join(" ")}`,
  );
  return `${head.trim()}\n${lines.join("\n")}`.slice(0, 4000);
}
