import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { fail } from "../src/contracts/expect.ts";
import { commandOf, randomnessOf } from "../src/contracts/randomness.ts";
import { curlOf } from "../src/curl.ts";
import { remember, type TestResponse } from "../src/test-response.ts";

test("reads the number of random requests, their seed and a replay from environment variables", () => {
  assert.equal(randomnessOf({}), undefined);
  assert.equal(randomnessOf({ KIT_TEST_RUNS: "many", KIT_TEST_SEED: "1" }), undefined);
  assert.deepEqual(randomnessOf({ KIT_TEST_RUNS: "100", KIT_TEST_SEED: "0" }), { runs: 100, seed: 0 });
  for (const title of ["GET /notes/:id", "POST /notes with text/csv"]) {
    const replay = { title, kind: "spoiled", path: "17:0:3" } as const;
    const command = commandOf(42, replay);
    assert.equal(command, `kit test:contracts --seed 42 --replay '${title} spoiled 17:0:3'`);
    const [, printed = ""] = /'(.*)'$/.exec(command) ?? [];
    const read = randomnessOf({ KIT_TEST_RUNS: "100", KIT_TEST_SEED: "42", KIT_TEST_REPLAY: printed });
    assert.deepEqual(read, { runs: 100, seed: 42, replay });
  }
  for (const wrong of ["", "GET /notes", "GET /notes valid", "GET /notes other 1:2", "GET /notes valid 1:"]) {
    assert.throws(
      () => randomnessOf({ KIT_TEST_RUNS: "1", KIT_TEST_SEED: "1", KIT_TEST_REPLAY: wrong }),
      /`--replay .*` is not valid/,
      wrong,
    );
  }
});

test("prints a request as a curl command from which a shell gets the same values", () => {
  const text = JSON.stringify({ title: `it's "$HOME" \`date\` \\ !\n` });
  const line = curlOf({
    method: "POST",
    target: "/notes?q=a%20b",
    headers: { authorization: "Bearer o'hara", "content-type": "application/json" },
    text,
  });
  assert.ok(!line.includes("\n"));
  const { stdout } = spawnSync("sh", ["-c", line.replace("curl", "printf '%s\\n'")], { encoding: "utf8" });
  assert.deepEqual(stdout.trimEnd().split("\n"), [
    "-i",
    "http://localhost:3000/notes?q=a%20b",
    "-H",
    "authorization: Bearer o'hara",
    "-H",
    "content-type: application/json",
    "--data-raw",
    text,
  ]);
  assert.equal(curlOf({ method: "GET", target: "/", headers: {} }), "curl -i 'http://localhost:3000/'");
  assert.match(curlOf({ method: "DELETE", target: "/", headers: {} }), /^curl -i -X DELETE /);
  const long = curlOf({ method: "PUT", target: "/", headers: {}, text: "a".repeat(9000) });
  assert.match(
    long,
    /^curl -i -X PUT .* --data-binary @body\.json {2}# the body has 9000 characters, beginning with a+$/,
  );
});

test("the message of a failed test shows its request", () => {
  const answer: TestResponse = { status: 500, headers: new Headers(), text: "oops", body: undefined };
  remember(answer, { method: "GET", target: "/notes", headers: {} });
  assert.throws(() => fail("it failed", answer), {
    message: "it failed\ncurl -i 'http://localhost:3000/notes'\nanswered: 500 oops",
  });
});
