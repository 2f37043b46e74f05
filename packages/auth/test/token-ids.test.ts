import assert from "node:assert/strict";
import { test } from "node:test";

import { idOfToken, TokenIds } from "../src/sessions/token-ids.ts";

test("the ids of tokens are their hashes, also if more tokens were read than are kept", () => {
  const ids = new TokenIds();
  for (let round = 0; round < 2; round += 1) {
    for (let number = 0; number < 1500; number += 1) {
      const token = `token-${number}`;
      assert.equal(ids.of(token), idOfToken(token));
      assert.equal(ids.of("token-0"), idOfToken("token-0"));
    }
  }
});

test("the ids of the tokens that were read last are kept, and others are forgotten", () => {
  const hashed: string[] = [];
  const ids = new TokenIds(2, (token) => {
    hashed.push(token);
    return idOfToken(token);
  });
  for (const token of ["a", "a", "b", "a", "c", "d", "a", "b"]) ids.of(token);
  assert.deepEqual(hashed, ["a", "b", "c", "d", "b"]);
});
