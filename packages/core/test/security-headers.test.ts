// Tests of the option `securityHeaders`. The responses of all servers are tested by
// tests/conformance/security-headers.test.ts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { type AppOptions, createApp } from "@kit/core";

import { readSecurityHeaders } from "../src/app/security-headers-option.ts";
import { describeKnownValues } from "../src/edge/security-header-values.ts";
import type { SecurityHeadersOptions } from "../src/edge/security-headers.ts";
import { EdgeRules } from "../src/edge/edge-rules.ts";
import { addDefaults } from "../src/edge/merge-headers.ts";
import { MemoryServer } from "./support/memory-server.ts";

const { values } = JSON.parse(
  readFileSync(new URL("../../../conformance/security-headers.json", import.meta.url), "utf8"),
) as { values: { option: keyof SecurityHeadersOptions; value: string; known?: string }[] };

function namesOf(headers: readonly string[]): string[] {
  return headers.filter((_, index) => index % 2 === 0);
}

it("knows the values of the conformance file", () => {
  for (const { option, value, known } of values)
    assert.equal(describeKnownValues(option, value), known, `${option}: ${value}`);
  assert.ok(values.length > 30);
});

describe("the option securityHeaders", () => {
  const refused: readonly [name: string, securityHeaders: unknown, message: RegExp][] = [
    ["a string", "on", /`securityHeaders` must be true, false or an object such as \{ frameOptions: "SAM/],
    ["a list", [], /`securityHeaders` must be true, false or an object/],
    ["null", null, /`securityHeaders` must be true, false or an object/],
    ["a misspelt name", { frameOption: false }, /no option `securityHeaders\.frameOption`; .*`frameOptions`/],
    ["the name of a header", { "X-Frame-Options": false }, /did you mean `frameOptions`\?/],
    [
      "true for a header",
      { frameOptions: true },
      /`securityHeaders\.frameOptions` is true; it must be false,/,
    ],
    ["a number", { referrerPolicy: 1 }, /`securityHeaders\.referrerPolicy` is 1; it must be false, which/],
    ["an empty value", { referrerPolicy: "" }, /`securityHeaders\.referrerPolicy` is ""; it must be false/],
    [
      "a line break",
      { frameOptions: "DENY\r\nx-a: 1" },
      /is "DENY\\r\\nx-a: 1"; it must be .* visible ASCII/,
    ],
    [
      "a value that browsers do not know",
      { frameOptions: "DENNY" },
      /`securityHeaders\.frameOptions` is "DENNY", which browsers do not know; .*: DENY, SAMEORIGIN$/,
    ],
    ["a letter above ASCII", { referrerPolicy: "ä" }, /visible ASCII characters/],
    ["a space at the end", { referrerPolicy: "a " }, /with spaces only between them/],
  ];
  for (const [name, securityHeaders, message] of refused) {
    it(`is refused with a clear message: ${name}`, () => {
      const options = { server: new MemoryServer(), routes: [], securityHeaders } as unknown as AppOptions;
      assert.throws(() => createApp(options), message);
    });
  }

  it("is off by default and adds no rules to requests", () => {
    for (const option of [undefined, false]) {
      assert.deepEqual(readSecurityHeaders(option), []);
      assert.equal(EdgeRules.of(null, readSecurityHeaders(option)), null);
    }
  });

  it("has defaults, replaces them by values of the application, and leaves out headers that are false", () => {
    assert.deepEqual(namesOf(readSecurityHeaders(true)), [
      "content-security-policy",
      "strict-transport-security",
      "referrer-policy",
      "x-frame-options",
      "cross-origin-resource-policy",
      "cross-origin-opener-policy",
    ]);
    const all = {
      contentSecurityPolicy: false,
      strictTransportSecurity: false,
      frameOptions: false,
    } as const;
    assert.deepEqual(
      readSecurityHeaders({
        ...all,
        referrerPolicy: "same-origin",
        crossOriginResourcePolicy: undefined!,
        crossOriginOpenerPolicy: false,
        permissionsPolicy: "camera=()",
      }),
      [
        "referrer-policy",
        "same-origin",
        "cross-origin-resource-policy",
        "same-origin",
        "permissions-policy",
        "camera=()",
      ],
    );
  });
});

describe("headers of a response and defaults", () => {
  it("are joined, and the response keeps its own headers", () => {
    const defaults = ["x-frame-options", "DENY", "referrer-policy", "no-referrer"];
    assert.equal(addDefaults([], defaults), defaults);
    assert.deepEqual(addDefaults(["x-a", "1", "x-frame-options", "SAMEORIGIN"], defaults), [
      "x-a",
      "1",
      "x-frame-options",
      "SAMEORIGIN",
      "referrer-policy",
      "no-referrer",
    ]);
  });
});
