// Runs every case of conformance/format-unions.json on every server over real connections, and through `app.fetch`.

import { after, before, describe, test } from "node:test";

import { createApp } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { check, send } from "./answer.ts";
import type { Served } from "./application.ts";
import { type Case, readCases } from "./case.ts";
import { bytesOf, requestOf } from "./fetch-request.ts";
import { formatOptions, serveFormats } from "./format-unions-application.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

const { bodyLimit, cases } = readCases("format-unions");

if (isRust) {
  describe("rust", { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      app = await startRust("rust-server", { bodyBytes: bodyLimit });
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) {
      // Other routes of the program have the paths of the cases.
      const request = { ...one.request, target: `/formats${one.request.target}` };
      test(one.name, async () => check(one, await send(app.port, { ...one, request })));
    }
  });
}

for (const [name, make] of servers) {
  describe(name, { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      app = await serveFormats(make());
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) test(one.name, async () => check(one, await send(app.port, one)));
  });
}

describe("app.fetch", { skip: isRust && "the Rust server has no such function" }, () => {
  const app = createApp(formatOptions());
  after(() => app.close({ graceMs: 0 }));
  const possible = cases.flatMap((one): [Case, Request][] => {
    const request = requestOf(one);
    return request === undefined ? [] : [[one, request]];
  });
  for (const [one, request] of possible) {
    test(one.name, async () => check(one, await bytesOf(await app.fetch(request))));
  }
});
