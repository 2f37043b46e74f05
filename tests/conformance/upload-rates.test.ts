// Tests of the minimum rate that single routes set for request bodies in chunks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { createApp } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { bodyOptions } from "./bodies-application.ts";
import { begin, end } from "./hostile-uploads.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { open } from "./uploads.ts";

quietStdout();

notInRust("minimum rates of single routes", "rust-uploads.test.ts tests the Rust server");

test("a minimum rate of a route is refused if it is invalid, or if the handler does not read in chunks", async () => {
  const [first] = servers;
  if (first === undefined) return;
  const start = async (route: string, bodyMinBytesPerSecond: number): Promise<unknown> => {
    const on = { [route]: { bodyMinBytesPerSecond } };
    return createApp({ ...bodyOptions({}, on), server: first[1]() }).listen({ port: 0 });
  };
  await assert.rejects(
    start("POST /photos", 1),
    /bodyMinBytesPerSecond of POST \/photos needs a request body that the handler reads while it arrives/,
  );
  for (const rate of [-1, 0.5, Number.NaN, 2 ** 31])
    await assert.rejects(
      start("POST /avatars", rate),
      /bodyMinBytesPerSecond must be a whole number of bytes/,
    );
});

for (const [name, make] of servers) {
  test(`the minimum rate of a route replaces that of the server: ${name}`, async () => {
    const on = { "POST /avatars": { bodyMinBytesPerSecond: 0 } };
    const server = make({ bodyIdleTimeoutMs: 400, bodyMinBytesPerSecond: 100_000 });
    const app = createApp({ ...bodyOptions({}, on), server });
    const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
    const body = `${begin}${"x".repeat(12)}${end}`;
    const send = async (path: string): Promise<string> => {
      const type = "content-type: multipart/form-data; boundary=b\r\nconnection: close";
      const length = `content-length: ${body.length}`;
      const client = await open(port, `POST ${path} HTTP/1.1\r\nhost: a\r\n${type}\r\n${length}\r\n\r\n`);
      for (let at = 0; at < body.length; at += 12) {
        await sleep(100);
        if (client.socket.writable) client.socket.write(body.slice(at, at + 12));
      }
      const text = await client.rest();
      client.socket.destroy();
      return text;
    };
    const [own, other] = await Promise.all([send("/avatars"), send("/videos")]);
    assert.match(own, /^HTTP\/1\.1 204 [^]*x-received: .*xxxxxxxxxxxx/i);
    assert.match(other, /^HTTP\/1\.1 408 /);
    await app.close({ graceMs: 0 });
  });
}
