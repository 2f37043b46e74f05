import assert from "node:assert/strict";
import { test } from "node:test";

import { type AppListenOptions, createApp } from "@kit/core";

import { compiled } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";

test("listen refuses invalid options before it starts the plugins", async () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{}, /`port` must be an integer from 0 to 65535, not undefined/],
    [{ port: 65_536 }, /not 65536/],
    [{ port: "80" }, /not 80/],
    [{ path: "" }, /`path` must be the path of a Unix socket, not ""/],
    [{ path: "a\0b" }, /`path` must be/],
    [{ path: 5 }, /`path` must be .*, not 5/],
  ];
  for (const [options, message] of wrong) {
    const server = new MemoryServer();
    const app = createApp({ server, routes: [], compiled: compiled(), signals: false });
    await assert.rejects(app.listen(options as AppListenOptions), { message });
    assert.deepEqual(server.calls, []);
  }
});

test("listen refuses a Unix socket if the server adapter does not support it, and closes the server", async () => {
  const server = new MemoryServer();
  const app = createApp({ server, routes: [], compiled: compiled(), signals: false });
  await assert.rejects(app.listen({ path: "/run/app.sock" }), {
    message: "listen: the server adapter `memory` cannot listen on a Unix socket",
  });
  assert.deepEqual(server.calls, ["listen 0", "close 0"]);
});
