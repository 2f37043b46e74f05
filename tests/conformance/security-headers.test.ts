// Runs every case of conformance/security-headers.json on every server, over real connections.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import type { AppOptions } from "@kit/core";

import { securityHeaders } from "../../packages/core/src/edge/security-headers.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { type SentCase, type Target, targets } from "./edge-cases.ts";

quietStdout();

/** Headers by name. `null` if a response must not have the header. */
type Expected = Readonly<Record<string, string | null>>;

/** Case of `conformance/security-headers.json`. The property `about` of that file explains the properties. */
interface Case extends SentCase {
  readonly name: string;
  readonly option: string;
  readonly status: number;
  readonly headers?: Expected;
  readonly code?: string;
}

interface Option {
  readonly value: NonNullable<AppOptions["securityHeaders"]>;
  readonly headers: Expected;
}

const { defaults, options, cases } = JSON.parse(
  readFileSync(new URL("../../conformance/security-headers.json", import.meta.url), "utf8"),
) as {
  defaults: { option: string; name: string; value: string | null }[];
  options: Record<string, Option>;
  cases: Case[];
};

const cors = { origins: ["https://app.example.com"] };

for (const { name, start, canSend } of targets) {
  describe(name, { concurrency: 2 }, () => {
    for (const [optionName, option] of Object.entries(options)) {
      describe(`securityHeaders: ${optionName}`, { concurrency: 8 }, () => {
        let app: Target;
        before(async () => {
          app = await start({ cors, securityHeaders: option.value });
        });
        after(() => app[Symbol.asyncDispose]());
        for (const one of cases.filter((other) => other.option === optionName && canSend(other))) {
          test(one.name, async () => {
            const { status, headers, body } = await app.send(one);
            assert.equal(status, one.status, body);
            const expected: Expected = {
              "x-content-type-options": "nosniff",
              ...option.headers,
              ...one.headers,
            };
            const received = Object.keys(expected).map((header) => [header, headers[header] ?? null]);
            assert.deepEqual(Object.fromEntries(received), expected);
            if (one.code !== undefined)
              assert.equal((JSON.parse(body) as { error: { code: string } }).error.code, one.code);
          });
        }
      });
    }
  });
}

test("each case names an option in the conformance file", () => {
  for (const { name, option } of cases) assert.ok(Object.hasOwn(options, option), name);
});

test("the headers and their defaults equal the headers in conformance/security-headers.json", () => {
  const own = Object.entries(securityHeaders).map(([option, { name, value }]) => ({ option, name, value }));
  assert.deepEqual(own, defaults);
});
