import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { chooseSubprotocol } from "../src/sockets/subprotocols.ts";

interface Vectors {
  readonly supported: readonly string[];
  readonly cases: readonly {
    readonly name: string;
    readonly offer: string;
    readonly chosen?: string | null;
  }[];
}

const file = new URL("../../../conformance/subprotocols.json", import.meta.url);
const { supported, cases } = JSON.parse(readFileSync(file, "utf8")) as Vectors;

for (const { name, offer, chosen } of cases) {
  test(`chooses the subprotocol of the vector: ${name}`, () => {
    assert.equal(chooseSubprotocol(offer, supported), chosen);
  });
}
