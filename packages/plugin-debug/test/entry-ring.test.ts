// Tests the ring of the newest entries, whose count and bytes are limited.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { EntryRing, type KeptText } from "../src/history/entry-ring.ts";

const entry = (text: string): Omit<KeptText, "sequence"> => ({ time: 0, requestId: null, severity: 9, text });

describe("a ring of entries", () => {
  it("contains the newest entries, up to its maximum count", () => {
    const ring = new EntryRing(1_000, Infinity);
    for (let number = 1; number <= 50_000; number += 1) {
      ring.push(entry(String(number)));
      assert.ok(ring.count <= 1_000);
    }
    const texts = [...ring.newest()].map(({ text }) => text);
    assert.deepEqual([texts.length, texts[0], texts.at(-1)], [1_000, "50000", "49001"]);
    assert.deepEqual(
      ring.after(49_998).map(({ sequence, text }) => [sequence, text]),
      [
        [49_999, "49999"],
        [50_000, "50000"],
      ],
    );
    // If the next entries have been dropped already, all entries of the ring are returned.
    assert.equal(ring.after(7).length, 1_000);
    assert.deepEqual(ring.after(50_000), []);
  });

  it("stays below its maximum bytes, for entries of any length", () => {
    const ring = new EntryRing(1_000, 1_000_000);
    for (let number = 0; number < 2_000; number += 1) {
      ring.push(entry("x".repeat((number * 37) % 20_000)));
      assert.ok(ring.bytes <= 1_000_000, String(ring.bytes));
    }
    const held = [...ring.newest()].reduce((sum, { text }) => sum + text.length * 2, 0);
    assert.ok(held > 900_000 && held <= ring.bytes, `${held} ${ring.bytes}`);
    // An entry that alone is too long leaves the ring empty.
    ring.push(entry("x".repeat(600_000)));
    assert.deepEqual([ring.count, ring.bytes], [0, 0]);
  });
});
