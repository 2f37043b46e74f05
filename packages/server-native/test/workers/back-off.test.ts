import assert from "node:assert/strict";
import { test } from "node:test";

import { BackOff } from "../../src/workers/back-off.ts";

test("doubles the delay at each restart up to ten seconds, and uses the shortest delay again after a minute of listening", () => {
  const backOff = new BackOff();
  const delays = [0, 0, 59_999, 0, 0, 0, 0, 0, 0].map((livedMs) => backOff.delayAfter(livedMs));
  assert.deepEqual(delays, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  assert.equal(backOff.delayAfter(60_000), 100);
  assert.equal(backOff.delayAfter(0), 200);
});
