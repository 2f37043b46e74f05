// Runs every case of conformance/wrappers.json on every server over real connections, and through `app.fetch`.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { createApp } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { check, send } from "./answer.ts";
import type { Served } from "./application.ts";
import { type Case, readCases } from "./case.ts";
import { bytesOf, requestOf } from "./fetch-request.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { serveWrappers, wrapperOptions } from "./wrappers-application.ts";

quietStdout();

const { bodyLimit, cases } = readCases("wrappers");

/** Cases that a Rust wrapper cannot have, with the reason. */
const notRust: Readonly<Record<string, string>> = {
  "a second call of next: 500": "it does not compile",
  "a wrapper that returns nothing: 500": "it does not compile",
  "a reply that the wrapper does not declare: 500": "it does not compile",
};

for (const [name, make] of servers) {
  describe(name, { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      app = await serveWrappers(make());
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) test(one.name, async () => check(one, await send(app.port, one)));
  });
}

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
    test("the list of skipped cases has only existing cases", () => {
      const names = new Set(cases.map(({ name }) => name));
      assert.deepEqual(
        Object.keys(notRust).filter((name) => !names.has(name)),
        [],
      );
    });
  });
}

describe("app.fetch", { skip: isRust && "the Rust server has no such function" }, () => {
  const app = createApp(wrapperOptions());
  after(() => app.close({ graceMs: 0 }));
  const possible = cases.flatMap((one): [Case, Request][] => {
    const request = requestOf(one);
    return request === undefined ? [] : [[one, request]];
  });
  for (const [one, request] of possible) {
    test(one.name, async () => check(one, await bytesOf(await app.fetch(request))));
  }
});
