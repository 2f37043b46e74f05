// Tests that every server responds to a client that closes its sending side after its request (`shutdown(SHUT_WR)`, as `nc -N`
// does).

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { columns, type Served } from "./columns.ts";

quietStdout();

const head = "HTTP/1.1\r\nhost: a\r\n";
const clients = 10;

/** Sends bytes and closes the sending side immediately. Then reads until the server closes the connection. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(bytes);
  return Buffer.concat(await socket.toArray()).toString();
}

async function exchangeOften(port: number, bytes: string): Promise<string[]> {
  return Promise.all(Array.from({ length: clients }, () => exchange(port, bytes)));
}

for (const { name, serve } of columns) {
  describe(name, () => {
    let app: Served;
    before(async () => {
      app = await serve({ bodyBytes: 65_536 });
    });
    after(() => app[Symbol.asyncDispose]());

    test("a client that has closed its sending side gets the response of a handler that responds immediately", async () => {
      for (const text of await exchangeOften(app.port, `GET /files/a ${head}\r\n`)) {
        assert.match(text, /^HTTP\/1\.1 200 [^]*"value":"a"\}$/);
      }
    });

    test("a client that has closed its sending side gets the response of a handler that waits", async () => {
      for (const text of await exchangeOften(app.port, `GET /slow ${head}\r\n`)) {
        assert.match(text, /^HTTP\/1\.1 200 [^]*"value":"slow"\}$/);
      }
    });

    test("a client that has closed its sending side gets the response to a request with a body", async () => {
      const body = `content-type: application/json\r\ncontent-length: 12\r\n\r\n{"text":"a"}`;
      for (const text of await exchangeOften(app.port, `POST /notes ${head}${body}`)) {
        assert.match(text, /^HTTP\/1\.1 20\d [^]*\{"text":"a"\}$/);
      }
    });

    test("a client that has closed its sending side gets a response to each of several requests", async () => {
      const slow = `GET /slow ${head}\r\n`;
      for (const text of await exchangeOften(app.port, slow + slow + slow)) {
        assert.equal(text.match(/\{"value":"slow"\}/g)?.length, 3, text);
      }
    });

    test("a client that has closed its sending side gets a complete stream", async () => {
      for (const text of await exchangeOften(app.port, `GET /stream/large ${head}\r\n`)) {
        assert.ok(text.endsWith("\r\n0\r\n\r\n"), text.slice(-100));
        assert.ok(text.length > 64 * 64 * 1024, `${text.length} bytes`);
      }
    });

    test("a client that has closed its sending side gets 400 for bytes that are not a request", async () => {
      assert.match(await exchange(app.port, "GET /\r\n\r\n"), /^HTTP\/1\.1 400 /);
    });

    test("a client that has closed its sending side gets no response to an incomplete request, and its connection closes", async () => {
      const text = await exchange(app.port, `POST /notes ${head}content-length: 12\r\n\r\n{"te`);
      assert.doesNotMatch(text, /^HTTP\/1\.1 2/);
    });
  });
}
