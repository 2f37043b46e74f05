// Compares bodies that are not JSON on Node and in Rust: forms, multipart, raw bytes, text, lines and events. The servers are
// those of the conformance tests, whose handlers show what they receive. `KIT_SEED`, `KIT_RUNS` and `KIT_FIRST` are as in the
// other tests.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { nativeServer } from "@kit/server-native";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { serveBodies } from "../conformance/bodies-application.ts";
import { startRust } from "../conformance/rust.ts";
import { bodyRequests } from "./requests/bodies.ts";
import { insistOnNeeded } from "./support/differences.ts";
import { ServerUnderTest } from "./support/lane.ts";
import { Random } from "./support/random.ts";
import type { Sent } from "./support/request.ts";
import { compare } from "./support/run.ts";
import { first, print, runs, seed } from "./support/settings.ts";

quietStdout();

const usual = 4_000;
const contracts = readFileSync(
  new URL("../conformance/rust-server/api/bodies.routes.ts", import.meta.url),
  "utf8",
);

test(
  "bodies that are not JSON are read and written equally on Node and in Rust",
  { timeout: 30 * 60_000 },
  async () => {
    const make = bodyRequests((route) => contracts.includes(`"${route}": Route<`));
    const requestOf = (index: number): Sent => {
      const request = make(new Random(seed, index));
      // Photos have ids, which are numbered in the order of their responses.
      return { ...request, writes: request.target === "/photos" };
    };
    await using node = await serveBodies(nativeServer());
    await using rust = await startRust("rust-server", { bodyBytes: 1024 * 1024 });
    const lanes = [new ServerUnderTest("node", node.port), new ServerUnderTest("rust", rust.port)] as const;
    try {
      const result = await compare(lanes, requestOf, { seed, first, count: runs(usual) });
      print("bodies", result);
      assert.ok(result.differences.length === 0, `\n${result.differences.join("\n\n")}`);
      if (result.sent < usual) return;
      insistOnNeeded("bodies", new Set(result.needed.keys()));
      // Most kinds of requests must also be accepted, or little was compared.
      const kinds = new Set(Array.from(result.taken, (kind) => kind.split(":", 1)[0]));
      assert.deepEqual([...kinds].toSorted(), [
        "bytes",
        "form",
        "lines",
        "multipart",
        "raw",
        "reply",
        "response",
        "text",
        "upload",
        "uploads",
      ]);
    } finally {
      for (const lane of lanes) lane.close();
    }
  },
);
