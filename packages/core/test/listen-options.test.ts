import assert from "node:assert/strict";
import { test } from "node:test";

import { type AppListenOptions, createApp } from "@kit/core";

import { compiled } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";

test("listen refuses invalid options before it starts the plugins", async () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{}, /`port` must be an integer from 0 to 65535, not undefined/],
    [{ port: 65_536 }, /not 65536/],
    [{ port: "80" }, /not 80/],
    [{ path: "" }, /`path` must be the path of a Unix socket, not ""/],
    [{ path: "a\0b" }, /`path` must be/],
    [{ path: 5 }, /`path` must be .*, not 5/],
  ];
  for (const [options, message] of wrong) {
    const server = new MemoryServer();
    const app = createApp({ server, routes: [], compiled: compiled(), signals: false });
    await assert.rejects(app.listen(options as AppListenOptions), { message });
    assert.deepEqual(server.calls, []);
  }
});

test("listen refuses a Unix socket if the server adapter does not support it, and closes the server", async () => {
  const server = new MemoryServer();
  const app = createApp({ server, routes: [], compiled: compiled(), signals: false });
  await assert.rejects(app.listen({ path: "/run/app.sock" }), {
    message: "listen: the server adapter `memory` cannot listen on a Unix socket",
  });
  assert.deepEqual(server.calls, ["listen 0", "close 0"]);
});

test("listen refuses invalid options of TLS by name", async () => {
  const files = { cert: "a.pem", key: "a.key" };
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    ["a.pem", /`tls` must be an object with the paths `cert` and `key`/],
    [null, /`tls` must be an object/],
    [{ cert: "a.pem" }, /`tls\.key` must be the path of a file in PEM, not undefined/],
    [{ ...files, cert: "" }, /`tls\.cert` must be the path of a file in PEM, not ""/],
    [{ ...files, clientCa: 5 }, /`tls\.clientCa` must be the path/],
    [{ ...files, ca: "b.pem" }, /unknown option `tls\.ca`; valid options are cert, key, clientCa/],
    [{ ...files, clientCertificates: "optional" }, /`tls\.clientCertificates` needs `tls\.clientCa`/],
    [{ ...files, clientCa: "c.pem", clientCertificates: true }, /must be "required" or "optional", not true/],
    [{ ...files, minVersion: "1.1" }, /`tls\.minVersion` must be "1\.2" or "1\.3", not "1\.1"/],
    [{ ...files, http2: "yes" }, /`tls\.http2` must be true or false, not "yes"/],
    [{ ...files, redirectFrom: "80" }, /`tls\.redirectFrom` must be a port, .* not 80/],
    [{ ...files, redirectFrom: 65_536 }, /`tls\.redirectFrom` must be a port, .* not 65536/],
    [{ ...files, redirectTo: "https://a" }, /`tls\.redirectTo` needs `tls\.redirectFrom`/],
    [{ ...files, redirectFrom: 80, redirectTo: "http://a" }, /`tls\.redirectTo` must be an origin/],
    [{ ...files, redirectFrom: 80, redirectTo: "https://a/b" }, /`tls\.redirectTo` must be an origin/],
    [{ ...files, redirectFrom: 80, redirectTo: "https://*.a" }, /`tls\.redirectTo` must be an origin/],
  ];
  for (const [tls, message] of wrong) {
    const server = new MemoryServer();
    const app = createApp({ server, routes: [], compiled: compiled(), signals: false });
    await assert.rejects(app.listen({ port: 0, tls } as AppListenOptions), { name: "TypeError", message });
    assert.deepEqual(server.calls, []);
  }
});

test("listen refuses redirects from its own port, from a Unix socket to no origin, and on adapters without them", async () => {
  const files = { cert: "a.pem", key: "a.key", redirectFrom: 80 };
  const wrong: readonly (readonly [AppListenOptions, RegExp])[] = [
    [{ port: 80, tls: files }, /`tls\.redirectFrom` is 80, the port of the server/],
    [{ path: "/run/app.sock", tls: files }, /`tls\.redirectFrom` with `path` needs `tls\.redirectTo`/],
    [{ port: 443, tls: files }, /^the server adapter `memory` cannot redirect plain HTTP/],
  ];
  for (const [options, message] of wrong) {
    const server = Object.assign(new MemoryServer(), { reloadTls: () => {} });
    const app = createApp({ server, routes: [], compiled: compiled(), signals: false });
    await assert.rejects(app.listen(options), { message });
    assert.deepEqual(server.calls, []);
  }
});

test("listen refuses TLS before it starts the server if the adapter does not support TLS, and names the adapter", async () => {
  const server = new MemoryServer();
  const app = createApp({ server, routes: [], compiled: compiled(), signals: false });
  await assert.rejects(app.listen({ port: 0, tls: { cert: "a.pem", key: "a.key" } }), {
    name: "StartError",
    message:
      /^the server adapter `memory` has no TLS here \(.*\)\n {2}in the option `tls` of `listen`\nhelp: /,
  });
  assert.deepEqual(server.calls, []);
});

test("listen refuses HTTP/2 before it starts the server if the adapter does not support HTTP/2, and names the adapter", async () => {
  const tls = { cert: "a.pem", key: "a.key", http2: true };
  const server = Object.assign(new MemoryServer(), { reloadTls: () => {} });
  const app = createApp({ server, routes: [], compiled: compiled(), signals: false });
  await assert.rejects(app.listen({ port: 0, tls }), {
    name: "StartError",
    message:
      /^the server adapter `memory` has no HTTP\/2 here \(test\)\n {2}in the option `tls\.http2` of `listen`\nhelp: use `nativeServer`/,
  });
  assert.deepEqual(server.calls, []);
});
