// Tests `observe.onEnd`, with which plugins count requests.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { Plugin, PluginHost } from "@kit/core";
import { objectOf, paramsOf, responseOf, route } from "./support/compiled.ts";
import { json, serve, type Served } from "./support/serve.ts";

const thing = responseOf("Thing", { id: "string" });
const getThing = route("GET /things/:id", { params: paramsOf("Id", { id: "string" }), response: thing });
const postThing = route("POST /things", { body: objectOf("NewThing", { name: "string" }), response: thing });

const bad = (): never => {
  throw new Error("out of order");
};

async function watch(observe: Plugin["observe"] & object): Promise<Served & { readonly host: PluginHost }> {
  let host: PluginHost | undefined;
  const plugin: Plugin = { name: "watch", observe, onStart: (given) => void (host = given) };
  const served = await serve(
    [
      [getThing, ({ params }) => ({ id: params["id"] })],
      [postThing, bad],
    ],
    { plugins: [plugin], logLevel: "info" },
  );
  return { ...served, host: host! };
}

describe("observe.onEnd", () => {
  it("gets the end of each request, and nothing is recorded if it is the only function", async () => {
    const ends: (readonly [string | null, string, number])[] = [];
    const { send, host } = await watch({
      onEnd: (found, method, status, durationMs) => {
        assert.ok(durationMs >= 0 && durationMs < 60_000);
        ends.push([found, method, status]);
      },
    });
    await send("GET /things/7");
    await send("POST /things", json({ name: "a" }));
    await send("POST /things", json({}));
    await send("GET /nowhere");
    assert.deepEqual(ends, [
      ["GET /things/:id", "GET", 200],
      ["POST /things", "POST", 500],
      ["POST /things", "POST", 400],
      [null, "GET", 404],
    ]);
    assert.equal(host.requests, null);
  });

  it("gets requests beside observers that record them", async () => {
    let count = 0;
    const { send, host } = await watch({ onEnd: () => void (count += 1), capacity: 4 });
    await send("GET /things/7");
    assert.equal(count, 1);
    assert.equal(host.requests!.finishedCount, 1);
  });

  it("does not affect requests if it throws, and the error names the plugin", async () => {
    const { send, log } = await watch({ onEnd: bad });
    assert.equal((await send("GET /things/7")).status, 200);
    const failed = log.find(({ message }) => message === "A plugin failed");
    assert.match(JSON.stringify(failed), /observe\.onEnd of the plugin watch failed/);
  });
});

describe("a function of observe that is async", () => {
  for (const name of ["onEnd", "onResponse"] as const) {
    it(`does not end the process if the promise of ${name} rejects, and the log names the plugin`, async () => {
      // An unhandled rejection would fail this test.
      const { send, log } = await watch({ [name]: async () => bad() });
      assert.equal((await send("GET /things/7")).status, 200);
      await sleep(10);
      const failed = log.filter(({ message }) => message === "A plugin failed");
      assert.equal(failed.length, 1);
      assert.match(JSON.stringify(failed), new RegExp(`observe\\.${name} of the plugin watch failed`));
    });
  }

  for (const [end, isSampled] of [
    ["rejects", async () => bad()],
    ["resolves", async () => true],
  ] as const) {
    it(`does not sample a trace if the promise of isSampled ${end}, and the log has the reason`, async () => {
      const { send, host, log } = await watch({ isSampled: isSampled as never });
      assert.equal((await send("GET /things/7")).status, 200);
      assert.equal(host.requests!.recent({ limit: 1 })[0]!.isSampled, false);
      await sleep(10);
      const failed = log.filter(({ message }) => message === "A plugin failed");
      assert.equal(failed.length, 1);
      const text = JSON.stringify(failed);
      assert.match(
        text,
        /observe\.isSampled of the plugin watch failed.*must return true or false, not a promise/,
      );
    });
  }
});
