// Runs every case of conformance/compression.json on every server.

import assert from "node:assert/strict";
import type { Transform } from "node:stream";
import { test } from "node:test";
import { createBrotliDecompress, createGunzip } from "node:zlib";

import type { CompressionOptions, ContentCoding } from "@kit/core";

import { chooseCoding } from "../../packages/core/src/edge/accept-encoding.ts";
import { compressibleTypes } from "../../packages/core/src/edge/compression.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { type EdgeCase, open, readConformance, testEdgeCases } from "./option-cases.ts";
import { edgeColumns, textOf } from "./edge-columns.ts";

quietStdout();

interface Negotiation {
  readonly header: string | null;
  readonly codings: readonly ContentCoding[];
  readonly coding: ContentCoding | null;
  readonly isRequired: boolean;
}

const { types, negotiation, options, cases } = readConformance<{
  types: readonly string[];
  negotiation: readonly Negotiation[];
  options: Readonly<Record<string, boolean | CompressionOptions>>;
  cases: readonly EdgeCase[];
}>("compression.json");

testEdgeCases("compression", options, cases);

for (const [name, serve] of edgeColumns) {
  for (const coding of ["br", "gzip"] as const) {
    test(`${name}: a client receives each chunk of a ${coding} stream before the next chunk exists`, async () => {
      await using app = await serve({ compression: true });
      const response = await open(app.port, {
        method: "GET",
        target: "/sized/2500",
        headers: { "accept-encoding": coding, "x-stream": "open" },
      });
      const decoder: Transform = coding === "br" ? createBrotliDecompress() : createGunzip();
      // The stream has no end, so the response is cut.
      decoder.on("error", () => undefined);
      response.on("error", () => undefined).pipe(decoder);
      let text = "";
      for await (const chunk of decoder) {
        text += String(chunk);
        if (text.length >= 2500) break;
      }
      assert.equal(text, textOf(2500));
      response.destroy();
    });
  }
}

test("the coding is chosen as conformance/compression.json requires", () => {
  assert.ok(negotiation.length > 20);
  for (const { header, codings, ...expected } of negotiation)
    assert.deepEqual(chooseCoding(header ?? undefined, codings), expected, `${header}, ${codings.join()}`);
});

test("the compressible types equal the types in conformance/compression.json", () => {
  assert.deepEqual(compressibleTypes, types);
});
