// Tests the phases of a request that every server and `app.fetch` report, in order. The cases are in
// conformance/http-phases.json.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { type AppOptions, createApp, type LifecycleTrace } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { send } from "./answer.ts";
import { optionsOf, serve } from "./application.ts";
import type { Case } from "./case.ts";
import { requestOf } from "./fetch-request.ts";
import { isRust, notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

interface PhaseCase extends Pick<Case, "name" | "request"> {
  readonly phases: readonly string[];
}

const file = new URL("../../conformance/http-phases.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: readonly PhaseCase[] };

quietStdout();

const bodyBytes = 65_536;

/** Formats the phases of a request as in the cases: `validation:body fail`, `response 201`, or only the name. */
function written({ lifecycle }: LifecycleTrace): string[] {
  return lifecycle.map(({ phase, result, status }) => [phase, result, status].filter(Boolean).join(" "));
}

notInRust("phases", "a Rust server has no plugins to tell them to");

/** Application that receives the requests of the cases. */
interface Target extends AsyncDisposable {
  send(one: PhaseCase): Promise<unknown>;
}

type Plugins = NonNullable<AppOptions["plugins"]>;

/** Server, or `app.fetch`, that runs the cases. */
interface Column {
  readonly name: string;
  readonly canSend: (one: PhaseCase) => boolean;
  readonly start: (plugins: Plugins) => Promise<Target>;
}

const columns: readonly Column[] = [
  ...servers.map(([name, make]) => ({
    name,
    canSend: () => true,
    start: async (plugins: Plugins): Promise<Target> => {
      const app = await serve(make(), bodyBytes, { plugins });
      return {
        send: (one) => send(app.port, { ...one, status: 0 }),
        [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
      };
    },
  })),
  {
    name: "fetch",
    canSend: (one) => requestOf(one) !== undefined,
    start: (plugins) => {
      const app = createApp({ ...optionsOf(bodyBytes), plugins });
      return Promise.resolve({
        send: async (one) => (await app.fetch(requestOf(one)!)).arrayBuffer(),
        [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }),
      });
    },
  },
];

for (const { name, canSend, start } of isRust ? [] : columns) {
  describe(name, () => {
    const traces: LifecycleTrace[] = [];
    const possible = cases.filter(canSend);
    let app: Target;
    before(async () => {
      app = await start([
        { name: "phases", onLifecycle: (trace: LifecycleTrace) => void traces.push(trace) },
      ]);
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of possible) {
      test(one.name, async () => {
        traces.length = 0;
        await app.send(one);
        assert.equal(traces.length, 1);
        const [trace] = traces as [LifecycleTrace];
        assert.deepEqual(written(trace), one.phases);
        assert.match(trace.traceId, /^[0-9a-f]{32}$/);
        const times = trace.lifecycle.map(({ timestamp }) => timestamp);
        assert.deepEqual(times, times.toSorted());
        assert.ok(trace.totalMs >= 0 && trace.lifecycle.every(({ durationMs }) => durationMs >= 0));
      });
    }
    test("most cases of the conformance file can be sent to this server", () => {
      assert.ok(possible.length > cases.length * 0.8, `${possible.length} of ${cases.length}`);
    });
  });
}
