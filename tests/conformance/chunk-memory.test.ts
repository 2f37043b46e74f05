// Tests that a body in tiny chunks needs little memory on every server on Node, before the client has sent all of it.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { memoryInUse, steadyHeap } from "../../packages/core/test/support/steady-heap.ts";
import { serve } from "../../packages/server-node/test/support.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();
steadyHeap();

const mebibyte = 1024 * 1024;
/** Number of bytes of the text in the body. Without shared memory, they would need more than 128 MiB. */
const count = mebibyte / 4;
const head = "POST /notes HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\n";
/** Milliseconds in which a server must have read what it was sent. */
const patienceMs = 20_000;

notInRust("the memory of small chunks", "a Rust server copies all chunks into one buffer");
for (const [name, make] of servers) {
  test(`${name}: a body in chunks of one byte needs less than 64 MiB`, async (t) => {
    await using app = await serve(make());
    const client = connect(app.port, "127.0.0.1");
    const answer = client.toArray();
    const before = memoryInUse();
    client.write(`${head}transfer-encoding: chunked\r\n\r\n9\r\n{"text":"\r\n`);
    const piece = "1\r\nx\r\n".repeat(1024);
    for (let sent = 0; sent < count; sent += 1024) {
      if (!client.write(piece)) await once(client, "drain");
    }
    // The memory grows until the server has read everything.
    let [last, most] = [0, 0];
    for (const end = performance.now() + patienceMs; performance.now() < end;) {
      await sleep(100);
      const growth = (memoryInUse() - before) / mebibyte;
      most = Math.max(most, growth);
      if (client.writableLength === 0 && Math.abs(growth - last) < 1) break;
      last = growth;
    }
    t.diagnostic(`${most.toFixed(1)} MiB more`);
    client.write('2\r\n"}\r\n0\r\n\r\n');
    const text = Buffer.concat(await answer).toString("latin1");
    assert.match(text, /^HTTP\/1\.1 201 /);
    assert.ok(text.includes("x".repeat(count)), "the response has all bytes of the body");
    assert.ok(most < 64, `${most} MiB`);
  });
}
