// Tests of files that handlers read while the files arrive (`Upload` and `Uploads`), on every server: bodies in pieces,
// memory, speed of the handler, clients that disconnect, and hostile bodies. conformance/bodies.json has the rules.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { createApp, defineWrapper } from "@kit/core";
import type { ServerAdapter, Upload } from "@kit/types";

import program from "../../crates/kit-emit/tests/goldens/bodies/routes/index.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { memoryInUse, steadyHeap } from "../../packages/core/test/support/steady-heap.ts";
import { check } from "./answer.ts";
import type { Served } from "./application.ts";
import { bodyOptions, serveBodies } from "./bodies-application.ts";
import { bytesOf, readCases } from "./case.ts";
import { begin, end, hostile } from "./hostile-uploads.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { open } from "./uploads.ts";

quietStdout();
steadyHeap();
setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

const mebibyte = 1024 * 1024;
const size = (process.env["KIT_LONG"] === undefined ? 64 : 1024) * mebibyte;
const client = fileURLToPath(new URL("upload-client.ts", import.meta.url));
const cases = readCases("bodies").cases.filter(({ name }) => /^uploads?:/.test(name));

type Handle = (body: { readonly avatar?: Upload }) => unknown;

/** Application with the route `POST /avatars`. */
interface Avatars extends Served {
  readonly server: ServerAdapter;
}

async function serveAvatars(
  server: ServerAdapter,
  handle: Handle,
  middleware: readonly {
    readonly name: string;
    readonly priority: number;
    readonly middleware: unknown;
  }[] = [],
  requestTimeoutMs = 30_000,
): Promise<Avatars> {
  const handlers = {
    "POST /avatars": async ({ body, ctx }: { body: { avatar?: Upload }; ctx: { header: Function } }) => {
      ctx.header("x-received", String(await handle(body)));
    },
  };
  const names = middleware.map(({ name }) => name);
  const wrappers = names.includes("passing") ? { passing: {} } : {};
  const routes = program.routes.map((route) =>
    route.ref === "POST /avatars" ? { ...route, middleware: names, wrappers } : route,
  );
  const app = createApp({
    ...bodyOptions(handlers, {
      "POST /avatars": { limits: { bodyBytes: 2 ** 40 }, middleware, requestTimeoutMs },
    }),
    compiled: { ...program, routes },
    server,
  });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, server, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}

/** Returns the head of a request with a multipart body. The body has no length if `length` is left out. */
function head(length?: number): string {
  const framing = length === undefined ? "transfer-encoding: chunked" : `content-length: ${length}`;
  return `POST /avatars HTTP/1.1\r\nhost: a\r\ncontent-type: multipart/form-data; boundary=b\r\n${framing}\r\n\r\n`;
}

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** Returns the number of bytes that the program keeps. */
async function kept(): Promise<number> {
  gc();
  // Buffers are freed after the first collection.
  await sleep(20);
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function count({ avatar }: { readonly avatar?: Upload }): Promise<number> {
  let bytes = 0;
  for await (const chunk of avatar ?? []) bytes += chunk.length;
  return bytes;
}

async function waitFor(holds: () => boolean, what: string): Promise<void> {
  const last = performance.now() + 10_000;
  while (!holds()) {
    assert.ok(performance.now() < last, what);
    await sleep(5);
  }
}

/** Sends the body of each case in pieces. */
function testInPieces(name: string, start: () => Promise<Served>): void {
  describe(`${name}: every case in pieces`, { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      app = await start();
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) {
      test(one.name, async () => {
        const bytes = bytesOf(one);
        const body = bytes.indexOf("\r\n\r\n") + 4;
        const { socket, rest } = await open(app.port, bytes.subarray(0, body));
        // The client of the case reads the response only after its last byte, so a reset would lose the response.
        for (let at = body; at < bytes.length && socket.writable; at += 11) {
          socket.write(bytes.subarray(at, at + 11));
          await sleep(1);
        }
        const text = await rest();
        socket.destroy();
        check(one, { bytes: Buffer.from(text, "latin1"), closed: true });
      });
    }
  });
}

if (isRust) testInPieces("rust", () => startRust("rust-server", { bodyBytes: mebibyte }));
for (const [name, make] of servers) {
  testInPieces(name, () => serveBodies(make()));

  describe(name, () => {
    for (const [speed, pause] of [
      ["reads fast", 0],
      ["reads slowly", 5],
    ] as const) {
      test(`an upload of any size needs at most 16 MiB more memory than an earlier one if the handler ${speed}`, async (t) => {
        let peak = 0;
        await using app = await serveAvatars(make(), async ({ avatar }) => {
          let [bytes, next] = [0, 0];
          peak = 0;
          for await (const chunk of avatar!) {
            bytes += chunk.length;
            if (bytes < next) continue;
            next += size / 64;
            peak = Math.max(peak, memoryInUse());
            if (pause > 0) await sleep(pause);
          }
          return bytes;
        });
        const upload = async (bytes: number): Promise<number> => {
          const argv = [client, app.port, bytes, 0, "/avatars", "avatar"].map(String);
          const { stdout } = await promisify(execFile)(process.execPath, argv);
          assert.match(stdout, new RegExp(`^HTTP/1\\.1 204 .*x-received: ${bytes}\r\n`, "is"));
          return peak;
        };
        await upload(16 * mebibyte);
        const used = memoryInUse();
        const growth = ((await upload(size)) - used) / mebibyte;
        t.diagnostic(`${size / mebibyte} MiB: ${growth.toFixed(1)} MiB more`);
        assert.ok(growth <= 16, `${growth} MiB`);
      });
    }

    test("stops reading from the client while the handler does not read", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const content = 64 * mebibyte;
      await using app = await serveAvatars(make(), async (body) => {
        await promise;
        return count(body);
      });
      const sender = await open(app.port, head(begin.length + content + end.length) + begin);
      sender.socket.write(Buffer.alloc(content, "x"));
      sender.socket.write(end);
      // Number of bytes that wait in this process because the socket is full.
      const { _handle: handle } = sender.socket as unknown as { _handle: { writeQueueSize: number } };
      for (let [last, equal] = [-1, 0]; equal < 5; equal = last === handle.writeQueueSize ? equal + 1 : 0) {
        last = handle.writeQueueSize;
        await sleep(50);
      }
      assert.ok(
        handle.writeQueueSize > content / 2,
        `only ${handle.writeQueueSize} bytes wait at the client`,
      );
      resolve();
      await sender.receives(`x-received: ${content}`);
      sender.socket.destroy();
    });

    test("keeps the connection if the handler has read the upload to its end", async () => {
      await using app = await serveAvatars(make(), count);
      const body = `${begin}abc${end}`;
      const request = head(body.length) + body;
      const sender = await open(app.port, request);
      await sender.receives("x-received: 3");
      sender.socket.write(request);
      await sender.receives("x-received: 3\r\n");
      await waitFor(() => sender.text().match(/HTTP\/1\.1 204/g)?.length === 2, sender.text());
      sender.socket.destroy();
    });

    test("responds with 503 if the parts before an upload do not arrive within the timeout of the request", async () => {
      let calls = 0;
      await using app = await serveAvatars(make(), () => (calls += 1), [], 200);
      const sender = await open(app.port, head(1000) + begin.slice(0, -4));
      assert.match(await sender.rest(), /^HTTP\/1\.1 503 .*"code":"REQUEST_TIMEOUT"/s);
      sender.socket.destroy();
      await waitFor(() => app.server.connections!() === 0, "the connection does not end");
      assert.equal(calls, 0);
    });

    test("responds before the end of an upload if the handler stops reading, and closes the connection", async () => {
      await using app = await serveAvatars(make(), async ({ avatar }) => {
        for await (const bytes of avatar!) return bytes.length;
        return 0;
      });
      const sender = await open(app.port, `${head(10 * mebibyte)}${begin}abc`);
      assert.match(await sender.rest(), /^HTTP\/1\.1 204 .*\r\nconnection: close\r\n/is);
      sender.socket.destroy();
    });

    test("waits for the start of an upload behind asynchronous middleware and wrappers", async () => {
      const waiting = { name: "waiting", priority: 1, middleware: () => sleep(5) };
      const passing = {
        name: "passing",
        priority: 2,
        middleware: defineWrapper(async (_input, next) => next()),
      };
      await using app = await serveAvatars(make(), count, [waiting]);
      await using wrapped = await serveAvatars(make(), count, [waiting, passing]);
      for (const [port, body, status] of [app.port, wrapped.port].flatMap((each) => [
        [each, `${begin}abc${end}`, 204] as const,
        [each, `${begin}abc--`, 400] as const,
        [each, "--b", 400] as const,
      ])) {
        const sender = await open(port, head(body.length));
        for (const piece of body.match(/.{1,9}/gs) ?? []) {
          await sleep(1);
          sender.socket.write(piece);
        }
        await sender.receives(`HTTP/1.1 ${status} `);
        sender.socket.destroy();
      }
    });

    test("has no open descriptors and no running handlers after clients disconnect at any position of the body", async (t) => {
      if (process.platform !== "linux") return t.skip("this system has no /proc/self/fd");
      const handlers = { begun: 0, ended: 0 };
      await using app = await serveAvatars(make(), async (body) => {
        handlers.begun += 1;
        try {
          return await count(body);
        } finally {
          handlers.ended += 1;
        }
      });
      const whole = `--b\r\nContent-Disposition: form-data; name="other"\r\n\r\n1\r\n${begin}${"x".repeat(100)}${end}`;
      const stop = async (at: number): Promise<void> => {
        const { socket } = await open(app.port, head(whole.length) + whole.slice(0, at));
        await sleep(10);
        if (at % 2 === 0) socket.destroy();
        else socket.resetAndDestroy();
      };
      await stop(whole.length - 20);
      const earlier = descriptors();
      for (let first = 0; first < whole.length; first += 40) {
        const last = Math.min(first + 40, whole.length);
        await Promise.all(Array.from({ length: last - first }, (_, index) => stop(first + index)));
      }
      const left = (): number => app.server.connections!() + handlers.begun - handlers.ended;
      await waitFor(() => left() === 0, "uploads or connections do not end");
      assert.ok(handlers.begun > 50, `${handlers.begun} handlers began`);
      await waitFor(() => descriptors() <= earlier, `${earlier} descriptors: ${descriptors()}`);
    });

    // The other servers receive bodies with the same code as the second server.
    const tested = name === "native" || name === "fallback" ? hostile : [];
    for (const [what, status, parts] of tested) {
      test(`responds with ${status} to ${what}, with little memory`, async (t) => {
        await using app = await serveAvatars(make(), count);
        const sender = await open(app.port, head());
        const earlier = await kept();
        let [sent, peak] = [0, 0];
        for (const part of parts()) {
          if (sender.ended() !== undefined || sender.text().includes("HTTP/1.1")) break;
          const isTaken = sender.socket.write(`${part.length.toString(16)}\r\n${part}\r\n`, "latin1");
          if (!isTaken)
            await waitFor(() => !sender.socket.writableNeedDrain || sender.ended() !== undefined, "no drain");
          sent += 1;
          if (sent % 200 === 0 && sent <= 1000) peak = Math.max(peak, (await kept()) - earlier);
        }
        if (sender.socket.writable) sender.socket.write("0\r\n\r\n");
        await sender.receives(`HTTP/1.1 ${status} `);
        sender.socket.destroy();
        t.diagnostic(`${(peak / mebibyte).toFixed(1)} MiB`);
        // Bodies have up to 64 MiB. Node frees the buffers of read chunks later, on another thread.
        assert.ok(peak < 24 * mebibyte, `${peak / mebibyte} MiB`);
      });
    }
  });
}
