import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
} from "node:http2";
import { request as httpsRequest } from "node:https";

import type { ServerExchange, ServerRefusal } from "@kit/types";

import { Authority } from "../../server-node/test/certificates.ts";
import { engineTest, type Handle, json, type Running, serve } from "./support.ts";

/** Server with HTTP/2, and files of its certificate. */
interface Secured extends AsyncDisposable {
  readonly app: Running;
  readonly authority: Authority;
  readonly cert: string;
  readonly key: string;
  open(): Promise<ClientHttp2Session>;
}

async function secure(handle: Handle, refusals: ServerRefusal[] = []): Promise<Secured> {
  const authority = new Authority();
  const [cert, key] = [authority.path("server.pem"), authority.path("server.key")];
  renew(authority, cert, key);
  const app = await serve(handle, { tls: { cert, key, http2: true } }, refusals);
  const sessions: ClientHttp2Session[] = [];
  return {
    app,
    authority,
    cert,
    key,
    async open() {
      const session = connect(`https://localhost:${app.address.port}`, { ca: authority.certificate });
      sessions.push(session);
      session.on("error", () => {});
      await once(session, "connect");
      return session;
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      await app[Symbol.asyncDispose]();
      authority[Symbol.dispose]();
    },
  };
}

function renew(authority: Authority, cert: string, key: string): void {
  const identity = authority.sign();
  writeFileSync(cert, identity.cert);
  writeFileSync(key, identity.key);
}

async function send(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: Buffer,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  const stream: ClientHttp2Stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [head] = (await once(stream, "response")) as [{ ":status": number }];
  return { status: head[":status"], body: Buffer.concat((await stream.toArray()) as Buffer[]) };
}

engineTest("serves requests over HTTP/2 with method, target, headers and scheme", async () => {
  await using secured = await secure((exchange) => {
    const { method, target, scheme } = exchange;
    json(exchange, { method, target, scheme, host: exchange.header("host"), own: exchange.header("x-own") });
  });
  const session = await secured.open();
  assert.equal(session.alpnProtocol, "h2");
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      send(session, { ":path": `/notes/${index}?x=1`, "x-own": String(index) }),
    ),
  );
  for (const [index, { status, body }] of answers.entries()) {
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(body.toString()), {
      method: "GET",
      target: `/notes/${index}?x=1`,
      scheme: "https",
      host: `localhost:${secured.app.address.port}`,
      own: String(index),
    });
  }
  assert.equal(secured.app.server.connections!(), 1);
});

engineTest("sends and receives large bodies over HTTP/2", async () => {
  await using secured = await secure((exchange) =>
    exchange.respond(200, "application/octet-stream", exchange.bodyBytes(), null),
  );
  const session = await secured.open();
  const body = Buffer.alloc(1024 * 1024, "0123456789abcdefg");
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => send(session, { ":method": "POST", ":path": "/notes" }, body)),
  );
  for (const answer of answers) assert.ok(answer.body.equals(body));
});

engineTest(
  "streams over HTTP/2 as fast as the client reads, and tells the handler that a client has left",
  async () => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const total = 32 * 1024 * 1024;
    let written = 0;
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    await using secured = await secure((exchange: ServerExchange) => {
      let sent = 0;
      const fill = (): void => {
        while (sent < total) {
          sent += chunk.length;
          written += chunk.length;
          if (!writer.write(chunk)) return;
        }
        writer.end();
      };
      const writer = exchange.respondStream!(200, "application/octet-stream", null, null, {
        drain: fill,
        abort: resolve,
      });
      fill();
    });
    const session = await secured.open();
    const whole = await send(session, { ":path": "/notes" });
    assert.equal(whole.body.length, total);
    written = 0;
    const stream = session.request({ ":path": "/notes" });
    await once(stream, "response");
    stream.pause();
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((done) => setTimeout(done, 50));
    }
    assert.ok(written < total / 2, `${written} bytes are written although nobody reads`);
    stream.on("error", () => {});
    stream.destroy(new Error("gone"));
    await aborted;
  },
);

engineTest("offers HTTP/1.1 to other clients, and only HTTP/1.1 by default", async () => {
  await using secured = await secure((exchange) => json(exchange, 1));
  const { authority, app, cert, key } = secured;
  const request = httpsRequest(`https://localhost:${app.address.port}/notes`, { ca: authority.certificate });
  request.end();
  const [response] = (await once(request, "response")) as [{ httpVersion: string; resume(): void }];
  response.resume();
  assert.equal(response.httpVersion, "1.1");
  await using plain = await serve((exchange) => json(exchange, 1), { tls: { cert, key } });
  const session = connect(`https://localhost:${plain.address.port}`, { ca: authority.certificate });
  const [error] = (await once(session, "error")) as [Error & { code: string }];
  assert.match(error.code, /^ERR_/);
});

engineTest("uses new files for new connections of HTTP/2 under load, and no request fails", async () => {
  await using secured = await secure((exchange) => json(exchange, 1));
  const { authority, app, cert, key } = secured;
  const prints = new Set<string>();
  let served = 0;
  const load = new AbortController();
  const long = await secured.open();
  const repeat = async (): Promise<void> => {
    while (!load.signal.aborted) {
      assert.equal((await send(long, { ":path": "/notes" })).status, 200);
      served += 1;
    }
  };
  const running = [repeat(), repeat()];
  for (let round = 0; round < 10; round += 1) {
    renew(authority, cert, key);
    app.server.reloadTls!();
    const session = await secured.open();
    assert.equal((await send(session, { ":path": "/notes" })).status, 200);
    const socket = session.socket as unknown as { getPeerCertificate(): { fingerprint256: string } };
    prints.add(socket.getPeerCertificate().fingerprint256);
    session.close();
  }
  load.abort();
  await Promise.all(running);
  assert.equal(prints.size, 10);
  assert.ok(served > 0);
  assert.ok(readFileSync(cert, "utf8").includes("CERTIFICATE"));
});

engineTest("completes requests of HTTP/2 when the server closes, and tells clients to go away", async () => {
  const exchanges: ServerExchange[] = [];
  await using secured = await secure((exchange) => void exchanges.push(exchange));
  const session = await secured.open();
  const answer = send(session, { ":path": "/notes" });
  while (exchanges.length === 0) await new Promise((done) => setTimeout(done, 5));
  const gone = once(session, "goaway");
  const closed = secured.app.server.close({ graceMs: 5000 });
  await gone;
  json(exchanges[0]!, "late");
  assert.deepEqual(JSON.parse((await answer).body.toString()), "late");
  await closed;
});

engineTest(
  "refuses invalid requests of HTTP/2 in the format of the application, and reports them",
  async () => {
    const refusals: ServerRefusal[] = [];
    await using secured = await secure((exchange) => json(exchange, 1), refusals);
    const session = await secured.open();
    const answer = await send(session, { ":path": "/a/../notes" });
    assert.equal(answer.status, 400);
    assert.equal(JSON.parse(answer.body.toString()).error.code, "BAD_REQUEST");
    assert.equal(refusals[0]?.status, 400);
    assert.equal((await send(session, { ":path": "/notes" })).status, 200);
  },
);

engineTest("ends a connection that floods, and reports the reason", async () => {
  const refusals: ServerRefusal[] = [];
  await using secured = await secure((exchange) => json(exchange, 1), refusals);
  const session = await secured.open();
  const gone = once(session, "goaway");
  for (let count = 0; count < 5000 && !session.destroyed; count += 1) {
    const stream = session.request({ ":path": "/notes" });
    stream.on("error", () => {});
    stream.close(8);
    if (count % 100 === 0) await new Promise((done) => setImmediate(done));
  }
  const [code] = (await gone) as [number];
  assert.equal(code, 11);
  assert.equal(refusals[0]?.code, "HTTP2_LIMIT");
});

engineTest("passes the certificate of a client of HTTP/2 on, for each of its requests", async () => {
  using authority = new Authority();
  const [cert, key] = [authority.path("server.pem"), authority.path("server.key")];
  renew(authority, cert, key);
  const tls = { cert, key, http2: true, clientCa: authority.path("ca.pem") };
  await using app = await serve(
    (exchange) => json(exchange, Buffer.from(exchange.clientCertificate!()!).toString("base64")),
    { tls },
  );
  const client = authority.sign();
  const session = connect(`https://localhost:${app.address.port}`, { ca: authority.certificate, ...client });
  const answers = await Promise.all([
    send(session, { ":path": "/notes" }),
    send(session, { ":path": "/notes" }),
  ]);
  for (const { body } of answers) {
    const der = Buffer.from(JSON.parse(body.toString()) as string, "base64");
    assert.equal(new X509Certificate(der).toString(), new X509Certificate(client.cert).toString());
  }
  session.destroy();
});
