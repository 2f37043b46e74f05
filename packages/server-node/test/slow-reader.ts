/** Test that every server on node:http limits its buffers for a client that does not read. */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { ServerAdapter } from "@kit/types";

import { sendRequest } from "./streams.ts";
import { serve } from "./support.ts";

/**
 * Registers the test for one server. For a client that does not read, the server may buffer 64 KiB and `chunks` chunks
 * of the handler's stream. A framework with its own queue for the body buffers one chunk more.
 */
export function testSlowReader(name: string, make: () => ServerAdapter, chunks = 1): void {
  test(`${name}: buffers at most 64 KiB and ${chunks} chunks for a client that does not read`, async (t) => {
    const limit = 64 * 1024;
    let socket: Socket | undefined;
    const onRequest = (message: unknown): void => void (socket = (message as { socket: Socket }).socket);
    subscribe("http.server.request.start", onRequest);
    t.after(() => unsubscribe("http.server.request.start", onRequest));
    for (const size of [1024, 16 * 1024, 256 * 1024]) {
      const chunk = Buffer.alloc(size, "kit");
      let sent = 0;
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (;;) {
          sent += size;
          yield chunk;
        }
      }
      await using app = await serve(make(), { get: (ctx) => ctx.send(endless()) });
      const response = await sendRequest(app.url);
      for (let [before, equal] = [-1, 0]; equal < 5; equal = before === sent ? equal + 1 : 0) {
        before = sent;
        await sleep(100);
      }
      // `writableLength` includes the bytes of a write of which the operating system has accepted only a part.
      const { bytesWritten, writableLength } = socket!;
      const accepted = bytesWritten - writableLength;
      const buffered = sent - accepted;
      t.diagnostic(`chunks of ${size}: ${Math.ceil(buffered / 1024)} KiB`);
      assert.ok(
        accepted > 0 && sent > limit + chunks * size,
        `${sent} bytes were sent, ${accepted} accepted`,
      );
      assert.ok(buffered <= limit + chunks * size, `chunks of ${size} bytes: ${buffered} bytes are buffered`);
      response.destroy();
    }
  });
}
