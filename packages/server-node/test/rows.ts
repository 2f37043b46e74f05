/** Tests of requests in a row (pipelining) for adapters on node:http. */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect } from "node:net";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { CompiledRouteTree, ServerAdapter, ServerExchange, ServerService } from "@kit/types";

import type { HttpTimeouts } from "../src/index.ts";
import { until } from "./support.ts";

const head = "HTTP/1.1\r\nHost: a\r\n";
const requestTo = (path: string): string => `GET ${path} ${head}\r\n`;
const handshake = (protocols = "websocket"): string =>
  `GET /socket ${head}Connection: Upgrade\r\nUpgrade: ${protocols}\r\nSec-WebSocket-Version: 13\r\n` +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
/** Text frame with the mask 0 and the payload `hi`. */
const frame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]);

interface Bare extends AsyncDisposable {
  readonly port: number;
}

/** Starts a server that passes each request to `handle`. A handshake for `/socket` becomes a WebSocket that sends its messages back. */
async function bare(server: ServerAdapter, handle: (exchange: ServerExchange) => void): Promise<Bare> {
  const service: ServerService = {
    tree: {
      root: {
        segment: "",
        children: [
          { segment: "socket", children: [], methods: { GET: { ref: "WS /socket", validators: [] } } },
        ],
      },
    } as unknown as CompiledRouteTree,
    routes: ["WS /socket"],
    socketRoutes: [true],
    limits: { bodyBytes: 1024 },
    handle: (exchange) => {
      if (exchange.acceptSocket === undefined) {
        handle(exchange);
        return;
      }
      const options = {
        messageBytes: 1024,
        compression: false,
        pingMs: 60_000,
        protocol: null,
        headers: null,
      };
      const socket = exchange.acceptSocket(options, {
        message: (data) => void socket.send(data),
        drain: () => undefined,
        closed: () => undefined,
      });
    },
    fail: (exchange) => exchange.respond(500, null, null, null),
  };
  const { port } = await server.listen(service, { port: 0, host: "127.0.0.1" });
  return { port, [Symbol.asyncDispose]: () => server.close({ graceMs: 0 }) };
}

/** Counts the requests that Node has parsed since the call. */
function parsedRequests(t: TestContext): () => number {
  let count = 0;
  const add = (): void => void (count += 1);
  subscribe("http.server.request.start", add);
  t.after(() => unsubscribe("http.server.request.start", add));
  return () => count;
}

/** Client that stores what it receives. */
class Client implements Disposable {
  received = "";
  readonly socket;

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    this.socket
      .on("error", () => undefined)
      .on("data", (chunk) => (this.received += chunk.toString("latin1")));
  }

  /** Sends bytes. */
  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Returns the bodies of the responses: one number each. */
  get bodies(): number[] {
    return Array.from(this.received.matchAll(/\r\n\r\n(\d+)(?=HTTP|$)/g), ([, body]) => Number(body));
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

/** Returns a handler that sends large responses at once, bodies as they are, and the response for `/slow` after `release`. */
function slowThenLarge(release: Promise<void>): (exchange: ServerExchange) => Promise<void> {
  return async (exchange) => {
    if (exchange.target === "/slow") await release;
    const text = exchange.target === "/large" ? "0".repeat(100_000) : "0";
    exchange.respond(200, "text/plain", exchange.method === "POST" ? exchange.bodyText()! : text, null);
  };
}

/** Registers the tests of one adapter. */
export function testRows(name: string, make: (options?: HttpTimeouts) => ServerAdapter): void {
  test(`${name}: runs at most 101 handlers of a client in a row, and sends all responses in order`, async () => {
    let running = 0;
    let most = 0;
    await using app = await bare(make(), async (exchange) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(1);
      running -= 1;
      exchange.respond(200, "text/plain", exchange.target.slice(1), null);
    });
    using client = new Client(app.port);
    const numbers = Array.from({ length: 3000 }, (_, index) => index);
    client.send(numbers.map((number) => requestTo(`/${number}`)).join(""));
    await until(() => client.bodies.length === numbers.length);
    assert.deepEqual(client.bodies, numbers);
    assert.equal(most, 101);
    client.send(requestTo("/3000"));
    await until(() => client.bodies.length === 3001);
    assert.equal(client.bodies.at(-1), 3000, "the connection goes on");
  });

  test(`${name}: does not read on while the handlers of a client in a row work`, async (t) => {
    const parsed = parsedRequests(t);
    await using app = await bare(make(), () => undefined);
    using client = new Client(app.port);
    for (let part = 0; part < 20; part += 1) {
      client.send(requestTo("/").repeat(2000));
      await sleep(20);
    }
    // 101 requests, and the rest of one read of 64 KiB.
    assert.ok(parsed() >= 101 && parsed() < 3000, `${parsed()} requests were parsed`);
  });

  test(`${name}: reads the body of a request in a row that arrives late`, async () => {
    const release = Promise.withResolvers<void>();
    await using app = await bare(make(), async (exchange) => {
      await release.promise;
      const body = exchange.method === "POST" ? exchange.bodyText()! : exchange.target.slice(1);
      exchange.respond(200, "text/plain", body, null);
    });
    using client = new Client(app.port);
    const numbers = Array.from({ length: 150 }, (_, index) => index);
    client.send(numbers.map((number) => requestTo(`/${number}`)).join(""));
    client.send(`POST / ${head}content-type: text/plain\r\ncontent-length: 6\r\n\r\n150`);
    await sleep(30);
    client.send(`151${requestTo("/152")}`);
    await sleep(30);
    release.resolve();
    await until(() => client.bodies.length === 152);
    assert.deepEqual(client.bodies, [...numbers, 150_151, 152]);
  });

  test(`${name}: accepts a WebSocket after the responses to earlier requests`, async () => {
    await using app = await bare(make(), async (exchange) => {
      await sleep(30);
      exchange.respond(200, "text/plain", exchange.target.slice(1), null);
    });
    for (const protocols of ["websocket", "h2c, WebSocket"]) {
      using client = new Client(app.port);
      client.send(requestTo("/1") + requestTo("/2") + handshake(protocols));
      await until(() => client.received.includes(" 101 ") && client.received.endsWith("\r\n\r\n"));
      assert.match(client.received, /^HTTP\/1.1 200 [^]*\r\n\r\n1HTTP\/1.1 200 [^]*\r\n\r\n2HTTP\/1.1 101 /);
      client.send(frame);
      await until(() => client.received.endsWith("\u0081\u0002hi"));
      assert.ok(client.received.endsWith("\u0081\u0002hi"), "the WebSocket works");
    }
  });

  test(`${name}: aborts all requests of a client that leaves before its handshake is answered`, async () => {
    let begun = 0;
    let aborted = 0;
    await using app = await bare(make(), (exchange) => {
      begun += 1;
      exchange.onAbort(() => (aborted += 1));
    });
    using client = new Client(app.port);
    client.send(requestTo("/1") + requestTo("/2") + requestTo("/3") + handshake());
    await until(() => begun === 3);
    client.socket.resetAndDestroy();
    await until(() => aborted === 3);
    assert.equal(aborted, 3);
  });

  for (const [last, bytes] of [
    ["CONNECT", `CONNECT a:1 ${head}\r\n`],
    ["a handshake", handshake()],
  ] as const) {
    test(`${name}: aborts all requests of a client that leaves after a refused request and ${last}`, async () => {
      let begun = 0;
      let aborted = 0;
      await using app = await bare(make(), (exchange) => {
        if (exchange.target === "/next") {
          exchange.respond(200, "text/plain", "4", null);
          return;
        }
        begun += 1;
        exchange.onAbort(() => (aborted += 1));
      });
      using client = new Client(app.port);
      client.send(`${requestTo("/1")}${requestTo("/2")}GET / HTTP/1.1\r\n\r\n${bytes}`);
      await until(() => begun === 2);
      await sleep(30);
      client.socket.resetAndDestroy();
      await until(() => aborted === 2);
      assert.equal(aborted, 2);
      using next = new Client(app.port);
      next.send(requestTo("/next"));
      await until(() => next.bodies.length === 1);
      assert.deepEqual(next.bodies, [4], "the server still responds");
    });
  }

  test(`${name}: refuses CONNECT after the response to the request before`, async () => {
    await using app = await bare(make(), async (exchange) => {
      await sleep(30);
      exchange.respond(200, "text/plain", "1", null);
    });
    using client = new Client(app.port);
    client.send(`${requestTo("/1")}CONNECT a:1 ${head}\r\n`);
    await once(client.socket, "end");
    assert.match(client.received, /^HTTP\/1.1 200 [^]*\r\n\r\n1HTTP\/1.1 501 /);
  });

  test(`${name}: parses few requests that a client sends after one that the server refuses`, async (t) => {
    const parsed = parsedRequests(t);
    await using app = await bare(make(), () => undefined);
    using client = new Client(app.port);
    client.send(`GET / HTTP/1.1\r\n\r\n`);
    await once(client.socket, "data");
    assert.match(client.received, /^HTTP\/1.1 400 /);
    const before = parsed();
    for (let part = 0; part < 10; part += 1) {
      client.send(requestTo("/").repeat(2000));
      await sleep(10);
    }
    assert.ok(parsed() - before < 3000, `${parsed() - before} requests were parsed`);
    // The response to the first request is not sent, so the refusal of the second one waits.
    using waiting = new Client(app.port);
    waiting.send(`${requestTo("/")}GET / HTTP/1.1\r\n\r\n`);
    const later = parsed();
    for (let part = 0; part < 10; part += 1) {
      waiting.send(requestTo("/").repeat(2000));
      await sleep(10);
    }
    assert.ok(parsed() - later < 3000, `${parsed() - later} requests were parsed`);
    assert.equal(waiting.received, "");
  });

  test(`${name}: discards what a client in a row still sends after a refusal, so that the client gets all responses`, async () => {
    const release = Promise.withResolvers<void>();
    await using app = await bare(make(), async (exchange) => {
      await release.promise;
      exchange.respond(200, "text/plain", exchange.target.slice(1), null);
    });
    using client = new Client(app.port);
    const rest = requestTo("/").repeat(20_000);
    client.send(`${requestTo("/7").repeat(150)}GET / HTTP/1.1\r\n\r\n${rest}`);
    await sleep(50);
    release.resolve();
    await until(() => client.received.includes(" 400 "));
    assert.equal(client.bodies.length, 150);
    assert.match(client.received, /7HTTP\/1.1 400 [^]*"code":"BAD_REQUEST"/);
    await until(() => client.socket.writableLength === 0);
    assert.equal(client.socket.writableLength, 0, "the server reads the rest");
  });

  test(`${name}: counts the time for a head only while the server reads`, async () => {
    const release = Promise.withResolvers<void>();
    await using app = await bare(make({ headersTimeoutMs: 500 }), async (exchange) => {
      await release.promise;
      exchange.respond(200, "text/plain", exchange.target.slice(1), null);
    });
    using patient = new Client(app.port);
    using late = new Client(app.port);
    for (const { socket } of [patient, late])
      socket.write(`${requestTo("/7").repeat(150)}GET /8 HTTP/1.1\r\n`);
    await sleep(1500);
    assert.equal(patient.received, "");
    release.resolve();
    await until(() => patient.bodies.length === 150);
    assert.equal(patient.bodies.length, 150, patient.received.slice(-500));
    patient.send("host: a\r\n\r\n");
    await until(() => patient.bodies.length === 151);
    assert.equal(patient.bodies.at(-1), 8);
    await until(() => late.received.includes(" 408 "));
    assert.match(late.received, /7HTTP\/1.1 408 [^]*"code":"REQUEST_TIMEOUT"/);
  });

  test(`${name}: refuses a late head after responses that are large`, async () => {
    const release = Promise.withResolvers<void>();
    await using app = await bare(make({ headersTimeoutMs: 500 }), slowThenLarge(release.promise));
    using client = new Client(app.port);
    client.send(requestTo("/slow") + requestTo("/large"));
    await sleep(30);
    client.send(`${requestTo("/large")}GET /8 HTTP/1.1\r\n`);
    await sleep(1500);
    assert.equal(client.received, "");
    release.resolve();
    await until(() => client.received.includes(" 408 "));
    assert.match(client.received.slice(-500), /0HTTP\/1.1 408 [^]*"code":"REQUEST_TIMEOUT"/);
  });

  test(`${name}: gives the rest of a late body the time for a body after the server has read on`, async () => {
    const release = Promise.withResolvers<void>();
    const bodyTime: { bodyTimeoutMs?: number; requestTimeoutMs?: number } =
      name === "native" ? { bodyTimeoutMs: 1000 } : { requestTimeoutMs: 1000 };
    await using app = await bare(
      make({ headersTimeoutMs: 200, ...bodyTime }),
      slowThenLarge(release.promise),
    );
    using client = new Client(app.port);
    client.send(requestTo("/slow") + requestTo("/large"));
    await sleep(30);
    client.send(`POST / ${head}content-type: text/plain\r\ncontent-length: 4\r\n\r\n12`);
    await sleep(2000);
    assert.equal(client.received, "");
    release.resolve();
    await sleep(500);
    client.send("34");
    await until(() => client.bodies.length === 3);
    assert.equal(client.bodies[2], 1234, client.received.slice(-500));
  });
}
