import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Program, sendRequest } from "./support.ts";

// In its own file, because the shortest grace period is 10 seconds.
test("after SIGTERM, workers complete a request of a route with a longer timeout than the application", async () => {
  await using program = new Program({ KIT_TEST_LONG: "11000" });
  const port = await program.port();
  const answer = sendRequest(port, "/long");
  await sleep(100);
  program.signal("SIGTERM");
  assert.equal((await answer).status, 200);
  assert.deepEqual(await program.end(), { code: 0, signal: null });
});
