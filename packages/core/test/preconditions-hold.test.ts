import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { defineWrapper, preconditionsHold } from "@kit/core";
import type { CompiledRoute } from "@kit/types";

import { responseOf, route } from "./support/compiled.ts";
import { serve } from "./support/serve.ts";

const time = new Date("2026-01-02T03:04:05.678Z");

function holds(
  method: string,
  headers: Record<string, string>,
  current: Parameters<typeof preconditionsHold>[1],
) {
  return preconditionsHold({ method, headers }, current);
}

describe("preconditionsHold", () => {
  it("compares if-match strongly, and fails if nothing is stored", () => {
    assert.equal(holds("PUT", { "if-match": '"1", "2"' }, { tag: '"2"' }), true);
    assert.equal(holds("PUT", { "if-match": '"1"' }, { tag: '"2"' }), false);
    assert.equal(holds("PUT", { "if-match": 'W/"2"' }, { tag: 'W/"2"' }), false);
    assert.equal(holds("PUT", { "if-match": "*" }, { tag: '"2"' }), true);
    assert.equal(holds("PUT", { "if-match": "*" }, null), false);
  });

  it("returns false for if-none-match: * if something is stored", () => {
    assert.equal(holds("PUT", { "if-none-match": "*" }, null), true);
    assert.equal(holds("PUT", { "if-none-match": "*" }, {}), false);
  });

  it("compares if-unmodified-since in whole seconds", () => {
    const headers = { "if-unmodified-since": "Fri, 02 Jan 2026 03:04:05 GMT" };
    assert.equal(holds("DELETE", headers, { lastModified: time }), true);
    assert.equal(holds("DELETE", headers, { lastModified: new Date(time.getTime() + 1000) }), false);
    assert.equal(holds("DELETE", headers, {}), true);
  });

  it("returns true for a request without preconditions", () =>
    assert.equal(holds("PUT", {}, { tag: '"1"' }), true));

  it("accepts the input of a wrapper, which can skip the handler if the result is false", async () => {
    const note: CompiledRoute = {
      ...route("PUT /note", { response: responseOf("Note", { version: "number" }) }),
      middleware: ["unchanged"],
      wrappers: { unchanged: {} },
    };
    let version = 1;
    const unchanged = defineWrapper((input, next) =>
      preconditionsHold(input, { tag: `"${version}"` }) ? next() : input.ctx.fail(412, "CHANGED", "changed"),
    );
    const { send } = await serve([[note, () => ({ version: (version += 1) })]], {
      middleware: [{ name: "unchanged", middleware: unchanged, priority: 0 }],
    });
    const statuses: number[] = [];
    for (const tag of ['"1"', '"1"', '"2"']) {
      const { status } = await send("PUT /note", { headers: { "if-match": tag } });
      statuses.push(status);
    }
    assert.deepEqual([statuses, version], [[200, 412, 200], 3]);
  });
});
