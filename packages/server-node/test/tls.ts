/** Tests of TLS that every adapter which supports TLS must pass. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";

import type { RequestContext } from "@kit/core";
import type { ServerAdapter, TlsOptions } from "@kit/types";

import type { HttpServerOptions } from "../src/index.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { Authority, type Identity } from "./certificates.ts";
import { type Handlers, raw, type Served, serve, until } from "./support.ts";

interface RedirectCase {
  readonly name: string;
  readonly request: string;
  readonly status: number;
  readonly location?: string;
}

const redirects = JSON.parse(
  readFileSync(new URL("../../../conformance/tls-redirect.json", import.meta.url), "utf8"),
) as { readonly cases: readonly RedirectCase[] };

/** Registers the tests of one adapter. */
export function testTls(name: string, make: (options?: HttpServerOptions) => ServerAdapter): void {
  quietStdout();
  describe(`${name} with TLS`, () => testServer(make));
}

function testServer(make: (options?: HttpServerOptions) => ServerAdapter): void {
  let authority: Authority;
  let clients: Authority;
  const identities: Identity[] = [];
  before(() => {
    authority = new Authority();
    clients = new Authority("clients");
    identities.push(authority.sign(), authority.sign());
  });
  after(() => {
    authority[Symbol.dispose]();
    clients[Symbol.dispose]();
  });

  /** Writes certificate and key of the server, and returns their paths. */
  const install = ({ cert, key }: Identity): TlsOptions => {
    const tls = { cert: authority.path("server.pem"), key: authority.path("server.key") };
    writeFileSync(tls.cert, cert);
    writeFileSync(tls.key, key);
    return tls;
  };
  const start = (
    more: Partial<TlsOptions> = {},
    options: HttpServerOptions = {},
    handlers: Handlers = {},
  ): Promise<Served> => {
    const tls = { ...install(identities[0]!), ...more };
    return serve(make(options), handlers, { port: 0, host: "127.0.0.1", tls });
  };
  /** Opens a connection. Rejects if a side refuses the handshake, which clients of TLS 1.3 notice at the first byte of the response. */
  const open = async (port: number, options: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = connectTls({ port, host: "127.0.0.1", ca: authority.certificate, ...options });
    await once(socket, "secureConnect");
    return socket;
  };
  const ask = async (port: number, options: ConnectionOptions = {}): Promise<string> => {
    const socket = await open(port, options);
    socket.write("GET /notes/1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const bytes = Buffer.concat(await socket.toArray()).toString();
    if (bytes === "") throw new Error("the server has closed the connection without a response");
    return bytes;
  };

  test("answers over TLS 1.3 with HTTP/1.1, and the origin of a request begins with https", async () => {
    await using app = await start({}, {}, { get: (ctx) => ({ text: ctx.origin }) });
    assert.match(app.url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const socket = await open(app.port, { ALPNProtocols: ["h2", "http/1.1"] });
    assert.deepEqual([socket.getProtocol(), socket.alpnProtocol], ["TLSv1.3", "http/1.1"]);
    // OpenSSL's clients prefer AES with 256 bits.
    assert.equal(socket.getCipher().standardName, "TLS_AES_128_GCM_SHA256");
    socket.destroy();
    assert.match(await ask(app.port), /^HTTP\/1\.1 200 OK\r\n[^]*\{"text":"https:\/\/localhost"\}$/);
  });

  test("refuses TLS 1.2 with minVersion 1.3, and accepts it by default", async () => {
    const old: ConnectionOptions = { maxVersion: "TLSv1.2" };
    await using lax = await start();
    assert.match(await ask(lax.port, old), /^HTTP\/1\.1 200/);
    await assert.rejects(ask(lax.port, { ...old, ciphers: "ECDHE-ECDSA-AES128-SHA" }));
    await using strict = await start({ minVersion: "1.3" });
    await assert.rejects(ask(strict.port, old));
  });

  test("resumes the session of a client", async () => {
    await using app = await start();
    const first = await open(app.port);
    const [session] = (await once(first, "session")) as [Buffer];
    first.destroy();
    const second = await open(app.port, { session });
    assert.equal(second.isSessionReused(), true);
    second.destroy();
  });

  test("closes connections with plain HTTP or without a complete handshake, and serves others", async () => {
    await using app = await start({}, { headersTimeoutMs: 200 });
    const plain = connect(app.port, "127.0.0.1");
    plain.write("GET /notes/1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const answer = await plain.toArray().catch(() => []);
    // The native server sends 400 without TLS.
    assert.doesNotMatch(Buffer.concat(answer as Buffer[]).toString(), /^HTTP\/1\.1 2/);
    const silent = connect(app.port, "127.0.0.1").on("error", () => {});
    await once(silent.resume(), "close");
    assert.match(await ask(app.port), /^HTTP\/1\.1 200/);
  });

  test("closes without waiting for handshakes, and sends the responses of requests in progress", async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const app = await start(
      {},
      {},
      {
        get: async () => {
          begun.resolve();
          await release.promise;
          return { text: "late" };
        },
      },
    );
    const silent = connect(app.port, "127.0.0.1").on("error", () => {});
    await once(silent, "connect");
    const answer = ask(app.port);
    await begun.promise;
    const closed = app.close(20_000);
    release.resolve();
    assert.match(await answer, /"late"/);
    await closed;
  });

  test("refuses clients without a certificate of the authority if clientCertificates is required", async () => {
    const clientCa = clients.path("ca.pem");
    const known = clients.sign();
    await using app = await start({ clientCa });
    assert.match(await ask(app.port, { ...known }), /^HTTP\/1\.1 200/);
    await assert.rejects(ask(app.port));
    await assert.rejects(ask(app.port, { ...identities[1]! }));
  });

  test("refuses only wrong certificates if clientCertificates is optional", async () => {
    const clientCa = clients.path("ca.pem");
    await using app = await start({ clientCa, clientCertificates: "optional" });
    assert.match(await ask(app.port, { ...clients.sign() }), /^HTTP\/1\.1 200/);
    assert.match(await ask(app.port), /^HTTP\/1\.1 200/);
    await assert.rejects(ask(app.port, { ...identities[1]! }));
  });

  test("refuses clients of an authority that has expired", async () => {
    using expired = new Authority("expired", -1);
    const clientCa = clients.path("both.pem");
    writeFileSync(clientCa, expired.certificate + clients.certificate);
    for (const clientCertificates of ["required", "optional"] as const) {
      await using app = await start({ clientCa, clientCertificates });
      assert.match(await ask(app.port, { ...clients.sign() }), /^HTTP\/1\.1 200/);
      await assert.rejects(ask(app.port, { ...expired.sign() }));
    }
  });

  test("gives handlers the certificate of the client, also in a resumed session", async () => {
    const clientCa = clients.path("ca.pem");
    const known = clients.sign();
    const { fingerprint256, serialNumber } = new X509Certificate(known.cert);
    await using app = await start({ clientCa, clientCertificates: "optional" }, {}, { get: describeClient });
    const expected = `CN=localhost|localhost|CN=clients|localhost|127.0.0.1|${serialNumber}|${fingerprint256}|${known.cert}`;
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const identity = { ...known, maxVersion };
      const options = { port: app.port, host: "127.0.0.1", ca: authority.certificate, ...identity };
      const first = connectTls(options);
      let session: Buffer | undefined;
      first.on("session", (received: Buffer) => (session = received));
      first.write("GET /notes/1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assert.equal(textOf(Buffer.concat(await first.toArray()).toString()), expected);
      assert.equal(textOf(await ask(app.port, { ...identity, session: session! })), expected);
    }
    assert.equal(textOf(await ask(app.port)), "|||||||");
    const { data } = app.log.find(({ message }) => message === "Request")!;
    assert.deepEqual(
      { ...(data as { certificate: object }).certificate },
      { subject: "CN=localhost", fingerprint256 },
    );
  });

  test("replaces the certificate 100 times under load without a failed request", async () => {
    await using app = await start();
    const ca = authority.certificate;
    const agents = [new Agent({ keepAlive: true, ca }), new Agent({ keepAlive: false, ca })];
    const load = new AbortController();
    let count = 0;
    const requests = agents.map(async (agent) => {
      while (!load.signal.aborted) {
        assert.equal(await status(app.port, agent), 200);
        count += 1;
      }
    });
    const serials = new Set<string>();
    for (let round = 0; round < 100; round += 1) {
      install(identities[(round + 1) % 2]!);
      const answered = count;
      process.emit("SIGHUP", "SIGHUP");
      const socket = await open(app.port);
      serials.add(socket.getPeerCertificate().serialNumber);
      socket.destroy();
      await until(() => count > answered);
    }
    load.abort();
    await Promise.all(requests);
    assert.equal(serials.size, 2);
    for (const agent of agents) agent.destroy();
  });

  test("keeps the certificate in use if a new file cannot be used, and logs an error", async () => {
    await using app = await start();
    writeFileSync(authority.path("server.key"), identities[1]!.key);
    process.emit("SIGHUP", "SIGHUP");
    const entry = app.log.find(({ message }) => message.includes("does not belong to"));
    assert.match(entry!.message, /stays in use$/);
    assert.match(await ask(app.port), /^HTTP\/1\.1 200/);
  });

  test("logs an error about a certificate that is not valid now", async () => {
    await using app = await start();
    assert.deepEqual(
      app.log.filter(({ message }) => message.includes("not valid now")),
      [],
    );
    install(authority.sign(-1));
    process.emit("SIGHUP", "SIGHUP");
    assert.ok(app.log.some(({ level, message }) => level === "error" && message.includes("server.pem")));
  });

  describe("with a port of plain HTTP", () => {
    let app: Served;
    before(async () => {
      app = await start({ redirectFrom: 0 });
    });
    after(() => app.close());
    for (const { name, request: text, status: expected, location } of redirects.cases) {
      test(name, async () => {
        const [head = "", body = ""] = (await raw(app.redirect!.port, text)).split("\r\n\r\n");
        assert.equal(Number(head.split(" ")[1]), expected, head);
        const sent = /^location: (.*)$/im.exec(head)?.[1];
        assert.equal(sent, location?.replace("{origin}", `https://localhost:${app.port}`));
        if (location === undefined) assert.match(body, /^\{"error":\{"code":"[A-Z_]+"/);
        else assert.match(head, /^cache-control: no-store$/im);
      });
    }
  });

  test("redirects plain HTTP to the given origin, and closes the port when the application closes", async () => {
    const app = await start({ redirectFrom: 0, redirectTo: "https://example.com" });
    const { port, url } = app.redirect!;
    assert.equal(url, `http://127.0.0.1:${port}`);
    const answer = await fetch(`${url}/a?b`, { method: "POST", body: "{}", redirect: "manual" });
    assert.deepEqual([answer.status, answer.headers.get("location")], [308, "https://example.com/a?b"]);
    await app.close();
    await assert.rejects(fetch(`${url}/a`));
  });

  test("rejects listen and closes the server if the port of plain HTTP cannot be used", async () => {
    await using other = await start({ redirectFrom: 0 });
    const { port } = other.redirect!;
    await assert.rejects(start({ redirectFrom: port }), {
      name: "StartError",
      code: "EADDRINUSE",
      message: new RegExp(
        `^plain HTTP cannot be redirected from port ${port}: another program uses the port`,
      ),
    });
    assert.match(await ask(other.port), /^HTTP\/1\.1 200/);
  });

  test("rejects listen with the name of the file that cannot be used", async () => {
    const key = authority.path("wrong.key");
    for (const [text, problem] of [
      [
        identities[1]!.key,
        /the key of .*wrong\.key does not belong to the first certificate of .*server\.pem/,
      ],
      ["no key", /the key file .*wrong\.key (?:cannot be read|contains no)/],
    ] as const) {
      writeFileSync(key, text);
      await assert.rejects(start({ key }), { name: "StartError", code: "ERR_KIT_TLS", message: problem });
    }
    await assert.rejects(start({ cert: authority.path("missing.pem") }), /missing\.pem cannot be read/);
    await assert.rejects(
      start({ clientCa: key }),
      /file of authorities for clients .*wrong\.key (?:cannot be|contains no)/,
    );
  });
}

function status(port: number, agent: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request({ port, host: "127.0.0.1", path: "/notes/1", agent }, (response) => {
    response.resume().on("end", () => resolve(response.statusCode!));
  })
    .on("error", reject)
    .end();
  return promise;
}

/** Handler that responds with the certificate of the client, and logs it. */
function describeClient(ctx: RequestContext): object {
  const found = ctx.clientCertificate;
  assert.equal(ctx.clientCertificate, found);
  const { subject, commonName, issuer, dnsNames, ipAddresses } = found ?? {};
  const names = [subject, commonName, issuer, dnsNames?.join(), ipAddresses?.join()];
  ctx.log.error("Request", { certificate: found });
  return { text: [...names, found?.serialNumber, found?.fingerprint256, found?.pem()].join("|") };
}

/** Returns the property `text` of the body of a response. */
function textOf(response: string): string {
  return (JSON.parse(response.slice(response.indexOf("\r\n\r\n") + 4)) as { text: string }).text;
}
