// Runs every case of conformance/format-unions.json on every server over real connections, and through `app.fetch`.

import { after, before, describe, test } from "node:test";

import { createApp } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { check, send } from "./answer.ts";
import type { Served } from "./application.ts";
import { type Case, readCases } from "./case.ts";
import { bytesOf, requestOf } from "./fetch-request.ts";
import { formatOptions, serveFormats } from "./format-unions-application.ts";
import { isRust, notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

const { cases } = readCases("format-unions");

notInRust("unions of formats", "the build of a Rust server refuses unions of formats");

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
