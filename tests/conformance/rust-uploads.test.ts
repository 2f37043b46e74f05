// Tests of request bodies that handlers of the Rust server read while the bodies arrive: uploads and lines. The handlers are
// in rust-server/src/handlers/photos.rs. The long run (`KIT_LONG`) sends 1 GiB in place of 64 MiB.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import type { Settings } from "./columns.ts";
import { begin, end, hostile } from "./hostile-uploads.ts";
import { isRust, peakOf, type RustServed, startRust } from "./rust.ts";
import { type Client, open, piece } from "./uploads.ts";

const mebibyte = 1024 * 1024;
const size = (process.env["KIT_LONG"] === undefined ? 64 : 1024) * mebibyte;
const client = fileURLToPath(new URL("upload-client.ts", import.meta.url));
const multipart = "content-type: multipart/form-data; boundary=b";
const lines = "content-type: application/jsonl";
/** Start of a body for the route `POST /videos`, whose limit is that of the server. */
const video =
  "--b\r\ncontent-disposition: form-data; name=title\r\n\r\nSea\r\n" +
  "--b\r\ncontent-disposition: form-data; name=video; filename=a\r\ncontent-type: text/plain\r\n\r\n";
const book = '{"title":"Milk","pages":7,"printed":"2026-01-02T03:04:05Z"}\n';

/** Returns the head of a request. The body is in the chunked coding if `length` is left out. */
function head(target: string, type: string, length?: number, ...fields: readonly string[]): string {
  const framing = length === undefined ? "transfer-encoding: chunked" : `content-length: ${length}`;
  return [`POST ${target} HTTP/1.1`, "host: a", type, framing, ...fields, "\r\n"].join("\r\n");
}

/** Returns the head of an upload whose handler counts the bytes, in one of its ways. */
function avatar(length?: number, mode = "count"): string {
  return head("/avatars", multipart, length, `x-mode: ${mode}`);
}

async function serve(settings: Partial<Settings> = {}, bytesPerSecond?: number): Promise<RustServed> {
  const rate = bytesPerSecond === undefined ? {} : { BODY_MIN_BYTES_PER_SECOND: String(bytesPerSecond) };
  const all = { bodyBytes: 2 ** 30, requestTimeoutMs: 600_000, ...settings };
  return startRust("rust-server", all, "production", rate);
}

async function waitFor(holds: () => boolean, what: string, patienceMs = 10_000): Promise<void> {
  const last = performance.now() + patienceMs;
  while (!holds()) {
    assert.ok(performance.now() < last, what);
    await sleep(5);
  }
}

/** Sends bytes and waits until the system has taken them, or until the server has ended the connection. */
async function sendAll({ socket, ended }: Client, bytes: string | Buffer): Promise<void> {
  if (!socket.write(bytes, "latin1"))
    await waitFor(() => !socket.writableNeedDrain || ended() !== undefined, "no drain", 120_000);
}

const noProc = process.platform !== "linux" && "this system has no /proc";

describe(
  "request bodies that arrive at a Rust server",
  { skip: !isRust && "set KIT_E2E_SERVER=rust" },
  () => {
    for (const [mode, pauseMs] of [
      ["count", 0],
      ["slow", 0],
      ["count", 1],
    ] as const) {
      const speed = mode === "slow" ? "a slow handler" : pauseMs > 0 ? "a slow client" : "no pauses";
      test(`an upload of any size needs at most 32 MiB with ${speed}`, { skip: noProc }, async (t) => {
        await using app = await serve();
        const earlier = peakOf(app);
        const argv = [client, app.port, size, pauseMs, "/avatars", "avatar", mode].map(String);
        const { stdout } = await promisify(execFile)(process.execPath, argv);
        assert.match(stdout, new RegExp(`^HTTP/1\\.1 204 .*x-received: ${size}\r\n`, "is"));
        const growth = peakOf(app) - earlier;
        t.diagnostic(`${size / mebibyte} MiB: ${growth.toFixed(1)} MiB more`);
        assert.ok(growth <= 32, `${growth} MiB`);
      });
    }

    test("lines of any number need at most 32 MiB", { skip: noProc }, async (t) => {
      await using app = await serve();
      const earlier = peakOf(app);
      const sender = await open(app.port, head("/imports", lines));
      const part = book.repeat(1000);
      const count = Math.floor(size / 4 / part.length);
      for (let sent = 0; sent < count; sent += 1) await sendAll(sender, piece(part));
      sender.socket.write("0\r\n\r\n");
      await waitFor(() => sender.text().includes("imported"), sender.text(), 120_000);
      assert.match(sender.text(), new RegExp(`\\{"imported":${count * 7000}\\}$`));
      sender.socket.destroy();
      const growth = peakOf(app) - earlier;
      t.diagnostic(`${growth.toFixed(1)} MiB more`);
      assert.ok(growth <= 32, `${growth} MiB`);
    });

    test("stops reading from the client while the handler does not read", async () => {
      await using app = await serve();
      const content = 64 * mebibyte;
      const sender = await open(app.port, avatar(begin.length + content + end.length, "hold") + begin);
      sender.socket.write(Buffer.alloc(content, "x"));
      sender.socket.write(end);
      await sleep(1500);
      // Bytes that the operating system has not taken from this client.
      const { _handle: handle } = sender.socket as unknown as { _handle: { writeQueueSize: number } };
      assert.ok(
        handle.writeQueueSize > content / 2,
        `only ${handle.writeQueueSize} bytes wait at the client`,
      );
      await sender.receives(`x-received: ${content}`);
      sender.socket.destroy();
    });

    test("keeps the connection if the handler has read the upload to its end", async () => {
      await using app = await serve();
      const body = `${begin}abc${end}`;
      const sender = await open(app.port, avatar(body.length) + body);
      await sender.receives("x-received: 3");
      sender.socket.write(avatar(body.length) + body);
      await waitFor(() => sender.text().match(/HTTP\/1\.1 204/g)?.length === 2, sender.text());
      assert.doesNotMatch(sender.text(), /connection: close/i);
      sender.socket.destroy();
    });

    test("responds before the end of an upload if the handler stops reading, and closes the connection without a reset", async () => {
      await using app = await serve();
      const length = 8 * mebibyte;
      const sender = await open(app.port, `${avatar(length, "leave")}${begin}abc`);
      await sender.receives("x-received: 3");
      const part = Buffer.alloc(256 * 1024, "x");
      for (let sent = 0; sent < length / 2; sent += part.length) {
        sender.socket.write(part);
        await sleep(1);
      }
      sender.socket.end();
      assert.match(await sender.rest(), /^HTTP\/1\.1 204 .*\r\nconnection: close\r\n/is);
      assert.equal(sender.ended(), "end");
      sender.socket.destroy();
    });

    test("responds with 503 if the parts before an upload do not arrive within the timeout of the request", async () => {
      await using app = await serve({ requestTimeoutMs: 200 });
      const sender = await open(app.port, avatar(1000) + begin.slice(0, -4));
      assert.match(await sender.rest(), /^HTTP\/1\.1 503 .*"code":"REQUEST_TIMEOUT"/s);
      assert.doesNotMatch(app.log!(), /the upload begins/);
      sender.socket.destroy();
    });

    test("responds with 413 as soon as a body in chunks exceeds the limit", async () => {
      await using app = await serve({ bodyBytes: 1000 });
      for (const start of [
        head("/videos", multipart) + piece(video + "x".repeat(600)) + piece("y".repeat(600)),
        head("/imports", lines) + piece(book.repeat(10)) + piece(book.repeat(10)),
      ]) {
        const sender = await open(app.port, start);
        const text = await sender.receives('"code":"PAYLOAD_TOO_LARGE"');
        assert.match(text, /^HTTP\/1\.1 413 .*\r\nconnection: close\r\n.*"limit":1000/is);
        sender.socket.destroy();
      }
    });

    test("responds with 413 to a declared length above the limit, without 100 Continue", async () => {
      await using app = await serve({ bodyBytes: 1000 });
      const sender = await open(app.port, head("/videos", multipart, 1001, "expect: 100-continue"));
      assert.match(await sender.rest(), /^HTTP\/1\.1 413 /);
      sender.socket.destroy();
    });

    test("limits the time between two chunks of a body, but not the total time of a body", async () => {
      await using app = await serve({ bodyTimeoutMs: 400 }, 0);
      const body = `${begin}${"x".repeat(12)}${end}`;
      const sender = await open(app.port, avatar(body.length));
      for (let at = 0; at < body.length; at += 12) {
        await sleep(100);
        sender.socket.write(body.slice(at, at + 12));
      }
      await sender.receives("x-received: 12");
      sender.socket.write(`${avatar(body.length)}${begin}x`);
      const begun = performance.now();
      assert.match(await sender.rest(), /HTTP\/1\.1 408 [^]*REQUEST_TIMEOUT/);
      assert.ok(performance.now() - begun < 5000);
      sender.socket.destroy();
    });

    test("responds with 408 if a client sends more slowly than the minimum rate", async () => {
      await using app = await serve({ bodyTimeoutMs: 400 }, 1000);
      const sender = await open(app.port, `${avatar(100_000)}${begin}`);
      const begun = performance.now();
      // Each byte arrives long before the timeout.
      const sending = setInterval(() => sender.socket.write("x".repeat(10)), 50);
      const text = await sender.rest();
      clearInterval(sending);
      assert.match(text, /^HTTP\/1\.1 408 [^]*REQUEST_TIMEOUT/);
      assert.ok(performance.now() - begun > 350, `${performance.now() - begun} ms`);
      assert.ok(performance.now() - begun < 5000, `${performance.now() - begun} ms`);
      sender.socket.destroy();
    });

    test("the minimum rate of a route replaces that of the server", async () => {
      await using app = await serve({ bodyTimeoutMs: 400 }, 100_000);
      const part = begin.replace("avatar", "archives") + "x".repeat(12);
      const body = `${part}\r\n${part}${end}`;
      const sender = await open(app.port, head("/archives", multipart, body.length));
      for (let at = 0; at < body.length; at += 12) {
        await sleep(100);
        sender.socket.write(body.slice(at, at + 12));
      }
      await sender.receives("HTTP/1.1 204");
      sender.socket.destroy();
    });

    test("takes a body that arrives faster than the minimum rate", async () => {
      await using app = await serve({ bodyTimeoutMs: 400 }, 1000);
      const body = `${begin}${"x".repeat(4000)}${end}`;
      const sender = await open(app.port, avatar(body.length));
      for (let at = 0; at < body.length; at += 200) {
        sender.socket.write(body.slice(at, at + 200));
        await sleep(50);
      }
      await sender.receives("x-received: 4000");
      sender.socket.destroy();
    });

    test("does not count the time in which the handler reads nothing", async () => {
      await using app = await serve({ bodyTimeoutMs: 400 });
      const body = `${begin}abc${end}`;
      const sender = await open(app.port, `${avatar(body.length, "hold")}${begin}a`);
      await sleep(3200);
      sender.socket.write(`bc${end}`);
      await sender.receives("x-received: 3");
      sender.socket.destroy();
    });

    test("responds with 400 to a broken line before the client has sent the rest", async () => {
      await using app = await serve();
      const sender = await open(app.port, head("/imports", lines) + piece(`${book}{}\n`));
      const text = await sender.receives("$[1].title");
      assert.match(text, /^HTTP\/1\.1 400 .*\r\nconnection: close\r\n/is);
      sender.socket.destroy();
    });

    test(
      "has no open descriptors and no running handlers after clients disconnect at any position of the body",
      { skip: noProc },
      async () => {
        await using app = await serve();
        const descriptors = (): number => readdirSync(`/proc/${app.pid}/fd`).length;
        const times = (what: string): number => app.log!().split(what).length - 1;
        const whole = `--b\r\nContent-Disposition: form-data; name="other"\r\n\r\n1\r\n${begin}${"x".repeat(100)}${end}`;
        const stop = async (at: number): Promise<void> => {
          const { socket } = await open(app.port, avatar(whole.length) + whole.slice(0, at));
          await sleep(10);
          if (at % 2 === 0) socket.destroy();
          else socket.resetAndDestroy();
        };
        await stop(whole.length - 20);
        await waitFor(() => times("the upload is dropped") === 1, "the first upload does not end");
        const earlier = descriptors();
        for (let first = 0; first < whole.length; first += 40) {
          const last = Math.min(first + 40, whole.length);
          await Promise.all(Array.from({ length: last - first }, (_, index) => stop(first + index)));
        }
        await waitFor(() => descriptors() <= earlier, `${earlier} descriptors: ${descriptors()}`);
        const begun = times("the upload begins");
        assert.ok(begun > 50, `${begun} handlers began`);
        await waitFor(() => times("the upload is dropped") === begun, "uploads do not end");
      },
    );

    for (const [what, status, parts] of hostile) {
      test(`responds with ${status} to ${what}, with little memory`, { skip: noProc }, async (t) => {
        await using app = await serve();
        const sender = await open(app.port, avatar());
        const earlier = peakOf(app);
        for (const part of parts()) {
          if (sender.ended() !== undefined || sender.text().includes("HTTP/1.1")) break;
          await sendAll(sender, `${part.length.toString(16)}\r\n${part}\r\n`);
        }
        if (sender.socket.writable) sender.socket.write("0\r\n\r\n");
        await waitFor(() => sender.text().includes(`HTTP/1.1 ${status} `), sender.text(), 60_000);
        sender.socket.destroy();
        const growth = peakOf(app) - earlier;
        t.diagnostic(`${growth.toFixed(1)} MiB`);
        assert.ok(growth < 16, `${growth} MiB`);
      });
    }
  },
);
