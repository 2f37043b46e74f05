// Tests of the options `compression`, `etag` and `sockets`. The responses of all servers are tested by tests/conformance.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type AppOptions, createApp } from "@kit/core";

import { readCompression } from "../src/app/compression-option.ts";
import { readEtag } from "../src/app/etag-option.ts";
import { MemoryServer } from "./support/memory-server.ts";

const refused: readonly [name: string, options: object, message: RegExp][] = [
  ["sockets: a string", { sockets: "on" }, /`sockets` must be an object such as/],
  ["sockets: a misspelt name", { sockets: { pingMS: 1 } }, /no option `sockets\.pingMS`; .*`pingMs`/],
  ["sockets: no time", { sockets: { pingMs: 0 } }, /`sockets\.pingMs` must be a whole number/],
  ["sockets: half a millisecond", { sockets: { pingMs: 0.5 } }, /`sockets\.pingMs` must be a whole number/],
  ["sockets: a number", { sockets: { compression: 1 } }, /`sockets\.compression` must be true or false/],
  ["compression: a string", { compression: "on" }, /`compression` must be true, false or an object such as/],
  ["compression: a list", { compression: [] }, /`compression` must be true, false or an object such as/],
  ["compression: null", { compression: null }, /`compression` must be true, false or an object such as/],
  [
    "compression: a misspelt name",
    { compression: { minByte: 1 } },
    /no option `compression\.minByte`; .*`minBytes`/,
  ],
  [
    "compression: half a byte",
    { compression: { minBytes: 0.5 } },
    /`compression\.minBytes` must be a whole number/,
  ],
  [
    "compression: less than no byte",
    { compression: { minBytes: -1 } },
    /`compression\.minBytes` must be a whole/,
  ],
  [
    "compression: no coding",
    { compression: { encodings: [] } },
    /`compression\.encodings` must be a list such as/,
  ],
  [
    "compression: no list",
    { compression: { encodings: "br" } },
    /`compression\.encodings` must be a list such as/,
  ],
  [
    "compression: zstd",
    { compression: { encodings: ["zstd"] } },
    /`compression\.encodings` has "zstd"; kit can use/,
  ],
  [
    "compression: one coding twice",
    { compression: { encodings: ["br", "br"] } },
    /`compression\.encodings` has "br" twice/,
  ],
  [
    "etag: a string",
    { etag: "weak" },
    /`etag` must be true, false or an object such as \{ generate: false \}/,
  ],
  [
    "etag: a misspelt name",
    { etag: { genrate: true } },
    /no option `etag\.genrate`; did you mean `generate`\?/,
  ],
  ["etag: a number", { etag: { generate: 1 } }, /`etag\.generate` must be true or false/],
];

describe("the options compression and etag", () => {
  for (const [name, options, message] of refused) {
    it(`are refused with a clear message: ${name}`, () => {
      const all = { server: new MemoryServer(), routes: [], ...options } as unknown as AppOptions;
      assert.throws(() => createApp(all), message);
    });
  }

  it("are off by default", () => {
    for (const option of [undefined, false]) {
      assert.equal(readCompression(option), null);
      assert.equal(readEtag(option), null);
    }
  });

  it("have defaults if they are on", () => {
    assert.deepEqual(readCompression(true), { encodings: ["br", "gzip"], minBytes: 1024 });
    assert.deepEqual(readCompression({ encodings: ["gzip"] }), { encodings: ["gzip"], minBytes: 1024 });
    assert.deepEqual(readEtag(true), { generate: true });
    assert.deepEqual(readEtag({}), { generate: true });
  });
});
