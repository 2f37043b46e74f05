import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import { connect as connectPlain } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";

import type { ServerExchange, ServerRefusal, TlsOptions } from "@kit/types";

import { engineTest, json, serve } from "./support.ts";

/** Files of certificates in a temporary directory, which is removed at the end of a block. */
class Files implements Disposable {
  readonly directory: string = mkdtempSync(join(tmpdir(), "kit-tls-"));
  readonly cert: string = join(this.directory, "server.pem");
  readonly key: string = join(this.directory, "server.key");

  constructor() {
    this.renew();
  }

  /** Writes a new certificate and its key. */
  renew(): void {
    const { cert, key } = this.make("localhost");
    writeFileSync(this.cert, cert);
    writeFileSync(this.key, key);
  }

  /** Returns a certificate that signs itself, and its key. */
  make(name: string): { readonly cert: string; readonly key: string } {
    const [cert, key] = [join(this.directory, "new.pem"), join(this.directory, "new.key")];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const names = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
    execFileSync(
      "openssl",
      ["req", "-x509", ...curve, "-days", "2", ...names, "-keyout", key, "-out", cert],
      {
        stdio: "pipe",
      },
    );
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  }

  get options(): TlsOptions {
    return { cert: this.cert, key: this.key };
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true });
  }
}

/** Response of a request over TLS. */
interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

function send(url: string, options: RequestOptions = {}, body?: string | Buffer): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = httpsRequest(url, { rejectUnauthorized: false, ...options }, (response) => {
    response
      .toArray()
      .then((chunks) =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks as Buffer[]) }),
      )
      .catch(reject);
  });
  request.on("error", reject);
  request.end(body);
  return promise;
}

async function connectTls(port: number): Promise<TLSSocket> {
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
}

const localhost = (url: string): string => url.replace("127.0.0.1", "localhost");

engineTest(
  "serves requests over TLS with the scheme https and a certificate that clients can check",
  async () => {
    using files = new Files();
    const seen: (string | undefined)[] = [];
    await using app = await serve(
      (exchange) => {
        seen.push(exchange.scheme);
        json(exchange, exchange.target);
      },
      { tls: files.options, host: "localhost" },
    );
    assert.match(app.url, /^https:/);
    const answer = await send(localhost(app.url) + "/notes", {
      rejectUnauthorized: true,
      ca: readFileSync(files.cert),
    });
    assert.deepEqual([answer.status, answer.body.toString(), seen], [200, '"/notes"', ["https"]]);
  },
);

engineTest("sends and receives large bodies over TLS", async () => {
  using files = new Files();
  const bodyBytes = 40 * 1024 * 1024;
  await using app = await serve(
    (exchange) => exchange.respond(200, "application/octet-stream", exchange.bodyBytes(), null),
    { tls: files.options, bodyBytes },
  );
  const body = Buffer.alloc(bodyBytes, "0123456789abcdefg");
  const answer = await send(`${app.url}/notes`, { method: "POST" }, body);
  assert.equal(digest(answer.body), digest(body));
});

engineTest("streams 256 MiB over TLS in bounded memory", async () => {
  using files = new Files();
  const chunk = Buffer.alloc(64 * 1024, "x");
  const total = 256 * 1024 * 1024;
  await using app = await serve((exchange) => stream(exchange, chunk, total), { tls: files.options });
  const before = process.memoryUsage.rss();
  let most = 0;
  let received = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = httpsRequest(`${app.url}/notes`, { rejectUnauthorized: false }, (response) => {
    response.on("data", (part: Buffer) => {
      received += part.length;
      most = Math.max(most, process.memoryUsage.rss() - before);
    });
    response.on("end", resolve);
    response.on("error", reject);
  });
  request.on("error", reject);
  request.end();
  await promise;
  assert.equal(received, total);
  // Client and server run in this process, and most of the memory is garbage of the client.
  assert.ok(most < 160 * 1024 * 1024, `the memory has grown by ${most} bytes`);
});

engineTest("stops writing if a client over TLS reads nothing, and continues when it reads", async () => {
  using files = new Files();
  const chunk = Buffer.alloc(64 * 1024, "x");
  const total = 64 * 1024 * 1024;
  let written = 0;
  await using app = await serve((exchange) => stream(exchange, chunk, total, (sent) => (written = sent)), {
    tls: files.options,
  });
  const socket = await connectTls(app.address.port);
  socket.write("GET /notes HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  await once(socket, "readable");
  let before = -1;
  while (before !== written) {
    before = written;
    await sleep(50);
  }
  assert.ok(written < total / 2, `${written} bytes are written although nobody reads`);
  let received = 0;
  for await (const part of socket) received += (part as Buffer).length;
  assert.ok(received > total, `${received} bytes arrived`);
});

/** Responds with `total` bytes in chunks. */
function stream(
  exchange: ServerExchange,
  chunk: Buffer,
  total: number,
  onWritten: (bytes: number) => void = () => {},
): void {
  let written = 0;
  const fill = (): void => {
    while (written < total) {
      written += chunk.length;
      onWritten(written);
      if (!writer.write(chunk)) return;
    }
    writer.end();
  };
  const events = { drain: fill, abort: () => {} };
  const writer = exchange.respondStream!(200, "application/octet-stream", null, null, events);
  fill();
}

engineTest("uses new files for new connections 100 times under load, and no request fails", async () => {
  using files = new Files();
  await using app = await serve((exchange) => json(exchange, 1), { tls: files.options });
  const pairs = Array.from({ length: 4 }, () => files.make("localhost"));
  const prints = new Set<string>();
  const load = new AbortController();
  let served = 0;
  const repeat = async (agent: Agent | undefined): Promise<void> => {
    while (!load.signal.aborted) {
      const answer = await send(`${app.url}/notes`, agent === undefined ? { agent: false } : { agent });
      assert.equal(answer.status, 200);
      served += 1;
    }
    agent?.destroy();
  };
  const clients = [
    repeat(new Agent({ keepAlive: true, maxSockets: 1 })),
    repeat(new Agent({ keepAlive: true, maxSockets: 1 })),
    repeat(undefined),
    repeat(undefined),
  ];
  for (let round = 0; round < 100; round += 1) {
    const { cert, key } = pairs[round % pairs.length]!;
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
    app.server.reloadTls!();
    const socket = await connectTls(app.address.port);
    prints.add(socket.getPeerCertificate().fingerprint256);
    socket.destroy();
  }
  load.abort();
  await Promise.all(clients);
  assert.equal(prints.size, pairs.length);
  assert.ok(served > 100, `only ${served} requests were served`);
});

engineTest("keeps the certificate if the new files cannot be used, and says why", async () => {
  using files = new Files();
  await using app = await serve((exchange) => json(exchange, 1), { tls: files.options });
  const { key } = files.make("localhost");
  writeFileSync(files.key, key);
  assert.throws(() => app.server.reloadTls!(), {
    code: "ERR_KIT_TLS",
    message: /does not belong to the first certificate/,
    help: /write the server's own certificate first/,
  });
  assert.equal((await send(`${app.url}/notes`)).status, 200);
});

engineTest("does not start with files that cannot be used", async () => {
  const tls = { cert: "/missing.pem", key: "/missing.key" };
  await assert.rejects(
    serve(() => {}, { tls }),
    {
      code: "ERR_KIT_TLS",
      message: /\/missing\.pem cannot be read/,
      help: /give the path/,
    },
  );
});

engineTest(
  "refuses clients without a certificate and with an old version of TLS if the options say this",
  async () => {
    using files = new Files();
    const refusals: ServerRefusal[] = [];
    const tls: TlsOptions = { ...files.options, clientCa: files.cert, minVersion: "1.3" };
    await using app = await serve((exchange) => json(exchange, 1), { tls }, refusals);
    const own = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
    await assert.rejects(send(`${app.url}/notes`, { agent: false }));
    await assert.rejects(send(`${app.url}/notes`, { ...own, maxVersion: "TLSv1.2", agent: false }));
    const found = refusals.map(({ code, message, level, status }) => ({ code, message, level, status }));
    const failure = { code: "TLS_HANDSHAKE", level: "debug", status: undefined };
    assert.deepEqual(found, [
      { ...failure, message: "the client has sent no certificate" },
      { ...failure, message: "the client and the server have no version or cipher in common" },
    ]);
  },
);

engineTest("responds with 400 to HTTP without TLS", async () => {
  using files = new Files();
  const refusals: ServerRefusal[] = [];
  await using app = await serve((exchange) => json(exchange, 1), { tls: files.options }, refusals);
  const socket = connectPlain(app.address.port, "127.0.0.1");
  socket.write("GET /notes HTTP/1.1\r\nhost: a\r\n\r\n");
  const answer = Buffer.concat(await socket.toArray()).toString("latin1");
  assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.match(answer, /expects HTTPS/);
  assert.equal(refusals[0]?.status, 400);
});

engineTest("tells clients that the data is complete when the server closes", async () => {
  using files = new Files();
  const app = await serve((exchange) => json(exchange, 1), { tls: files.options });
  const socket = await connectTls(app.address.port);
  socket.write("GET /notes HTTP/1.1\r\nhost: a\r\n\r\n");
  await once(socket, "data");
  const ended = once(socket, "end");
  await app.server.close({ graceMs: 5000 });
  await ended;
});

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
