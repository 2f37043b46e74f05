// Runs every case of conformance/error-formats.json on every server, over real connections, and on `app.fetch`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import type { AppOptions, ErrorsOptions } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { type SentCase, type Target, targets } from "./edge-cases.ts";
import { ownFormat } from "./edge-columns.ts";

quietStdout();

/** Case of `conformance/error-formats.json`. The property `about` of that file explains the properties. */
interface Case extends SentCase {
  readonly name: string;
  readonly option: string;
  readonly status: number;
  readonly body?: object;
}

interface Option {
  readonly value: { readonly format?: "problem-details" | "own"; readonly validationStatus?: 422 };
  readonly contentType: string;
}

const { options, cases } = JSON.parse(
  readFileSync(new URL("../../conformance/error-formats.json", import.meta.url), "utf8"),
) as { options: Record<string, Option>; cases: Case[] };

function optionOf({ value: { format, ...rest } }: Option): NonNullable<AppOptions["errors"]> {
  if (format === undefined) return rest satisfies ErrorsOptions;
  return { ...rest, format: format === "own" ? ownFormat : format };
}

/** Replaces the trace id of a body, and the message of an error that each HTTP parser describes in its own words. */
function withPlaceholders(body: string, expected: string): string {
  const [, traceId = ""] = /"(?:traceId|request)":"([0-9a-f]{32})"/.exec(body) ?? [];
  assert.notEqual(traceId, "", `the body has no trace id: ${body}`);
  let text = body;
  if (!expected.includes(traceId)) {
    const uuid = traceId.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    text = text.replaceAll(traceId, "{traceId}").replaceAll(uuid, "{uuid}");
  }
  const [, property] = /"(\w+)":"\{message\}"/.exec(expected) ?? [];
  if (property === undefined) return text;
  return text.replace(new RegExp(`"${property}":"[^"]+"`), `"${property}":"{message}"`);
}

for (const { name, start, canSend } of targets) {
  describe(name, { concurrency: 2 }, () => {
    for (const [optionName, option] of Object.entries(options)) {
      describe(`errors: ${optionName}`, { concurrency: 8 }, () => {
        let app: Target;
        before(async () => {
          app = await start({ errors: optionOf(option) });
        });
        after(() => app[Symbol.asyncDispose]());
        for (const one of cases.filter((other) => other.option === optionName && canSend(other))) {
          test(one.name, async () => {
            const { status, headers, body } = await app.send(one);
            assert.equal(status, one.status, body);
            const type = status < 400 ? "application/json" : option.contentType;
            assert.equal(headers["content-type"], type);
            if (one.body === undefined) return;
            const expected = JSON.stringify(one.body);
            assert.equal(withPlaceholders(body, expected), expected);
          });
        }
      });
    }
  });
}

test("each case names an option in the conformance file, and each option has a case", () => {
  assert.deepEqual(new Set(cases.map(({ option }) => option)), new Set(Object.keys(options)));
});
