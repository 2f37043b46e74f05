// Tests that every server passes request bodies on in chunks: at the speed of the handler, with the limits and the ends
// of connections that HTTP requires.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { AppError } from "@kit/errors";
import type { RequestBodyReader, ServerExchange } from "@kit/types";

import { StreamedBody } from "../../packages/core/src/request/streamed-body.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { piece, chunked, codeOf, head, open, readAll, say, serveUploads } from "./uploads.ts";

quietStdout();

const next = "GET /notes HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

/** Responds with the body of the request. */
async function echo(exchange: ServerExchange): Promise<void> {
  say(exchange, (await readAll(exchange.readBody!())).toString());
}

/** Responds with 413 if the body is too large, as the pipeline does. Otherwise responds with the code of the error. */
async function tellError(exchange: ServerExchange): Promise<void> {
  const code = exchange.bodyTooLarge ? "bodyTooLarge" : await codeOf(readAll(exchange.readBody!()));
  say(exchange, String(code), /large/i.test(String(code)) ? 413 : 200);
}

notInRust(
  "request bodies in chunks",
  "the handlers read from an adapter of Node; rust-uploads.test.ts tests the Rust server",
);
for (const [name, make] of servers) {
  describe(name, { concurrency: true }, () => {
    test("calls the handler before the body arrives, and passes each chunk on when the chunk arrives", async () => {
      const log: unknown[] = [];
      await using app = await serveUploads(make(), async (exchange) => {
        const { bodyLength, bodyTooLarge } = exchange;
        log.push([bodyLength, bodyTooLarge, exchange.header("x-own")]);
        const reader = exchange.readBody!();
        assert.equal(exchange.readBody!(), reader);
        for (let part = await reader.read(); part !== null; part = await reader.read()) {
          log.push(Buffer.from(part).toString());
        }
        assert.equal(await reader.read(), null);
        log.push("end");
        say(exchange, "read");
      });
      const seen = async (count: number): Promise<void> => {
        while (log.length < count) await sleep(2);
      };
      const client = await open(app.port, head("content-length: 6", "x-own: 1"));
      await seen(1);
      for (const [count, part] of [
        [2, "ab"],
        [3, "cd"],
        [4, "ef"],
      ] as const) {
        client.socket.write(part);
        await seen(count);
      }
      assert.match(await client.receives("read"), /^HTTP\/1\.1 200 /);
      assert.deepEqual(log, [[6, false, "1"], "ab", "cd", "ef", "end"]);
      // The connection serves the next request, here with a body in the chunked coding.
      log.length = 0;
      client.socket.write(head(chunked));
      await seen(1);
      client.socket.write(piece("gh"));
      await seen(2);
      client.socket.write(piece("ij"));
      await seen(3);
      client.socket.write(`0\r\nx-trailer: 1\r\n\r\n${next}`);
      assert.match(await client.rest(), /read.*HTTP\/1\.1 200 .*read.*HTTP\/1\.1 200 /s);
      assert.deepEqual(log, [[-1, false, undefined], "gh", "ij", "end"]);
      client.socket.destroy();
    });

    test("reads bodies that arrive with their heads, empty bodies, and bodies of other routes", async () => {
      await using app = await serveUploads(make(), async (exchange) => {
        const declared = exchange.bodyLength;
        say(exchange, `<${declared} ${(await readAll(exchange.readBody!())).toString()}>`);
      });
      const put = "PUT /notes HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nput";
      const client = await open(
        app.port,
        `${head("content-length: 3")}abc${head("content-length: 0")}${head()}${head(chunked)}${piece("de")}${piece("f")}0\r\n\r\n${head(chunked)}0\r\n\r\n${put}${next}`,
      );
      const text = await client.rest();
      assert.deepEqual(text.match(/<.*?>|\r\n\r\nput/g), [
        "<3 abc>",
        "<0 >",
        "<0 >",
        "<-1 def>",
        "<-1 >",
        "\r\n\r\nput",
      ]);
      client.socket.destroy();
      const old = await open(app.port, "POST /notes HTTP/1.0\r\ncontent-length: 3\r\n\r\nold");
      assert.match(await old.rest(), /<3 old>$/);
      old.socket.destroy();
    });

    test("throws an error with the code ERR_KIT_BODY_STREAMED if a body in chunks is read as a whole", async () => {
      await using app = await serveUploads(make(), (exchange) => {
        const codes = [() => exchange.bodyText(), () => exchange.bodyBytes()].map((read) => {
          try {
            return read();
          } catch (error) {
            return (error as NodeJS.ErrnoException).code;
          }
        });
        say(exchange, `${codes.join(" ")}.`);
      });
      for (const request of [`${head("content-length: 3")}abc`, head(chunked)]) {
        const client = await open(app.port, request);
        await client.receives("\r\n\r\nERR_KIT_BODY_STREAMED ERR_KIT_BODY_STREAMED.");
        client.socket.destroy();
      }
    });

    test("refuses a content length above the limit without passing the body on", async () => {
      await using app = await serveUploads(make(), tellError, 1000);
      const client = await open(app.port, head("content-length: 1001", "expect: 100-continue"));
      const text = await client.receives("bodyTooLarge");
      assert.match(text, /^HTTP\/1\.1 413 .*\r\nconnection: close\r\n/is);
      client.socket.destroy();
    });

    test("rejects with ERR_KIT_BODY_TOO_LARGE as soon as a chunked body exceeds the limit, and closes the connection", async () => {
      await using app = await serveUploads(make(), tellError, 1000);
      const client = await open(
        app.port,
        `${head(chunked)}${piece("x".repeat(600))}${piece("y".repeat(600))}`,
      );
      const text = await client.receives("ERR_KIT_BODY_TOO_LARGE");
      assert.match(text, /^HTTP\/1\.1 413 .*\r\nconnection: close\r\n/is);
      client.socket.write(`${piece("z".repeat(5000))}0\r\n\r\n${next}`);
      client.socket.end();
      assert.equal((await client.rest()).match(/HTTP\/1\.1 /g)?.length, 1);
      assert.equal(client.ended(), "end");
      client.socket.destroy();
    });

    test("delivers an early response while the client sends, then closes the connection without a reset", async () => {
      await using app = await serveUploads(make(), (exchange) => say(exchange, "no", 401));
      const size = 8 * 1024 * 1024;
      const client = await open(app.port, head(`content-length: ${size}`));
      await client.receives("\r\n\r\nno");
      const part = Buffer.alloc(256 * 1024, "x");
      for (let sent = 0; sent < size; sent += part.length) {
        client.socket.write(part);
        await sleep(1);
      }
      client.socket.end(next);
      const text = await client.rest();
      assert.match(text, /^HTTP\/1\.1 401 .*\r\nconnection: close\r\n/is);
      assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1);
      assert.equal(client.ended(), "end");
      client.socket.destroy();
    });

    test("closes the connection soon if the client disconnects after an early response", async () => {
      await using app = await serveUploads(make(), async (exchange) => {
        await sleep(20);
        say(exchange, "no", 401);
      });
      for (const count of [0, 1000, 80_000, 1_000_000]) {
        const client = await open(app.port, head("content-length: 9999999") + "x".repeat(count));
        await client.receives("\r\n\r\nno");
        client.socket.destroy();
        const end = performance.now() + 2000;
        while (app.server.connections!() > 0) {
          assert.ok(
            performance.now() < end,
            `after ${count} bytes: ${app.server.connections!()} connections`,
          );
          await sleep(5);
        }
      }
    });

    test("rejects with ERR_KIT_BODY_CANCELED after the response and after `cancel`", async () => {
      const codes: unknown[] = [];
      await using app = await serveUploads(make(), async (exchange) => {
        const reader = exchange.readBody!();
        const waiting = codeOf(reader.read());
        if (exchange.target.endsWith("cancel")) reader.cancel();
        say(exchange, "done");
        codes.push(await waiting, await codeOf(reader.read()));
      });
      for (const target of ["/notes?cancel", "/notes"]) {
        const client = await open(app.port, head("content-length: 9").replace("/notes", target));
        assert.match(await client.rest(), /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n.*done$/is);
        client.socket.destroy();
      }
      assert.deepEqual(codes, Array(4).fill("ERR_KIT_BODY_CANCELED"));
    });

    test("rejects with ERR_KIT_BODY_ABORTED if the client disconnects before the end, and serves others", async () => {
      const codes: unknown[] = [];
      await using app = await serveUploads(make(), async (exchange) => {
        if (exchange.bodyLength === 1) return say(exchange, "other");
        if (exchange.target.endsWith("late")) await sleep(50);
        const reader = exchange.readBody!();
        codes.push(await codeOf(readAll(reader)), await codeOf(reader.read()));
        say(exchange, "too late");
      });
      for (const fields of [["content-length: 9"], [chunked]]) {
        for (const target of ["/notes", "/notes?late"]) {
          for (const part of ["", fields[0] === chunked ? piece("abc") : "abc"]) {
            const before = codes.length;
            const client = await open(app.port, head(...fields).replace("/notes", target) + part);
            await sleep(20);
            client.socket.resetAndDestroy();
            while (codes.length === before) await sleep(2);
          }
        }
      }
      assert.deepEqual(new Set(codes), new Set(["ERR_KIT_BODY_ABORTED"]));
      const other = await open(app.port, `${head("content-length: 1")}a`);
      await other.receives("other");
      other.socket.destroy();
    });

    test("rejects with ERR_KIT_BODY_ABORTED if the client closes its sending side too early", async () => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      await using app = await serveUploads(make(), async (exchange) => {
        resolve(await codeOf(readAll(exchange.readBody!())));
        say(exchange, "late");
      });
      const client = await open(app.port, `${head("content-length: 9")}abc`);
      await sleep(20);
      client.socket.end();
      assert.equal(await promise, "ERR_KIT_BODY_ABORTED");
      await client.rest();
      client.socket.destroy();
    });

    test("reads the whole body of a client that closes its sending side after the body", async () => {
      await using app = await serveUploads(make(), async (exchange) => {
        await sleep(50);
        await echo(exchange);
      });
      const client = await open(app.port, "");
      const body = "abc".repeat(100_000);
      client.socket.end(`${head(`content-length: ${body.length}`)}${body}`);
      assert.ok((await client.rest()).endsWith(body));
      client.socket.destroy();
    });

    test("responds with 400 to invalid chunks and rejects with ERR_KIT_BODY_INVALID", async () => {
      const codes: unknown[] = [];
      await using app = await serveUploads(make(), async (exchange) => {
        codes.push(await codeOf(readAll(exchange.readBody!())));
        say(exchange, "late");
      });
      const client = await open(app.port, `${head(chunked)}${piece("abc")}`);
      await sleep(20);
      client.socket.write("nonsense\r\n");
      const text = await client.rest();
      assert.match(text, /^HTTP\/1\.1 400 .*\r\nconnection: close\r\n.*"code":"BAD_REQUEST"/is);
      assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1);
      assert.deepEqual(codes, ["ERR_KIT_BODY_INVALID"]);
      assert.deepEqual(
        app.refusals.map(({ status, code }) => [status, code]),
        [[400, "BAD_REQUEST"]],
      );
      client.socket.destroy();
    });

    test("responds with 408 if the client stops sending, and rejects with ERR_KIT_BODY_TIMEOUT", async () => {
      const codes: unknown[] = [];
      await using app = await serveUploads(make({ bodyIdleTimeoutMs: 200 }), async (exchange) => {
        codes.push(await codeOf(readAll(exchange.readBody!())));
        say(exchange, "late");
      });
      const client = await open(app.port, `${head("content-length: 9")}abc`);
      const text = await client.rest();
      assert.match(text, /^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s);
      assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1);
      assert.deepEqual(codes, ["ERR_KIT_BODY_TIMEOUT"]);
      client.socket.destroy();
    });

    test("has no total limit for the time of a body in chunks, and no limit while the handler does not read", async () => {
      const rate = { bodyIdleTimeoutMs: 400, bodyMinBytesPerSecond: 5 };
      const times = { ...rate, bodyTimeoutMs: 300, headersTimeoutMs: 1000 };
      await using app = await serveUploads(make(times), async (exchange) => {
        await sleep(900);
        await echo(exchange);
      });
      const client = await open(app.port, head("content-length: 20"));
      for (let sent = 0; sent < 20; sent += 1) {
        client.socket.write("x");
        await sleep(100);
      }
      await client.receives("x".repeat(20));
      client.socket.destroy();
    });

    test("responds with 408 if the client sends more slowly than the minimum rate", async () => {
      const codes: unknown[] = [];
      const rate = { bodyIdleTimeoutMs: 400, bodyMinBytesPerSecond: 1000 };
      await using app = await serveUploads(make(rate), async (exchange) => {
        codes.push(await codeOf(readAll(exchange.readBody!())));
        say(exchange, "late");
      });
      const client = await open(app.port, head("content-length: 100000"));
      const start = performance.now();
      // Each byte arrives long before the idle timeout.
      const sending = setInterval(() => client.socket.write("x".repeat(10)), 50);
      const text = await client.rest();
      clearInterval(sending);
      assert.match(text, /^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s);
      assert.ok(performance.now() - start > 350, `${performance.now() - start} ms`);
      assert.ok(performance.now() - start < 5000, `${performance.now() - start} ms`);
      assert.deepEqual(codes, ["ERR_KIT_BODY_TIMEOUT"]);
      client.socket.destroy();
    });

    test("takes a body that arrives faster than the minimum rate, and any pace without a rate", async () => {
      for (const [bodyMinBytesPerSecond, bytes] of [
        [1000, 200],
        [0, 1],
      ] as const) {
        const rate = { bodyIdleTimeoutMs: 400, bodyMinBytesPerSecond };
        await using app = await serveUploads(make(rate), echo);
        const client = await open(app.port, head(`content-length: ${bytes * 20}`));
        for (let sent = 0; sent < 20; sent += 1) {
          client.socket.write("x".repeat(bytes));
          await sleep(50);
        }
        await client.receives("x".repeat(bytes * 20));
        client.socket.destroy();
      }
    });

    test("limits the time of all other bodies", async () => {
      const times = { bodyIdleTimeoutMs: 60_000, bodyTimeoutMs: 300, headersTimeoutMs: 1000 };
      await using app = await serveUploads(make(times), echo);
      const client = await open(app.port, "PUT /notes HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc");
      assert.match(await client.rest(), /^HTTP\/1\.1 408 /);
      client.socket.destroy();
    });

    test("sends 100 Continue only when the body is read", async () => {
      let reader: RequestBodyReader | undefined;
      await using app = await serveUploads(make(), async (exchange) => {
        if (exchange.target.endsWith("refused")) return say(exchange, "no", 403);
        await sleep(100);
        reader = exchange.readBody!();
        return echo(exchange);
      });
      const fields = ["content-length: 3", "expect: 100-continue"];
      const client = await open(app.port, head(...fields));
      await sleep(50);
      assert.equal(client.text(), "");
      await client.receives("HTTP/1.1 100 Continue\r\n\r\n");
      assert.ok(reader !== undefined);
      client.socket.write("abc");
      await client.receives("\r\n\r\nabc");
      client.socket.destroy();
      const refused = await open(app.port, head(...fields).replace("/notes", "/notes?refused"));
      assert.match(await refused.rest(), /^HTTP\/1\.1 403 .*\r\nconnection: close\r\n/is);
      refused.socket.destroy();
    });

    test("sends a response in chunks while the body still arrives", async () => {
      await using app = await serveUploads(make(), async (exchange) => {
        const reader = exchange.readBody!();
        const writer = exchange.respondStream!(200, "text/plain", null, null, {
          drain: () => undefined,
          abort: () => undefined,
        });
        for (let part = await reader.read(); part !== null; part = await reader.read()) {
          writer.write(Buffer.from(`<${Buffer.from(part).toString()}>`));
        }
        writer.end();
      });
      const client = await open(app.port, head("content-length: 4"));
      client.socket.write("ab");
      await client.receives("<ab>");
      client.socket.write("cd");
      await client.receives("<cd>");
      assert.match(await client.rest(), /\r\nconnection: close\r\n.*\r\n0\r\n\r\n$/is);
      client.socket.destroy();
    });

    test("stops reading from the connection while the handler does not read", async () => {
      const size = 64 * 1024 * 1024;
      const { promise, resolve } = Promise.withResolvers<void>();
      await using app = await serveUploads(make(), async (exchange) => {
        const reader = exchange.readBody!();
        let read = (await reader.read())!.length;
        await promise;
        for (let part = await reader.read(); part !== null; part = await reader.read()) read += part.length;
        say(exchange, `${read} bytes`);
      });
      const client = await open(app.port, head(`content-length: ${size}`));
      client.socket.write(Buffer.alloc(size, "x"));
      // Number of bytes that wait in this process because the socket is full.
      const { _handle: handle } = client.socket as unknown as { _handle: { writeQueueSize: number } };
      const queued = (): number => handle.writeQueueSize;
      for (let [before, equal] = [-1, 0]; equal < 5; equal = before === queued() ? equal + 1 : 0) {
        before = queued();
        await sleep(50);
      }
      assert.ok(queued() > size / 2, `only ${queued()} bytes wait at the client`);
      resolve();
      await client.receives(`${size} bytes`);
      client.socket.destroy();
    });

    test("serves handlers that iterate the body, to its end, to a part or to an error", async () => {
      const limit = 1000;
      await using app = await serveUploads(
        make(),
        async (exchange) => {
          let text = "";
          try {
            for await (const part of new StreamedBody(exchange.readBody!(), limit)) {
              text += Buffer.from(part).toString();
              if (text.includes("!")) break;
            }
            say(exchange, `<${text}>`);
          } catch (error) {
            const { status, code } = error as AppError;
            say(exchange, code, status);
          }
        },
        limit,
      );
      const whole = await open(app.port, `${head(chunked)}${piece("ab")}`);
      await sleep(20);
      whole.socket.write(`${piece("cd")}0\r\n\r\n`);
      await whole.receives("<abcd>");
      whole.socket.destroy();
      const part = await open(app.port, `${head(chunked)}${piece("ab!")}`);
      assert.match(await part.rest(), /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n.*<ab!>$/is);
      part.socket.destroy();
      const large = await open(app.port, `${head(chunked)}${piece("x".repeat(limit + 1))}`);
      assert.match(await large.receives("PAYLOAD_TOO_LARGE"), /^HTTP\/1\.1 413 /);
      large.socket.destroy();
    });

    test("close lets an upload complete within the grace period, and then aborts it", async () => {
      const begun = Promise.withResolvers<void>();
      const codes: unknown[] = [];
      const handle = async (exchange: ServerExchange): Promise<void> => {
        begun.resolve();
        const read = await codeOf(readAll(exchange.readBody!()));
        codes.push(read);
        say(exchange, String(read));
      };
      const app = await serveUploads(make(), handle);
      const client = await open(app.port, `${head("content-length: 6")}abc`);
      await begun.promise;
      const closed = app.server.close({ graceMs: 5000 });
      await sleep(50);
      client.socket.write("def");
      assert.match(await client.rest(), /\r\nconnection: close\r\n.*abcdef$/is);
      client.socket.destroy();
      await closed;
      const second = await serveUploads(make(), handle);
      const other = await open(second.port, `${head("content-length: 6")}abc`);
      await sleep(50);
      await second.server.close({ graceMs: 50 });
      await other.rest();
      other.socket.destroy();
      await sleep(10);
      assert.equal(codes[1], "ERR_KIT_BODY_ABORTED");
    });
  });
}
