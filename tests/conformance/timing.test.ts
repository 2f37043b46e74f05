// Tests the timeouts of every server: for clients that are slow to send, to read or to begin a request, and for
// a slow application.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { columns, type Served } from "./columns.ts";

/** Timeouts in milliseconds. They differ enough to be told apart on a busy machine. */
const headersTimeoutMs = 400;
const bodyTimeoutMs = 800;
const keepAliveTimeoutMs = 600;
const requestTimeoutMs = 500;
/** Maximum delay of a timeout in milliseconds. Some servers check their timeouts only once per second. */
const latenessMs = 2500;

quietStdout();

interface Ended {
  readonly text: string;
  readonly afterMs: number;
}

/** Sends bytes and measures the time until the server closes the connection. */
async function until(port: number, bytes: string): Promise<Ended> {
  const start = performance.now();
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  const text = Buffer.concat(await socket.toArray()).toString();
  return { text, afterMs: performance.now() - start };
}

/** Waits until the application has reported an aborted request. A server in Rust reports by its log, which arrives after the response. */
async function reported(app: Served): Promise<void> {
  const deadline = performance.now() + latenessMs;
  while (app.aborted().length === 0 && performance.now() < deadline) await sleep(10);
}

function assertWithin(afterMs: number, leastMs: number): void {
  // A timer may fire slightly early.
  assert.ok(afterMs > leastMs - 50 && afterMs < leastMs + latenessMs, `after ${afterMs.toFixed(0)} ms`);
}

function assertEnvelope(text: string, status: number, code: string): void {
  assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
  const { error } = JSON.parse(text.slice(text.indexOf("\r\n\r\n"))) as { error: Record<string, string> };
  assert.equal(error["code"], code);
  assert.match(error["traceId"]!, /^[0-9a-f]{32}$/);
}

const head = "HTTP/1.1\r\nhost: a\r\n";
const json = "content-type: application/json\r\n";

for (const { name, serve } of columns) {
  describe(name, { concurrency: true }, () => {
    let app: Served;
    before(async () => {
      app = await serve({
        bodyBytes: 65_536,
        headersTimeoutMs,
        bodyTimeoutMs,
        keepAliveTimeoutMs,
        requestTimeoutMs,
      });
    });
    after(() => app[Symbol.asyncDispose]());

    test("responds with 408 if the head of a request does not end", async () => {
      const { text, afterMs } = await until(app.port, `GET /files/a ${head}`);
      assertEnvelope(text, 408, "REQUEST_TIMEOUT");
      assertWithin(afterMs, headersTimeoutMs);
    });

    test("responds with 408 if the body of a request does not end", async () => {
      for (const framing of ["content-length: 12", "transfer-encoding: chunked"]) {
        const { text, afterMs } = await until(app.port, `POST /notes ${head}${json}${framing}\r\n\r\n`);
        assertEnvelope(text, 408, "REQUEST_TIMEOUT");
        assertWithin(afterMs, bodyTimeoutMs);
      }
    });

    test("closes an idle connection without a response", async () => {
      const { text, afterMs } = await until(app.port, `GET /files/a ${head}\r\n`);
      assert.match(text, /^HTTP\/1\.1 200 [^]*\r\n\r\n\{"route":"file","value":"a"\}$/);
      assertWithin(afterMs, keepAliveTimeoutMs);
    });

    test("closes a connection on which nothing was sent after the time for a head", async () => {
      await using patient = await serve({ bodyBytes: 65_536, headersTimeoutMs, keepAliveTimeoutMs: 20_000 });
      const { text, afterMs } = await until(patient.port, "");
      assert.equal(text, "");
      assertWithin(afterMs, headersTimeoutMs);
    });

    test("does not close a connection that is in use", async () => {
      const socket = connect(app.port, "127.0.0.1");
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      const closed = new Promise((resolve) => socket.once("close", resolve));
      const request = `GET /files/a ${head}\r\n`;
      // All requests together take longer than any of the timeouts.
      for (let count = 0; count < 5; count += 1) {
        socket.write(request);
        await sleep(keepAliveTimeoutMs / 2);
      }
      assert.equal(text.match(/HTTP\/1\.1 200 /g)?.length, 5, text);
      await closed;
    });

    test("responds with 503 if the application is too slow, aborts the request, and serves other requests", async () => {
      const { text, afterMs } = await until(app.port, `GET /endless ${head}connection: close\r\n\r\n`);
      assertEnvelope(text, 503, "REQUEST_TIMEOUT");
      assertWithin(afterMs, requestTimeoutMs);
      await reported(app);
      assert.deepEqual(app.aborted(), ["REQUEST_TIMEOUT"]);
      // The same connection then serves the next request.
      const both = await until(
        app.port,
        `GET /endless ${head}\r\nGET /files/b ${head}connection: close\r\n\r\n`,
      );
      assert.match(both.text, /^HTTP\/1\.1 503 [^]*HTTP\/1\.1 200 [^]*"value":"b"\}$/);
    });
  });
}
