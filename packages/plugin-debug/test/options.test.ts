// Tests the options of the sidecar, under both of their names.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type DebugOptions, debugPlugin } from "@kit/plugin-debug";
import { credentials, readDebugOptions } from "../src/options.ts";

const key = "k".repeat(32);

describe("the options of the sidecar", () => {
  it("have the same meaning under both names", () => {
    const a = readDebugOptions({
      port: 9900,
      mode: "production",
      apiKey: key,
      allowedIPs: ["10.0.0.0/8"],
      redactFields: ["*.iban"],
      rateLimit: { windowMs: 5_000, max: 7 },
    });
    const b = readDebugOptions({
      port: 9900,
      production: true,
      security: {
        apiKey: key,
        allowlist: ["10.0.0.0/8"],
        redact: ["*.iban"],
        rateLimit: 7,
        rateLimitWindow: 5_000,
      },
    });
    const { allowlist: inA, ...accessA } = a.access;
    const { allowlist: inB, ...accessB } = b.access;
    assert.deepEqual({ ...a, access: accessA }, { ...b, access: accessB });
    assert.deepEqual(inA?.entries, inB?.entries);
    assert.deepEqual(a, {
      port: 9900,
      isProduction: true,
      errorFields: "public",
      keep: 1_000,
      store: { path: null, maxBytes: 67_108_864 },
      access: {
        hostname: "127.0.0.1",
        apiKey: key,
        allowlist: { option: "allowedIPs", entries: ["10.0.0.0/8"] },
        rateLimit: { windowMs: 5_000, max: 7 },
        redact: [...credentials, "*.iban"],
      },
    });
  });

  it("select port 9800 of this machine and hide credentials by default", () => {
    const access = {
      hostname: "127.0.0.1",
      apiKey: null,
      allowlist: null,
      rateLimit: null,
      redact: [...credentials],
    };
    assert.deepEqual(readDebugOptions({ mode: "dev" }), {
      port: 9800,
      isProduction: false,
      errorFields: "all",
      keep: 1_000,
      store: { path: null, maxBytes: 67_108_864 },
      access,
    });
    const given = { apiKey: key, allowedIPs: ["10.0.0.1"], redactFields: ["iban"], rateLimit: { max: 1 } };
    for (const mode of [{ mode: "dev" as const }, { mode: "production" as const }, {}]) {
      assert.deepEqual(readDebugOptions({ ...mode, ...given }).access, {
        hostname: "127.0.0.1",
        apiKey: key,
        allowlist: { option: "allowedIPs", entries: ["10.0.0.1"] },
        rateLimit: { windowMs: 60_000, max: 1 },
        redact: [...credentials, "iban"],
      });
    }
  });

  it("take the mode from NODE_ENV if the options name no mode", (t) => {
    const before = process.env["NODE_ENV"];
    t.after(() => {
      if (before === undefined) delete process.env["NODE_ENV"];
      else process.env["NODE_ENV"] = before;
    });
    process.env["NODE_ENV"] = "production";
    assert.throws(() => debugPlugin(), /production needs a key, which clients send as X-Debug-Key/);
    assert.equal(readDebugOptions({ production: false }).isProduction, false);
    assert.equal(readDebugOptions({ mode: "dev" }).isProduction, false);
  });

  const mistakes: [options: unknown, message: RegExp][] = [
    [{ prot: 1 }, /no option `prot`; did you mean `port`\?/],
    [{ allowedIps: [] }, /no option `allowedIps`; did you mean `allowedIPs`\?/],
    [{ allowlist: [] }, /no option `allowlist`; did you mean `security\.allowlist`\?/],
    [{ security: { apikey: key } }, /no option `security\.apikey`; did you mean `security\.apiKey`\?/],
    [{ security: { ratelimitwindow: 1 } }, /did you mean `security\.rateLimitWindow`\?/],
    [{ rateLimit: { window: 1 } }, /no option `rateLimit\.window`; did you mean `rateLimit\.windowMs`\?/],
    [{ zzzzzzzz: 1 }, /no option `zzzzzzzz`; there are `port`, `mode`, /],
    [{ port: 70_000 }, /`port` must be a whole number from 0 to 65535, not 70000/],
    [{ port: "9800" }, /`port` must be .*, not "9800"/],
    [{ mode: "prod" }, /`mode` must be "dev" or "production", not "prod"; did you mean "production"\?/],
    [{ mode: "development" }, /did you mean "dev"\?/],
    [{ production: "yes" }, /`production` must be true or false, not "yes"/],
    [{ mode: "dev", production: false }, /`mode` and `production` are two names of the same option/],
    [
      { apiKey: key, security: { apiKey: key } },
      /`apiKey` and `security\.apiKey` are two names of the same option/,
    ],
    [{ rateLimit: { max: 1 }, security: { rateLimit: 1 } }, /`rateLimit\.max` and `security\.rateLimit`/],
    [{ rateLimit: { max: 0 } }, /`rateLimit\.max` must be a whole number from 1 /],
    [{ rateLimit: 100 }, /`rateLimit` must be an object/],
    [{ security: { rateLimitWindow: 0.5 } }, /`security\.rateLimitWindow` must be a whole number/],
    [{ mode: "production" }, /production needs a key/],
    [{ mode: "production", apiKey: "" }, /`apiKey` must be a text of visible ASCII characters.* it is empty/],
    [{ apiKey: "schlüssel" }, /`apiKey` must be a text of visible ASCII/],
    [{ apiKey: "two words" }, /`apiKey` must be a text of visible ASCII/],
    [{ allowedIPs: "10.0.0.1" }, /`allowedIPs` must be a list of texts/],
    [{ redactFields: ["a..b"] }, /`redactFields` must be property names joined by dots/],
    [{ errorFields: "some" }, /`errorFields` must be "all", "public" or "none", not "some"/],
    [{ keep: 0 }, /`keep` must be a whole number from 1 /],
    [{ security: { hostname: "a/b" } }, /`security\.hostname` must be an address or a host name/],
    [{ store: "" }, /`store` must be the path of a file, or false to use no file, not ""/],
    [{ store: { path: "a.db", maxBytes: 10 } }, /`store\.maxBytes` must be a whole number from 1048576 /],
    [{ store: { file: "a.db" } }, /no option `store\.file`/],
    [null, /the options must be an object/],
  ];
  for (const [options, message] of mistakes) {
    it(`with ${JSON.stringify(options)} are refused`, () => {
      assert.throws(() => debugPlugin(options as DebugOptions), message);
    });
  }

  it("never put an invalid key into the error message", () => {
    assert.throws(
      () => debugPlugin({ apiKey: "geheim schlüssel" }),
      (error: Error) => !error.message.includes("geheim"),
    );
  });

  for (const entry of [
    "",
    "10.0.0.0/33",
    "10.0.0.256",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "fd00::/129",
    "example.com",
    "10.0.0.0/a",
    "10.0.0.0/",
    "::ffff:10.0.0.0/95",
    "fe80::1%eth0",
  ]) {
    it(`with the allowlist entry ${JSON.stringify(entry)} are refused`, () => {
      for (const options of [{ allowedIPs: [entry] }, { security: { allowlist: [entry] } }])
        assert.throws(
          () => debugPlugin({ production: true, apiKey: key, ...options }),
          /allow.* has .* neither an address/s,
        );
    });
  }
});
