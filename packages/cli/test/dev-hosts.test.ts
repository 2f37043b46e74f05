// Tests that `kit dev` is reachable only from this machine, and not under the host name of another site.

import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";

import { acceptsHost } from "../src/dev/allowed-hosts.ts";
import { app, sendRequest, Dev } from "./support/dev.ts";

const skip = process.platform === "win32" && "sockets cannot be passed on there";
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

/** Application that specifies no address in its call of `listen`. */
const plain = app("here").replace(', host: "127.0.0.1"', "");

test("an application without an address listens on loopback only", { skip }, async (t) => {
  const dev = await Dev.start(t, plain);
  const url = await dev.url();
  assert.match(url, /^http:\/\/localhost:\d+$/);
  const { port } = new URL(url);
  await dev.serves(`http://127.0.0.1:${port}`, "here");
  for (const path of ["/notes/1", "/__kit/build", "/docs", "/nowhere"]) {
    const answer = await sendRequest(`http://127.0.0.1:${port}${path}`, { host: `rebound.example:${port}` });
    assert.equal(answer.status, 403, path);
    assert.equal((JSON.parse(answer.text) as { error: { code: string } }).error.code, "HOST_NOT_ALLOWED");
  }
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, "notes.localhost"])
    assert.equal((await sendRequest(`http://127.0.0.1:${port}/notes/1`, { host })).status, 200, host);
  if (outside === undefined) return t.diagnostic("this machine has no address but loopback");
  await assert.rejects(sendRequest(`http://${outside}:${port}/notes/1`), /ECONNREFUSED/);
});

test("listens on the address of --host, and accepts the host name of --allow-host", { skip }, async (t) => {
  const dev = await Dev.start(t, app("open"), [
    "--no-db",
    "--host",
    "0.0.0.0",
    "--allow-host",
    "My-Machine.example",
  ]);
  const { port } = new URL(await dev.url());
  await dev.serves(`http://${outside ?? "127.0.0.1"}:${port}`, "open");
  const from = async (host: string): Promise<number> =>
    (await sendRequest(`http://127.0.0.1:${port}/notes/1`, { host })).status;
  assert.equal(await from(`my-machine.example:${port}`), 200);
  assert.equal(await from("other.example"), 403);
});

test("accepts a Host header with an IP address, a name of localhost or an allowed name", () => {
  const accepted = ["localhost", "LOCALHOST:1", "a.localhost:3000", "localhost.", "127.0.0.1:80", "10.1.2.3"];
  for (const host of [...accepted, "[::1]:3000", "[fe80::1]", "a.example:1", "A.EXAMPLE", undefined])
    assert.equal(acceptsHost(host, ["a.example"]), true, host);
  for (const host of [
    "",
    "b.example",
    "a.example.b.example",
    "localhost.example",
    "127.0.0.1.example",
    "2130706433",
    "0x7f.1",
    "localhost:80:80",
    "localhost@b.example",
    "[::1]b.example",
    "::1",
    "[a.example]",
  ])
    assert.equal(acceptsHost(host, ["a.example"]), false, host);
});
