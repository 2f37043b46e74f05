// Sends the inputs that the fuzzer `fuzz-node-http.ts` has stored to every server on Node.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { nativeServer } from "@kit/server-native";
import type { ServerAdapter } from "@kit/types";

import { assertProportion } from "./bounds.ts";
import { frameworks, serveGuarded } from "./guarded.ts";
import { readResponses, sendBytes } from "./raw-client.ts";
import { isRust, notInRust } from "./rust.ts";
import { withKitServer } from "./servers.ts";
import { assertAllowed } from "./verdict.ts";

const corpus = new URL("../../fuzz/corpus/node-http/", import.meta.url);
const inputs = readdirSync(corpus).map((name) => [name, readFileSync(new URL(name, corpus))] as const);

const servers: readonly (readonly [name: string, make: () => ServerAdapter, hasFramework: boolean])[] = [
  ["native", () => withKitServer("native", () => nativeServer()), false],
  ["fallback", () => withKitServer("node", () => nativeServer()), false],
  ...frameworks.map(([name, make]) => [name, () => make("prefixes"), true] as const),
];

test("the fuzzer has stored more than 50 inputs", () =>
  assert.ok(inputs.length > 50, `${inputs.length} inputs`));
notInRust("the corpus of the server on node:http", "it is that of another server");

for (const [name, make, hasFramework] of isRust ? [] : servers) {
  test(`${name}: no stored input of the fuzzer bypasses the middleware or causes a response above the size limit`, async () => {
    await using served = await serveGuarded(make(), !hasFramework);
    const replay = async ([file, input]: (typeof inputs)[number]): Promise<void> => {
      const received = await sendBytes(served.port, input, 3000, true);
      try {
        assertProportion(received, input);
        for (const response of readResponses(received)) assertAllowed(response, hasFramework);
      } catch (error) {
        throw new Error(`fuzz/corpus/node-http/${file}`, { cause: error });
      }
    };
    await Promise.all(inputs.map(replay));
  });
}
