// Tests of the choice of a media type by the header `accept`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { type Offer, parseAccept, preferredOffer, qualityOf } from "../../src/bodies/accept.ts";
import { parseMediaType } from "../../src/bodies/media-type.ts";

interface Vectors {
  readonly qualities: readonly {
    readonly name: string;
    readonly accept: string;
    readonly type: string;
    readonly quality: number;
  }[];
  readonly choices: readonly {
    readonly name: string;
    readonly accept?: string;
    readonly offers: readonly string[];
    readonly chosen: string | null;
  }[];
}

const { qualities, choices } = JSON.parse(
  readFileSync(new URL("../../../../conformance/accept.json", import.meta.url), "utf8"),
) as Vectors;

function offer(text: string): Offer {
  return parseMediaType(text)!;
}

describe("conformance/accept.json", () => {
  for (const { name, accept, type, quality } of qualities) {
    test(`quality: ${name}`, () => assert.equal(qualityOf(parseAccept(accept), offer(type)), quality));
  }
  for (const { name, accept, offers, chosen } of choices) {
    test(`choice: ${name}`, () => {
      const index = preferredOffer(accept, offers.map(offer));
      assert.equal(offers[index] ?? null, chosen);
    });
  }
});

test("a header of 16 KiB without a valid end is read in linear time", () => {
  const started = performance.now();
  for (const part of ["text/csv;", 'a/b;c="', "a/b;q=0.1,", ";;;;", '",\\']) {
    preferredOffer(part.repeat(16_384 / part.length), [offer("text/csv"), offer("text/html")]);
  }
  assert.ok(performance.now() - started < 1000);
});
