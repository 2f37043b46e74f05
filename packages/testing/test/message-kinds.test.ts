import assert from "node:assert/strict";
import { test } from "node:test";

import type { ContractParts } from "../src/coverage/contracts.ts";
import { messageNames, seenNames } from "../src/coverage/messages.ts";

const contract: ContractParts = {
  route: "WS /echo",
  successes: [101],
  errors: [],
  socket: {
    in: { kind: "literal", value: "stop" } as never,
    out: null,
    kinds: { in: ["json", "bytes"], out: ["text", "bytes"] },
  },
};

test("counts each kind of messages of a WebSocket", () => {
  assert.deepEqual(messageNames(contract), ['in "stop"', "in bytes", "out text", "out bytes"]);
});

test("sees a binary message as bytes, and plain text as text, whatever the text is", () => {
  assert.deepEqual(seenNames(contract, { direction: "in", text: '"stop"' }), ['in "stop"']);
  assert.deepEqual(seenNames(contract, { direction: "in", text: "", isBinary: true }), ["in bytes"]);
  assert.deepEqual(seenNames(contract, { direction: "out", text: "not JSON" }), ["out text"]);
  assert.deepEqual(seenNames(contract, { direction: "out", text: "", isBinary: true }), ["out bytes"]);
});
