import assert from "node:assert/strict";
import { test } from "node:test";

import { ResponseHeaders } from "../src/request/response-headers.ts";

test("each response checks the names of its headers, also names that earlier responses have set", () => {
  for (let round = 0; round < 2; round += 1) {
    const headers = new ResponseHeaders();
    headers.set("X-Name", "1");
    headers.set("x-name", "2");
    assert.deepEqual(headers.list, ["x-name", "2"]);
    for (const name of ["Connection", "content-length", "a b", "", undefined as unknown as string]) {
      assert.throws(() => headers.set(name, "1"), TypeError, name);
    }
  }
});

test("an application may set more names than are kept", () => {
  const headers = new ResponseHeaders();
  for (let number = 0; number < 300; number += 1) headers.set(`X-${number}`, "1");
  assert.equal(headers.get("x-299"), "1");
  assert.equal(headers.list?.length, 600);
});
