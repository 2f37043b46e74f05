import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";

import { json, raw, serve } from "./support.ts";

const MIB = 1024 * 1024;

test("fetch can read the 413 after sending a body of any size", { timeout: 60_000 }, async () => {
  await using app = await serve((exchange) => json(exchange, exchange.bodyTooLarge, 413));
  for (const size of [MIB + 1, 4 * MIB, 16 * MIB, 40 * MIB]) {
    const body = new Uint8Array(size);
    for (let round = 0; round < 3; round += 1) {
      const response = await fetch(`${app.url}/notes`, { method: "POST", body });
      assert.deepEqual([response.status, await response.json()], [413, true], `${size}`);
    }
  }
});

test("fetch can read the 413 while it streams the request body", { timeout: 60_000 }, async () => {
  await using app = await serve((exchange) => json(exchange, exchange.bodyTooLarge, 413));
  const piece = new Uint8Array(MIB);
  let left = 16;
  const body = new ReadableStream({
    pull(controller) {
      if (left === 0) controller.close();
      else controller.enqueue(piece);
      left -= 1;
    },
  });
  const response = await fetch(`${app.url}/notes`, { method: "POST", body, duplex: "half" } as RequestInit);
  assert.deepEqual([response.status, await response.json()], [413, true]);
});

test("a client that reads only after sending its whole body gets the 413", { timeout: 60_000 }, async () => {
  await using app = await serve((exchange) => json(exchange, exchange.bodyTooLarge, 413));
  for (const size of [4 * MIB, 16 * MIB, 40 * MIB]) {
    const socket = connect({ port: app.address.port, host: "127.0.0.1", allowHalfOpen: true });
    await once(socket, "connect");
    socket.pause();
    socket.write(`POST /notes HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`);
    // Rejects if the server resets the connection.
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.end(Buffer.alloc(size), resolve);
    });
    const answer = Buffer.concat(await socket.toArray()).toString("latin1");
    assert.match(answer, /^HTTP\/1.1 413 .*connection: close.*\r\n\r\ntrue$/is, `${size}`);
  }
});

test("a client that waits for 100 Continue before a body above the size limit gets only the 413", async () => {
  await using app = await serve((exchange) => json(exchange, exchange.bodyTooLarge, 413));
  const head = `POST /notes HTTP/1.1\r\nHost: a\r\nContent-Length: ${4 * MIB}\r\nExpect: 100-continue\r\n\r\n`;
  assert.match(await raw(app.address.port, head), /^HTTP\/1.1 413 .*\r\n\r\ntrue$/s);
});

test("an error response of the server has a date header and the format of all errors", async () => {
  await using app = await serve((exchange) => json(exchange, 1));
  const answer = await raw(app.address.port, "GET /notes HTTP/1.1\r\n\r\n");
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  assert.match(head, /^HTTP\/1.1 400 Bad Request\r\n/);
  assert.match(head, /\r\ndate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT(\r\n|$)/i);
  const { error } = JSON.parse(body) as { error: Record<string, string> };
  assert.deepEqual(Object.keys(error), ["code", "message", "traceId"]);
  assert.equal(error["code"], "BAD_REQUEST");
  assert.match(error["traceId"]!, /^(?!0{32})[0-9a-f]{32}$/);
});
