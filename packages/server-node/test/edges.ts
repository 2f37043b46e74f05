/** Tests of adapters on node:http without an application: refused requests, clients that do not read, Unix sockets. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { ListenOptions, ServerAdapter, ServerExchange, ServerRefusal, ServerService } from "@kit/types";

import type { HttpTimeouts } from "../src/index.ts";
import { raw } from "./support.ts";

const MIB = 1024 * 1024;
const local: ListenOptions = { port: 0, host: "127.0.0.1" };

interface Bare extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly refusals: readonly ServerRefusal[];
}

/** Starts a server that passes each request to the given function instead of to an application. */
async function bare(
  server: ServerAdapter,
  handle: (exchange: ServerExchange) => void = (exchange) => exchange.respond(200, "text/plain", "hi", null),
  where: ListenOptions = local,
): Promise<Bare> {
  const refusals: ServerRefusal[] = [];
  const service: ServerService = {
    tree: { root: { segment: "", children: [] } } as unknown as ServerService["tree"],
    routes: [],
    limits: { bodyBytes: MIB },
    handle,
    fail: () => undefined,
    logRefusal: (refusal) => void refusals.push(refusal),
  };
  const { port, url } = await server.listen(service, where);
  return { port, url, refusals, [Symbol.asyncDispose]: () => server.close({ graceMs: 0 }) };
}

/** Reads a response with a pause before each chunk. Returns the number of bytes received. */
async function readSlowly(port: number, pauseMs: () => number): Promise<number> {
  const socket: Socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write("GET /notes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  socket.on("data", () => {
    socket.pause();
    setTimeout(() => socket.resume(), pauseMs());
  });
  await once(socket, "close");
  return socket.bytesRead;
}

/** Registers the tests of one adapter. */
export function testEdges(name: string, make: (options?: HttpTimeouts) => ServerAdapter): void {
  test(`${name}: logs each refusal with the status and code that the client received`, async () => {
    await using app = await bare(make({ headersTimeoutMs: 200 }));
    const host = "Host: a\r\n";
    const cases: readonly [request: string, status: number, code: string, message: string][] = [
      ["GET / HTTP/1.1\r\n\r\n", 400, "BAD_REQUEST", "the header `host` is missing"],
      ["noise\r\n\r\n", 400, "BAD_REQUEST", "the request is not valid HTTP"],
      ["GET / HT", 408, "REQUEST_TIMEOUT", "the request was not received in time"],
      [
        `GET /${"a".repeat(9000)} HTTP/1.1\r\n${host}\r\n`,
        414,
        "URI_TOO_LONG",
        "the request target is too long",
      ],
      [
        `GET / HTTP/1.1\r\n${host}Expect: miracles\r\n\r\n`,
        417,
        "EXPECTATION_FAILED",
        "only the expectation `100-continue` is supported",
      ],
      [
        `GET / HTTP/1.1\r\n${host}x: ${"a".repeat(20_000)}\r\n\r\n`,
        431,
        "REQUEST_HEADER_FIELDS_TOO_LARGE",
        "the request's header fields are too large or too many",
      ],
      [`CONNECT a:1 HTTP/1.1\r\n${host}\r\n`, 501, "NOT_IMPLEMENTED", "this server is not a proxy"],
    ];
    for (const [request, status, code, message] of cases) {
      const before = app.refusals.length;
      const [head = "", body = ""] = (await raw(app.port, request)).split("\r\n\r\n");
      assert.equal(head.slice(9, 12), `${status}`, request.slice(0, 60));
      const { traceId } = (JSON.parse(body) as { error: { traceId: string } }).error;
      assert.deepEqual(app.refusals.slice(before), [
        { status, code, message, traceId, remoteAddress: "127.0.0.1" },
      ]);
    }
  });

  test(`${name}: sends no response to a client that sent nothing`, async () => {
    await using app = await bare(make({ headersTimeoutMs: 200 }));
    assert.deepEqual([await raw(app.port, ""), app.refusals], ["", []]);
  });

  test(`${name}: cuts the connection of a client that stops reading`, async () => {
    const body = Buffer.alloc(32 * MIB, "a");
    const respond = (exchange: ServerExchange): void => exchange.respond(200, "text/plain", body, null);
    await using app = await bare(make({ writeTimeoutMs: 200 }), respond);
    const start = performance.now();
    let pause = 1500;
    const read = await readSlowly(app.port, () => {
      const now = pause;
      pause = 0;
      return now;
    });
    assert.ok(read > 0 && read < body.length, `${read} bytes after ${performance.now() - start} ms`);
    assert.match(await raw(app.port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), /a$/);
  });

  test(`${name}: serves the complete response to a client that reads slowly`, async () => {
    const body = Buffer.alloc(16 * MIB, "a");
    const respond = (exchange: ServerExchange): void => exchange.respond(200, "text/plain", body, null);
    await using app = await bare(make({ writeTimeoutMs: 1000 }), respond);
    const start = performance.now();
    const read = await readSlowly(app.port, () => 8);
    assert.ok(read > body.length, `${read} bytes`);
    assert.ok(performance.now() - start > 1000, "it was too fast; the test shows nothing");
  });

  test(`${name}: listens on a Unix socket`, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "kit-unix-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const path = join(directory, "app.sock");
    const sendRequest = async (): Promise<string> => {
      const socket = connect(path);
      socket.write("GET /notes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      return Buffer.concat(await socket.toArray()).toString();
    };
    {
      await using app = await bare(
        make(),
        (exchange) => exchange.respond(200, "text/plain", `at ${exchange.remoteAddress}.`, null),
        { port: 0, path },
      );
      assert.equal(app.url, `unix:${path}`);
      assert.match(await sendRequest(), /^HTTP\/1.1 200 [^]*at \.$/);
      await assert.rejects(bare(make(), undefined, { port: 0, path }), {
        code: "EADDRINUSE",
        message: /another server listens on it/,
      });
      assert.match(await sendRequest(), /^HTTP\/1.1 200 /);
    }
    await sleep(10);
    assert.equal(existsSync(path), false);
    writeFileSync(path, "no socket");
    await assert.rejects(bare(make(), undefined, { port: 0, path }), { code: "EADDRINUSE" });
    await assert.rejects(bare(make(), undefined, { port: 0, path: join(directory, "none", "a.sock") }), {
      code: "ENOENT",
      message: /the directory does not exist/,
    });
  });
}
