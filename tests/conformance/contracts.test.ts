// Runs every case of conformance/contracts.json on every server over real connections, and through `app.fetch`.

import { after, before, describe, test } from "node:test";

import { createApp } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { check, send } from "./answer.ts";
import type { Served } from "./application.ts";
import { type Case, readCases } from "./case.ts";
import { contractOptions, cookieKeys, serveContracts } from "./contracts-application.ts";
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

if (isRust) {
  describe("rust", { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      const variables = { KIT_COOKIE_KEYS: cookieKeys.join(",") };
      app = await startRust("rust-server", { bodyBytes: bodyLimit }, "production", variables);
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases.filter(({ untyped }) => untyped !== true)) {
      test(one.name, async () => check(one, await send(app.port, one)));
    }
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
