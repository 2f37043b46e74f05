// Behavior of the native server on node:http, and the conditions for this fallback.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { ServerAdapter, ServerRefusal } from "@kit/types";

import { testAdapter } from "../../server-node/test/contract.ts";
import { isFallbackWanted } from "../src/fallback.ts";
import { nativeServer, type NativeServerOptions } from "../src/index.ts";
import { json, raw, serve } from "./support.ts";

process.env["KIT_SERVER"] = "node";

const host = "Host: a\r\n";
const make = (options?: NativeServerOptions): ServerAdapter => nativeServer(options);

testAdapter("native", make);

/** Runs a function with `KIT_SERVER` set to `wanted` and `process.platform` set to `platform`, and restores both. */
function under<T>(wanted: string | undefined, platform: string, run: () => T): T {
  const { platform: own } = process;
  const before = process.env["KIT_SERVER"];
  if (wanted === undefined) delete process.env["KIT_SERVER"];
  else process.env["KIT_SERVER"] = wanted;
  Object.defineProperty(process, "platform", { value: platform });
  try {
    return run();
  } finally {
    process.env["KIT_SERVER"] = before;
    Object.defineProperty(process, "platform", { value: own });
  }
}

const wanted = (value: string | undefined, platform: string): boolean =>
  under(value, platform, isFallbackWanted);

test("KIT_SERVER selects the native server or node:http, and if it is not set, the platform decides", () => {
  assert.deepEqual(
    [undefined, "", "node", "native"].map((value) => wanted(value, "linux")),
    [false, false, true, false],
  );
  assert.deepEqual(
    [undefined, "", "node", "native"].map((value) => wanted(value, "win32")),
    [true, true, true, false],
  );
  assert.throws(() => wanted("hyper", "linux"), {
    name: "TypeError",
    message: /KIT_SERVER is "hyper"; set it to `node`/,
  });
});

test("the property `platform` tells if the server runs on node:http", () => {
  assert.equal(make().platform, "node:http");
  assert.match(under("native", process.platform, make).platform, /^hyper/);
});

test("listen rejects with a clear error if KIT_SERVER is native on a platform without an addon", async () => {
  const server = under("native", "win32", make);
  const listening = under("native", "win32", () => server.listen({} as never, { port: 0 }));
  await assert.rejects(listening, { code: "ERR_KIT_ADDON", message: /does not run on win32-.*KIT_SERVER/ });
});

test("warns if workers are requested and processes cannot share a port", async () => {
  const warned = once(process, "warning") as Promise<[Error]>;
  const serving = under("node", "win32", () => serve((exchange) => json(exchange, 1), { workers: 3 }));
  await using app = await serving;
  const [{ message }] = await warned;
  assert.match(message, /`workers` requests 3 processes, but node:http here supports one process only/);
  assert.equal((await fetch(`${app.url}/notes`)).status, 200);
});

test("closes a connection above the connection limit at once and reports this", async () => {
  const refusals: ServerRefusal[] = [];
  await using app = await serve((exchange) => json(exchange, 1), { maxConnections: 1 }, refusals);
  const { port } = app.address;
  const first = connect(port, "127.0.0.1");
  first.write(`GET /notes HTTP/1.1\r\n${host}\r\n`);
  await once(first, "data");
  assert.equal((app.server.getNativeServer() as { connections(): number }).connections(), 1);
  const second = connect(port, "127.0.0.1").on("error", () => undefined);
  await once(second, "close");
  assert.deepEqual(
    [second.bytesRead, refusals],
    [
      0,
      [
        {
          code: "CONNECTION_LIMIT",
          message:
            "the maximum number of connections (`maxConnections`) is open; the server closes new connections",
        },
      ],
    ],
  );
  first.destroy();
  await sleep(20);
  assert.match(await raw(port, `GET /notes HTTP/1.1\r\n${host}Connection: close\r\n\r\n`), /^HTTP\/1.1 200 /);
});

test("responds with 408 if the body takes longer than the body timeout, which starts at the end of the headers", async () => {
  const refusals: ServerRefusal[] = [];
  let handled = 0;
  const count = (): void => void (handled += 1);
  await using app = await serve(count, { bodyTimeoutMs: 100 }, refusals);
  for (const framing of ["Content-Length: 5", "Transfer-Encoding: chunked"]) {
    const start = performance.now();
    const answer = await raw(app.address.port, `POST /notes HTTP/1.1\r\n${host}${framing}\r\n\r\n`);
    assert.match(answer, /^HTTP\/1.1 408 [^]*"code":"REQUEST_TIMEOUT"/);
    assert.ok(performance.now() - start > 95, `after ${performance.now() - start} ms`);
  }
  assert.deepEqual([handled, refusals.map(({ status }) => status)], [0, [408, 408]]);
});

test("limits the bytes, time and number of clients whose input is discarded after a refusal", async () => {
  const options = { maxDiscardedBytes: 100_000, discardTimeoutMs: 150, maxDiscarding: 2 };
  await using app = await serve((exchange) => json(exchange, 1), options);
  const { connections } = app.server.getNativeServer() as { connections(): number };
  const refused = async (): Promise<ReturnType<typeof connect>> => {
    const socket = connect({ port: app.address.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined).on("data", () => undefined);
    socket.write("GET /notes HTTP/1.1\r\n\r\n");
    await once(socket, "data");
    return socket;
  };
  const settle = async (count: number): Promise<void> => {
    for (let left = 100; left > 0 && connections() !== count; left -= 1) await sleep(5);
    assert.equal(connections(), count);
  };
  // Maximum time without input.
  const silent = await refused();
  await settle(1);
  await settle(0);
  silent.destroy();
  // Maximum number of clients.
  const many = [await refused(), await refused(), await refused()];
  await settle(2);
  for (const socket of many) socket.destroy();
  await settle(0);
  // Maximum number of bytes, although no chunk is late.
  const noisy = await refused();
  const timer = setInterval(() => noisy.write(Buffer.alloc(20_000)), 5);
  await new Promise((resolve) => noisy.once("close", resolve));
  clearInterval(timer);
  await settle(0);
});
