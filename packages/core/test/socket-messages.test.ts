import assert from "node:assert/strict";
import { test } from "node:test";

import type { ServerSocket } from "@kit/types";

import { SocketMessages } from "../src/sockets/socket-messages.ts";
import { objectOf, responseOf } from "./support/compiled.ts";

test("stops reading from the client when messages of 64 KiB wait, counted in bytes and not in characters", async () => {
  const calls: string[] = [];
  const socket: ServerSocket = {
    send: () => true,
    close: () => calls.push("close"),
    terminate: () => calls.push("terminate"),
    pause: () => calls.push("pause"),
    resume: () => calls.push("resume"),
  };
  const messages = new SocketMessages({
    protocol: null,
    compiled: { in: objectOf("In", { text: "string" }), out: responseOf("Out", { text: "string" }) },
    ref: "WS /echo",
    isChecked: false,
    log: null,
    refused: () => undefined,
    ended: () => undefined,
  });
  messages.attach(socket);
  // 24 KiB in UTF-8.
  const message = JSON.stringify({ text: "\u20ac".repeat(8 * 1024) });
  messages.message(message);
  messages.message(message);
  assert.deepEqual(calls, []);
  messages.message(message);
  assert.deepEqual(calls, ["pause"]);
  const received = messages[Symbol.asyncIterator]();
  await received.next();
  assert.deepEqual(calls, ["pause", "resume"]);
});
