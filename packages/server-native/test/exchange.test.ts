import assert from "node:assert/strict";
import { test } from "node:test";

import type { ServerExchange } from "@kit/types";

import { engineTest, json, raw, serve } from "./support.ts";

// On the fallback, kit's pipeline matches the routes.
engineTest("an exchange has the match of its request", async () => {
  await using app = await serve((exchange) => json(exchange, exchange.match));
  const match = async (method: string, path: string): Promise<unknown> =>
    (await fetch(app.url + path, { method })).json();
  assert.deepEqual(await match("GET", "/notes"), { kind: "route", route: 0, params: [] });
  assert.deepEqual(await match("POST", "/notes?a=b"), { kind: "route", route: 1, params: [] });
  assert.deepEqual(await match("GET", "/notes/a%20b%2F%C3%A4"), {
    kind: "route",
    route: 2,
    params: ["a b/ä"],
  });
  assert.deepEqual(await match("GET", "/a/1/2/"), { kind: "route", route: 3, params: ["1", "2"] });
  assert.deepEqual(await match("GET", "/nowhere"), { kind: "not-found" });
  assert.deepEqual(await match("GET", "/notes/%zz"), { kind: "bad-path" });
  assert.deepEqual(await match("PUT", "/notes"), {
    kind: "method-not-allowed",
    allow: ["GET", "HEAD", "POST"],
  });
});

test("an exchange returns the method, target, headers and body of its request", async () => {
  await using app = await serve((exchange) =>
    json(exchange, {
      method: exchange.method,
      target: exchange.target,
      type: exchange.header("content-type"),
      own: exchange.header("x-own"),
      missing: exchange.header("x-missing") ?? null,
      traceparent: exchange.header("traceparent") ?? null,
      length: exchange.bodyLength,
      text: exchange.bodyText() ?? null,
      bytes: [...exchange.bodyBytes()],
      remote: exchange.remoteAddress,
      tooLarge: exchange.bodyTooLarge,
    }),
  );
  const read = async (
    type: string,
    body: string | Uint8Array<ArrayBuffer>,
  ): Promise<Record<string, unknown>> => {
    const headers = { "content-type": type, "x-own": "ä", traceparent: "00-1-2-3" };
    const response = await fetch(`${app.url}/notes?q=%20`, { method: "POST", headers, body });
    return (await response.json()) as Record<string, unknown>;
  };
  assert.deepEqual(await read("application/json", '"ä"'), {
    method: "POST",
    target: "/notes?q=%20",
    type: "application/json",
    own: "ä",
    missing: null,
    traceparent: "00-1-2-3",
    length: 4,
    text: '"ä"',
    bytes: [...Buffer.from('"ä"')],
    remote: "127.0.0.1",
    tooLarge: false,
  });
  const other = await read("application/json; charset=utf-8", "{}");
  assert.deepEqual([other["type"], other["text"]], ["application/json; charset=utf-8", "{}"]);
  const invalid = await read("application/json", new Uint8Array([0x22, 0xff, 0x22]));
  assert.deepEqual([invalid["type"], invalid["text"], invalid["length"]], ["application/json", null, 3]);
});

test("the bytes of a body are the bytes that the client has sent, in memory of their own", async () => {
  await using app = await serve((exchange) => {
    const bytes = exchange.bodyBytes();
    const { byteOffset, buffer } = bytes;
    json(exchange, {
      bytes: [...bytes],
      byteOffset,
      size: buffer.byteLength,
      isBuffer: Buffer.isBuffer(bytes),
    });
  });
  const all = Uint8Array.from({ length: 256 }, (_, index) => index);
  const bodies = [0, 1, 63, 64, 65, 128].map((length) => all.slice(0, length));
  bodies.push(all, all.slice(120, 140), all.slice(250), new TextEncoder().encode("\u{feff}ä€\u{1f600}"));
  for (const type of ["application/json", "application/octet-stream"]) {
    for (const body of bodies) {
      const headers = { "content-type": type };
      const response = await fetch(`${app.url}/notes`, { method: "POST", headers, body });
      const expected = { bytes: [...body], byteOffset: 0, size: body.length, isBuffer: true };
      assert.deepEqual(await response.json(), expected, `${type}, ${body.length} bytes`);
    }
  }
});

test("the object with the headers has no prototype, so that no client can overwrite inherited properties", async () => {
  await using app = await serve((exchange) => {
    const headers = exchange.headers();
    json(exchange, { keys: Object.keys(headers), proto: Object.getPrototypeOf(headers), a: headers["x-a"] });
  });
  const answer = await raw(
    app.address.port,
    "GET /notes HTTP/1.1\r\nHost: h\r\nX-A: 1\r\n__proto__: 2\r\nx-a: 3\r\nconnection: close\r\n\r\n",
  );
  assert.deepEqual(JSON.parse(answer.split("\r\n\r\n")[1]!), {
    keys: ["host", "x-a", "__proto__", "connection"],
    proto: null,
    a: "1, 3",
  });
});

// Node's parser, which the fallback uses, refuses unknown methods.
engineTest("an exchange has the name of an unusual method", async () => {
  await using app = await serve((exchange) => json(exchange, [exchange.method, exchange.match?.kind]));
  const answer = await raw(app.address.port, "BREW /notes HTTP/1.1\r\nHost: h\r\nconnection: close\r\n\r\n");
  assert.match(answer, /\["BREW","method-not-allowed"\]$/);
});

test("writes the status, content type, body and headers of a response", async () => {
  const answers: Record<string, (exchange: ServerExchange) => void> = {
    text: (exchange) =>
      exchange.respond(201, "text/plain; charset=utf-8", "ä€", [
        "x-a",
        "1",
        "set-cookie",
        "a",
        "set-cookie",
        "b",
      ]),
    bytes: (exchange) =>
      exchange.respond(200, "application/octet-stream", new Uint8Array([1, 0, 255]).subarray(1), null),
    none: (exchange) => exchange.respond(204, null, null, null),
    empty: (exchange) => exchange.respond(200, "application/json", "", null),
    long: (exchange) => exchange.respond(200, "application/json", "ä".repeat(700_000), null),
    edge: (exchange) =>
      exchange.respond(200, "application/json", "€".repeat(341) + exchange.target.slice(11), null),
  };
  await using app = await serve((exchange) =>
    answers[exchange.target.slice(7).replace(/\?.*/, "")]!(exchange),
  );
  const get = (name: string): Promise<Response> => fetch(`${app.url}/notes/${name}`);

  const text = await get("text");
  assert.deepEqual(
    [text.status, text.headers.get("content-type"), await text.text()],
    [201, "text/plain; charset=utf-8", "ä€"],
  );
  assert.deepEqual([text.headers.get("x-a"), text.headers.getSetCookie()], ["1", ["a", "b"]]);
  assert.deepEqual([...new Uint8Array(await (await get("bytes")).arrayBuffer())], [0, 255]);
  const none = await get("none");
  assert.deepEqual([none.status, none.headers.get("content-type"), await none.text()], [204, null, ""]);
  assert.equal((await get("empty")).headers.get("content-length"), "0");
  assert.equal(await (await get("long")).text(), "ä".repeat(700_000));
  // Lengths around the size of the addon's string buffer, with multi-byte characters at the end of the string.
  for (let extra = 0; extra < 8; extra += 1) {
    const tail = "x".repeat(extra);
    assert.equal(await (await get(`edge?${tail}`)).text(), `${"€".repeat(341)}?${tail}`);
  }
  const head = await fetch(`${app.url}/notes/text`, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-length"), await head.text()], [201, "5", ""]);
});

test("throws an error if a response is invalid, and sends the next response to the request", async () => {
  const errors: unknown[] = [];
  await using app = await serve((exchange) => {
    const bad: Record<string, () => void> = {
      "/notes/value": () => exchange.respond(200, null, null, ["x-a", "1\r\nx-b: 2"]),
      "/notes/name": () => exchange.respond(200, null, null, ["x a", "1"]),
      "/notes/type": () => exchange.respond(200, "a\nb", "", null),
      "/notes/length": () => exchange.respond(200, null, null, ["content-length", "5"]),
      "/notes/status": () => exchange.respond(99, null, null, null),
      "/notes/body": () => exchange.respond(200, null, {} as Uint8Array, null),
    };
    try {
      bad[exchange.target]!();
    } catch (error) {
      errors.push((error as NodeJS.ErrnoException).code);
      json(exchange, "another", 500);
    }
  });
  for (const name of ["value", "name", "type", "length", "status", "body"]) {
    const response = await fetch(`${app.url}/notes/${name}`);
    assert.equal(response.status, 500, name);
    assert.equal(response.headers.get("x-b"), null);
    assert.equal(await response.json(), "another");
  }
  assert.deepEqual(errors.slice(0, 5), [
    "ERR_INVALID_CHAR",
    "ERR_INVALID_HTTP_TOKEN",
    "ERR_INVALID_CHAR",
    "ERR_INVALID_HTTP_TOKEN",
    "ERR_HTTP_INVALID_STATUS_CODE",
  ]);
  assert.equal(errors.length, 6);
});

test("throws an error for a second response to a request, and sends the first response unchanged", async () => {
  let error: unknown;
  await using app = await serve((exchange) => {
    json(exchange, 1);
    try {
      json(exchange, 2);
    } catch (thrown) {
      error = thrown;
    }
  });
  assert.equal(await (await fetch(`${app.url}/notes`)).text(), "1");
  assert.equal((error as NodeJS.ErrnoException).code, "ERR_KIT_ANSWERED");
});

test("an exchange provides no bytes of a body above the size limit", async () => {
  await using app = await serve(
    (exchange) => json(exchange, [exchange.bodyTooLarge, exchange.bodyLength], 413),
    { bodyBytes: 10 },
  );
  const response = await fetch(`${app.url}/notes`, { method: "POST", body: "x".repeat(11) });
  assert.deepEqual([response.status, await response.json()], [413, [true, 0]]);
});
