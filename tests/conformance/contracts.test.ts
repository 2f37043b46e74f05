// Runs every case of conformance/contracts.json on every server over real connections, and through `app.fetch`.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { createApp } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { check, send } from "./answer.ts";
import type { Served } from "./application.ts";
import { type Case, readCases } from "./case.ts";
import { contractOptions, serveContracts } from "./contracts-application.ts";
import { bytesOf, requestOf } from "./fetch-request.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

const { bodyLimit, cases } = readCases("contracts");

for (const [name, make] of servers) {
  describe(name, { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      app = await serveContracts(make(), bodyLimit);
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) test(one.name, async () => check(one, await send(app.port, one)));
  });
}

/** Cases that a Rust handler cannot have, with the reason. */
const notRust: Readonly<Record<string, string>> = {
  "ctx.cookie has safe defaults, and the last cookie of a name, path and domain counts":
    "the Rust server has no function that sets cookies",
  "a reply without a required header: 500": "it does not compile",
  "a reply without its body: 500": "it does not compile",
  "a value in place of a reply: 500": "it does not compile",
  "a reply with an undeclared status: 500": "it does not compile",
  "ctx.send beside replies: 500": "it does not compile",
  "details that break the contract: 500": "it does not compile",
};

if (isRust) {
  describe("rust", { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      app = await startRust("rust-server", { bodyBytes: bodyLimit });
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) {
      const skip = notRust[one.name] ?? false;
      test(one.name, { skip }, async () => check(one, await send(app.port, one)));
    }
    test("every case in the list of skipped cases exists", () => {
      const names = new Set(cases.map(({ name }) => name));
      assert.deepEqual(
        Object.keys(notRust).filter((name) => !names.has(name)),
        [],
      );
    });
  });
}

describe("app.fetch", { skip: isRust && "the Rust server has no such function" }, () => {
  const app = createApp(contractOptions(bodyLimit));
  after(() => app.close({ graceMs: 0 }));
  const possible = cases.flatMap((one): [Case, Request][] => {
    const request = requestOf(one);
    return request === undefined ? [] : [[one, request]];
  });
  for (const [one, request] of possible) {
    test(one.name, async () => {
      const { closes: _closes, answers: _answers, ...expected } = one;
      check(expected, await bytesOf(await app.fetch(request)));
    });
  }
});
