// Calls routes with wrappers through their generated client, on kit's own server.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiReply } from "@kit/client";
import { nativeServer } from "@kit/server-native";

import { createClient, type Types } from "../../crates/kit-emit/tests/goldens/wrappers/client/index.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import type { Served } from "../conformance/application.ts";
import { serveWrappers } from "../conformance/wrappers-application.ts";

quietStdout();

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

describe("the client of routes with wrappers", () => {
  let app: Served;
  const api = (mode: string): ReturnType<typeof createClient> =>
    createClient({ baseUrl: `http://127.0.0.1:${app.port}`, headers: { "x-mode": mode }, retry: false });
  before(async () => {
    app = await serveWrappers(nativeServer());
  });
  after(() => app[Symbol.asyncDispose]());

  it("returns a reply of the contract with its status, also if the contract has a plain response", async () => {
    const reply = await api("").get("/reports/:id", { params: { id: 5 } });
    yes<
      Same<
        typeof reply,
        | ApiReply<200, Types.Report>
        | ApiReply<202, Types.Queued, Types.CachedReply202Headers>
        | ApiReply<304, undefined, Types.CachedReply304Headers>
      >
    >();
    assert.deepEqual([reply.status, reply.data], [200, { id: 5, isTimed: true }]);
  });

  it("returns a reply of a wrapper with its typed headers", async () => {
    const reply = await api("queue").post("/reports", { body: { title: "a" } });
    assert.ok(reply.status === 202);
    assert.deepEqual([reply.data, reply.headers["retry-after"]], [{ position: 3 }, 5]);
  });

  it("throws a failure of a wrapper with its typed details", async () => {
    const result = await api("limit")
      .get("/reports/:id", { params: { id: 5 } })
      .result();
    assert.ok(!result.ok && result.error.code === "LIMITED");
    const { limit } = result.error.details;
    yes<Same<typeof limit, number>>();
    assert.deepEqual([result.error.status, limit], [429, 3]);
  });

  it("returns the data alone if no wrapper of a route replies", async () => {
    const data = await api("").get("/plain");
    yes<Same<typeof data, Types.GetPlainResponse>>();
    assert.deepEqual(data, { free: true });
  });
});
