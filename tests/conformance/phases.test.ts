// Tests the phases of a request that every server reports, in order. The cases are in
// conformance/http-phases.json.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import type { LifecycleTrace } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { send } from "./answer.ts";
import { serve, type Served } from "./application.ts";
import type { Case } from "./case.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

interface PhaseCase extends Pick<Case, "name" | "request"> {
  readonly phases: readonly string[];
}

const file = new URL("../../conformance/http-phases.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: readonly PhaseCase[] };

quietStdout();

/** Formats the phases of a request as in the cases: `validation:body fail`, `response 201`, or only the name. */
function written({ lifecycle }: LifecycleTrace): string[] {
  return lifecycle.map(({ phase, result, status }) => [phase, result, status].filter(Boolean).join(" "));
}

notInRust("phases", "a Rust server has no plugins to tell them to");

for (const [name, make] of servers) {
  describe(name, () => {
    const traces: LifecycleTrace[] = [];
    let app: Served;
    before(async () => {
      const plugins = [{ name: "phases", onLifecycle: (trace: LifecycleTrace) => void traces.push(trace) }];
      app = await serve(make(), 65_536, { plugins });
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) {
      test(one.name, async () => {
        traces.length = 0;
        await send(app.port, { ...one, status: 0 });
        assert.equal(traces.length, 1);
        const [trace] = traces as [LifecycleTrace];
        assert.deepEqual(written(trace), one.phases);
        assert.match(trace.traceId, /^[0-9a-f]{32}$/);
        const times = trace.lifecycle.map(({ timestamp }) => timestamp);
        assert.deepEqual(times, times.toSorted());
        assert.ok(trace.totalMs >= 0 && trace.lifecycle.every(({ durationMs }) => durationMs >= 0));
      });
    }
  });
}
