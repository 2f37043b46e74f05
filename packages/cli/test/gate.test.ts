// Tests of the gate of `kit dev`, which passes connections to a server that another program runs.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";

import { Authority } from "../../server-node/test/certificates.ts";
import { Gate } from "../src/dev/gate.ts";

/** Starts a server that sends its name and everything that it has received, when the client has sent everything. */
async function backend(t: TestContext, name: string, accepted = (): void => {}): Promise<number> {
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    let text = "";
    accepted();
    socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    socket.on("end", () => socket.end(`${name}: ${text}`, "latin1"));
    socket.on("error", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as { port: number }).port;
}

async function gate(t: TestContext): Promise<{ gate: Gate; port: number }> {
  const opened = new Gate(["api.example"]);
  const port = await opened.listen("127.0.0.1", 0);
  t.after(() => opened.close());
  return { gate: opened, port };
}

function open(port: number): Socket {
  return connect({ host: "127.0.0.1", port, allowHalfOpen: true });
}

async function sent(port: number, text: string): Promise<string> {
  const socket = open(port).setEncoding("latin1");
  socket.end(text, "latin1");
  return (await socket.toArray()).join("");
}

test("passes all bytes of a connection in both directions, also after the client has closed its side", async (t) => {
  const { gate: opened, port } = await gate(t);
  opened.backend = { port: await backend(t, "one") };
  const request = "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n\xff\0body";
  assert.equal(await sent(port, request), `one: ${request}`);
});

test("tells a server that knows kit dev the address of the client in the first line", async (t) => {
  const { gate: opened, port } = await gate(t);
  opened.backend = { port: await backend(t, "one"), token: "secret" };
  const socket = connect({ host: "127.0.0.1", port, localAddress: "127.0.0.2", allowHalfOpen: true });
  socket.setEncoding("latin1").end("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const text = (await socket.toArray()).join("");
  assert.match(text, /^one: KIT-DEV secret 127\.0\.0\.2 \d+\nGET \/ HTTP\/1\.1\r\n/);
});

test("passes an incomplete head when the client has closed its side", async (t) => {
  const { gate: opened, port } = await gate(t);
  opened.backend = { port: await backend(t, "one") };
  assert.equal(await sent(port, "GET / HT"), "one: GET / HT");
});

test("keeps a connection with its server, and passes later connections to the new server", async (t) => {
  const { gate: opened, port } = await gate(t);
  const { promise: accepted, resolve } = Promise.withResolvers<void>();
  opened.backend = { port: await backend(t, "one", resolve) };
  const early = open(port).setEncoding("latin1");
  early.write("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await accepted;
  opened.backend = { port: await backend(t, "two") };
  assert.match(await sent(port, "GET /3 HTTP/1.1\r\nHost: localhost\r\n\r\n"), /^two/);
  early.end();
  assert.match((await early.toArray()).join(""), /^one: GET \/1/);
});

test("responds with the reason if no server runs", async (t) => {
  const { gate: opened, port } = await gate(t);
  opened.build = { status: "failed", text: "no handler" };
  const answer = await sent(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  assert.match(answer, /^HTTP\/1\.1 503 [^]*"APP_UNAVAILABLE"[^]*no handler/);
});

test("responds with the result of the build while a server runs", async (t) => {
  const { gate: opened, port } = await gate(t);
  opened.backend = { port: await backend(t, "one") };
  const answer = await sent(port, "GET /__kit/build HTTP/1.1\r\nHost: localhost\r\n\r\n");
  assert.match(answer, /^HTTP\/1\.1 200 [^]*"status":"built"/);
});

test("refuses a request if one of its host names is unknown", async (t) => {
  const { gate: opened, port } = await gate(t);
  opened.backend = { port: await backend(t, "one") };
  for (const host of ["evil.example", "evil.example:80"]) {
    // oxlint-disable-next-line no-await-in-loop -- one connection after the other
    const answer = await sent(port, `GET / HTTP/1.1\r\nHOST:  ${host} \r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 403 [^]*HOST_NOT_ALLOWED/);
  }
  assert.match(await sent(port, "GET / HTTP/1.1\r\nHost: api.example:3000\r\n\r\n"), /^one/);
});

/** Opens a gate for a server with TLS. Returns a function that sends a request over TLS and returns the response. */
async function tlsGate(t: TestContext): Promise<{
  gate: Gate;
  port: number;
  serve: () => Promise<void>;
  ask: () => Promise<string>;
}> {
  const authority = new Authority();
  t.after(() => authority[Symbol.dispose]());
  const files = authority.signFiles();
  const identity = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  const opened = new Gate(["api.example"]);
  opened.tls = files;
  const port = await opened.listen("127.0.0.1", 0);
  t.after(() => opened.close());
  const serve = async (): Promise<void> => {
    const server = createTlsServer(identity, (socket) => socket.end("from the program"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    opened.backend = { port: (server.address() as { port: number }).port };
  };
  const ask = async (): Promise<string> => {
    const socket = connectTls({ port, host: "127.0.0.1", ca: authority.certificate }).setEncoding("latin1");
    socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    return (await socket.toArray()).join("");
  };
  return { gate: opened, port, serve, ask };
}

test("passes connections with TLS to a program that speaks TLS", async (t) => {
  const { serve, ask } = await tlsGate(t);
  await serve();
  assert.equal(await ask(), "from the program");
});

test("explains over TLS why no program runs, with the certificate of the program", async (t) => {
  const { gate: opened, ask } = await tlsGate(t);
  opened.build = { status: "failed", text: "cargo is building the server" };
  assert.match(await ask(), /^HTTP\/1\.1 503 [^]*cargo is building the server/);
});

test("answers plain HTTP with the scheme of a program that speaks TLS", async (t) => {
  const { port, serve } = await tlsGate(t);
  await serve();
  assert.match(await sent(port, "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"), /^HTTP\/1\.1 400 [^]*https:/);
});

test("closes connections with TLS at once if the program speaks plain HTTP", async (t) => {
  const { gate: opened, port } = await gate(t);
  opened.backend = { port: await backend(t, "A") };
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await assert.rejects(once(socket, "secureConnect"));
});
