// Runs every case of conformance/conditional.json on every server, and its table of preconditions.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { EtagOptions } from "@kit/core";

import { secondsOfHttpDate } from "../../packages/core/src/edge/http-date.ts";
import { type CurrentValidators, evaluatePreconditions } from "../../packages/core/src/edge/preconditions.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { type EdgeCase, readConformance, testEdgeCases } from "./option-cases.ts";

quietStdout();

interface Precondition {
  readonly name: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly current: CurrentValidators | null;
  readonly result: string;
}

const { preconditions, dates, options, cases } = readConformance<{
  preconditions: readonly Precondition[];
  dates: readonly (readonly [text: string, seconds: number | null])[];
  options: Readonly<Record<string, boolean | EtagOptions>>;
  cases: readonly EdgeCase[];
}>("conditional.json");

testEdgeCases("etag", options, cases);

for (const { name, method, headers, current, result } of preconditions) {
  test(`preconditions, ${name}`, () => {
    assert.equal(
      evaluatePreconditions(method, (field) => headers[field], current),
      result,
    );
  });
}

for (const [text, seconds] of dates) {
  test(`the date ${JSON.stringify(text)} is ${seconds === null ? "invalid" : "valid"}`, () => {
    assert.equal(secondsOfHttpDate(text, new Date("2026-01-01")), seconds ?? undefined);
  });
}
