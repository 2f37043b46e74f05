import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";

import type { ServerRefusal } from "@kit/types";

import { nativeServer, type NativeServerOptions } from "../src/index.ts";
import { engineTest, json, raw, serve } from "./support.ts";

const host = "Host: a\r\n";

function make(options: object): () => unknown {
  return () => nativeServer(options as NativeServerOptions);
}

async function statusOf(port: number, text: string): Promise<number> {
  return Number((await raw(port, text)).slice(9, 12));
}

test("applies the limits for the head of a request that the options set", async () => {
  const options = { maxHeaders: 3, maxHeaderBytes: 400, maxTargetBytes: 20 };
  await using app = await serve((exchange) => json(exchange, 1), options);
  const { port } = app.address;
  const last = "Connection: close\r\n\r\n";
  assert.equal(await statusOf(port, `GET /notes HTTP/1.1\r\n${host}A: b\r\n${last}`), 200);
  assert.equal(await statusOf(port, `GET /notes HTTP/1.1\r\n${host}A: b\r\nC: d\r\n${last}`), 431);
  assert.equal(await statusOf(port, `GET /notes HTTP/1.1\r\n${host}A: ${"b".repeat(400)}\r\n${last}`), 431);
  assert.equal(await statusOf(port, `GET /${"a".repeat(19)} HTTP/1.1\r\n${host}${last}`), 200);
  assert.equal(await statusOf(port, `GET /${"a".repeat(20)} HTTP/1.1\r\n${host}${last}`), 414);
});

test('accepts a number from 1 to 1024 or "auto" as workers', () => {
  for (const workers of [0, -1, 1.5, 1025, "2", "all", null, NaN]) {
    assert.throws(make({ workers }), {
      name: "RangeError",
      message: `nativeServer: \`workers\` must be "auto" or a whole number from 1 to 1024, not ${workers}`,
    });
  }
});

test("accepts a large request if the options set limits above the defaults", async () => {
  const options = { maxHeaders: 500, maxHeaderBytes: 200_000, maxTargetBytes: 60_000 };
  await using app = await serve(
    (exchange) => json(exchange, Object.keys(exchange.headers()).length),
    options,
  );
  const target = `/${"a".repeat(59_999)}`;
  const fields = Array.from({ length: 400 }, (_, index) => `x-${index}: ${"v".repeat(200)}\r\n`).join("");
  const answer = await raw(
    app.address.port,
    `GET ${target} HTTP/1.1\r\n${host}${fields}Connection: close\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1.1 200 .*\r\n\r\n402$/s);
});

engineTest("a connection above the limit waits until another connection closes", async () => {
  const refusals: ServerRefusal[] = [];
  await using app = await serve((exchange) => json(exchange, 1), { maxConnections: 1 }, refusals);
  const { port } = app.address;
  const first = connect(port, "127.0.0.1");
  first.write(`GET /notes HTTP/1.1\r\n${host}\r\n`);
  await once(first, "data");
  const second = raw(port, `GET /notes HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
  setTimeout(() => first.destroy(), 100);
  assert.match(await second, /^HTTP\/1.1 200 /);
  assert.deepEqual(refusals[0], {
    code: "CONNECTION_LIMIT",
    message: "the maximum number of connections is open; new connections wait",
  });
});

test("reports each refusal with the status, code and trace id that the client received", async () => {
  const refusals: ServerRefusal[] = [];
  await using app = await serve((exchange) => json(exchange, 1), {}, refusals);
  const answer = await raw(app.address.port, "GET /notes HTTP/1.1\r\n\r\n");
  const { error } = JSON.parse(answer.split("\r\n\r\n")[1]!) as { error: { traceId: string } };
  assert.deepEqual(refusals, [
    {
      status: 400,
      code: "BAD_REQUEST",
      message: "the header `host` is missing",
      traceId: error.traceId,
      remoteAddress: "127.0.0.1",
    },
  ]);
});

test("throws an error with the name of an option that is invalid or unknown", () => {
  for (const value of [0, -1, 1.5, Number.NaN, "10", 2 ** 40, null]) {
    assert.throws(make({ headersTimeoutMs: value }), {
      name: "RangeError",
      message: /`headersTimeoutMs` must be/,
    });
  }
  assert.throws(make({ maxTargetBytes: 65_001 }), /must be a whole number from 16 to 65000, not 65001/);
  assert.throws(make({ maxHeader: 1 }), {
    name: "TypeError",
    message: /unknown option `maxHeader`; valid options are .*maxHeaders/,
  });
  assert.throws(make({ toString: 1 }), TypeError);
  assert.doesNotThrow(make({ backlog: undefined, maxDiscardedBytes: 0 }));
});
