/** Tests that every adapter on node:http must pass. Each adapter package runs them with its framework. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { HttpServerOptions } from "../src/index.ts";
import type { ServerAdapter } from "@kit/types";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { testEdges } from "./edges.ts";
import { testRows } from "./rows.ts";
import { leave, outcome, post, raw, serve, until } from "./support.ts";

/** Timeout for all waits, in milliseconds; longer than any machine needs. */
const timeoutMs = 20_000;

const get = "GET /notes/1 HTTP/1.1\r\nHost: a\r\n";

const expecting = (length: number): string =>
  `POST /notes HTTP/1.1\r\nHost: a\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

/** Registers the tests of one adapter. */
export function testAdapter(name: string, make: (options?: HttpServerOptions) => ServerAdapter): void {
  quietStdout();
  testEdges(name, make);
  testRows(name, make);

  test(`${name}: reports its name and platform, and refuses an invalid timeout`, () => {
    const server = make();
    assert.equal(server.name, name);
    assert.match(server.platform, /^(?:\w+ \d+\.\d+\.\d+|node:http)$/);
    assert.throws(() => make({ headersTimeoutMs: 0 }), RangeError);
    assert.throws(() => make({ maxConnections: 0 }), {
      name: "RangeError",
      message: /`maxConnections` must be a whole number from 1 to 1048576, not 0$/,
    });
    assert.throws(() => make({ maxConnection: 10 } as HttpServerOptions), {
      name: "TypeError",
      message: /unknown option `maxConnection`; valid options are .*maxConnections/,
    });
  });

  test(`${name}: rejects with a clear error for a port in use and for an unknown host`, async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await assert.rejects(serve(make(), {}, { port, host: "127.0.0.1" }), {
      code: "EADDRINUSE",
      message: new RegExp(`port ${port}.*in use`),
    });
    other.close();
    await assert.rejects(
      serve(make(), {}, { port: 0, host: "host.invalid" }),
      /unknown host host\.invalid \(ENOTFOUND\)/,
    );
  });

  test(`${name}: listens on all addresses if no host is given`, async () => {
    await using app = await serve(make(), {}, { port: 0 });
    assert.match(app.url, /^http:\/\/localhost:\d+$/);
    assert.equal((await fetch(`http://127.0.0.1:${app.port}/notes/1`)).status, 200);
  });

  test(`${name}: close waits for requests in progress, marks their responses as the last of the connection, and accepts no new connection`, async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const app = await serve(make(), {
      get: async () => {
        begun.resolve();
        await release.promise;
        return { text: "late" };
      },
    });
    const answer = raw(app.port, `${get}\r\n`);
    await begun.promise;
    const closed = app.close(5000);
    setTimeout(release.resolve, 30);
    assert.match(await answer, /connection: close[^]*"late"\}$/i);
    await closed;
    await assert.rejects(fetch(app.url));
  });

  test(`${name}: close serves requests that the operating system received before the call`, async () => {
    const app = await serve(make());
    const clients = Array.from({ length: 20 }, () => {
      const socket = connect(app.port, "127.0.0.1");
      const client = { socket, text: "", closed: once(socket, "close").catch(String) };
      socket.on("data", (chunk) => (client.text += chunk.toString()));
      return client;
    });
    await Promise.all(clients.map(({ socket }) => once(socket, "connect")));
    for (const [index, client] of clients.entries()) {
      // Half of the clients have received a response before, so the server sees their connections as idle.
      if (index % 2 === 0) continue;
      client.socket.write(`${get}\r\n`);
      await once(client.socket, "data");
      client.text = "";
    }
    for (const { socket } of clients) socket.write(`${get}\r\n`);
    const closed = app.close(5000);
    await Promise.all(clients.map((client) => client.closed));
    for (const { text } of clients) assert.match(text, /^HTTP\/1.1 200 [^]*connection: close[^]*"hi"\}$/i);
    await closed;
  });

  test(`${name}: close() aborts requests after the grace period, and closes idle connections at once`, async () => {
    let aborted = 0;
    const app = await serve(make(), {
      get: async (ctx) => {
        ctx.signal.addEventListener("abort", () => (aborted += 1));
        return sleep(400, { text: "late" });
      },
    });
    const answer = raw(app.port, `${get}\r\n`);
    const idle = raw(app.port, "");
    await sleep(30);
    const start = performance.now();
    await app.close(60);
    assert.ok(performance.now() - start < 300);
    // The application may respond with 503, if the connection is still open.
    assert.match(await answer, /^(?:HTTP\/1.1 503 [^]*)?$/);
    assert.equal(await idle, "");
    await sleep(20);
    assert.equal(aborted, 1);
    // The late response of the handler must not cause an error.
    await sleep(400);
  });

  test(`${name}: aborts the request of a client that disconnects, and no other request`, async () => {
    const events: string[] = [];
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    await using app = await serve(make(), {
      get: async (ctx) => {
        ctx.signal.addEventListener("abort", () => events.push("aborted"));
        arrive();
        // Request of the client that disconnects: its response would come much later.
        if (ctx.headers["x-own"] === "a") await sleep(timeoutMs, undefined, { signal: ctx.signal });
        return { text: ctx.headers["x-own"] ?? "none" };
      },
    });
    await leave(app.port, `${get}x-own: a\r\n\r\n`, arrived);
    await until(() => events.length > 0);
    const response = await fetch(`${app.url}/notes/1`, { headers: { "x-own": "b" } });
    assert.deepEqual([await response.json(), events], [{ text: "b" }, ["aborted"]]);
  });

  test(`${name}: keeps serving after clients disconnect in the middle of an upload`, async () => {
    await using app = await serve(make());
    const request =
      "POST /notes HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    await Promise.all(Array.from({ length: 20 }, () => leave(app.port, request, sleep(5))));
    assert.deepEqual(await post(`${app.url}/notes`, '{"text":"a"}'), [201, { text: "a" }]);
    assert.deepEqual(app.log, []);
  });

  test(`${name}: responds once with 500 and logs an error if a response header cannot be written`, async () => {
    await using app = await serve(make(), {
      get: (ctx) => {
        ctx.header("x".repeat(70_000), "1");
        return { text: "hi" };
      },
    });
    const response = await fetch(`${app.url}/notes/1`);
    assert.equal(response.status, 500);
    assert.match(await response.text(), /"code":"INTERNAL_SERVER_ERROR"/);
    assert.deepEqual(
      app.log.map(({ message }) => message),
      ["The response could not be sent"],
    );
  });

  test(`${name}: writes cookies and other headers of a response`, async () => {
    await using app = await serve(make(), {
      get: (ctx) => {
        ctx.status(206);
        ctx.header("set-cookie", ["a=1", "b=2"]);
        ctx.header("x-own", "c");
        ctx.header("__proto__", "d");
        ctx.header("content-type", "application/vnd.notes+json");
        return { text: "ä€" };
      },
    });
    const response = await fetch(`${app.url}/notes/1`);
    assert.deepEqual(
      [response.status, response.headers.getSetCookie(), response.headers.get("x-own")],
      [206, ["a=1", "b=2"], "c"],
    );
    assert.equal(response.headers.get("__proto__"), "d");
    assert.equal(response.headers.get("content-type"), "application/vnd.notes+json");
    assert.deepEqual(await response.json(), { text: "ä€" });
  });

  test(`${name}: responds with 413 to a body above the limit, and the client can read it while it is still sending`, async () => {
    await using app = await serve(make());
    const large = "x".repeat(4 * 1024 * 1024);
    assert.deepEqual(await outcome(post(`${app.url}/notes`, large)), [413, "PAYLOAD_TOO_LARGE"]);
    const chunked = await raw(
      app.port,
      `POST /notes HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n200000\r\n${large.slice(0, 0x20_0000)}\r\n0\r\n\r\n${get}\r\n`,
    );
    assert.match(chunked, /^HTTP\/1.1 413 /);
    assert.equal(chunked.match(/HTTP\/1\.1/g)?.length, 1);
  });

  test(`${name}: sends 100 Continue only if it is going to read the body`, async () => {
    await using app = await serve(make());
    assert.match(
      await raw(app.port, `${expecting(12)}{"text":"a"}`),
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /,
    );
    assert.match(await raw(app.port, expecting(2_000_000)), /^HTTP\/1.1 413 /);
  });

  test(`${name}: responds with 408 if the head of a request arrives too slowly`, async () => {
    await using app = await serve(make({ headersTimeoutMs: 300 }));
    assert.match(await raw(app.port, "GET /notes HT"), /^HTTP\/1.1 408 [^]*"code":"REQUEST_TIMEOUT"/);
  });

  test(`${name}: sends the response to a request and then a 400 for the invalid bytes after it`, async () => {
    await using app = await serve(make(), { get: () => sleep(30, { text: "hi" }) });
    const answer = await raw(app.port, `${get}\r\n\u0016\u0003 noise\r\n\r\n`);
    assert.match(answer, /^HTTP\/1.1 200 [^]*\{"text":"hi"\}HTTP\/1.1 400 [^]*"code":"BAD_REQUEST"/);
  });
}
