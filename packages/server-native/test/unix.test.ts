import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import type { ServerAdapter, ServerService } from "@kit/types";

import { nativeServer } from "../src/index.ts";
import { json, routes, tree } from "./support.ts";

async function listen(path: string): Promise<ServerAdapter> {
  const server = nativeServer();
  const service: ServerService = {
    tree,
    routes,
    limits: { bodyBytes: 1024 },
    handle: (exchange) => json(exchange, exchange.remoteAddress),
    fail: () => {},
  };
  const address = await server.listen(service, { port: 0, path });
  assert.deepEqual(address, { host: "", port: 0, path, url: `unix:${path}` });
  return server;
}

async function sendRequest(path: string): Promise<string> {
  const socket = connect(path);
  socket.write("GET /notes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  return Buffer.concat(await socket.toArray()).toString();
}

test("serves on a Unix socket and removes the socket's file on close", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "kit-unix-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "app.sock");
  const server = await listen(path);
  assert.match(await sendRequest(path), /^HTTP\/1.1 200 .*\r\n\r\n""$/s);
  await assert.rejects(listen(path), {
    code: "EADDRINUSE",
    path,
    message: /another server listens on it, or the file is not a socket/,
  });
  await server.close({ graceMs: 0 });
  assert.equal(existsSync(path), false);
});

test("replaces the socket file that a killed server has left", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "kit-unix-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "app.sock");
  const child = spawn(process.execPath, [
    "-e",
    `require("node:net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`,
  ]);
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.ok(existsSync(path), "the test shows nothing");
  const server = await listen(path);
  assert.match(await sendRequest(path), /^HTTP\/1.1 200 /);
  await server.close({ graceMs: 0 });
});

test("listen rejects with the reason if a server cannot bind to the path", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "kit-unix-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "data.txt");
  writeFileSync(file, "data");
  await assert.rejects(listen(file), { code: "EADDRINUSE" });
  await assert.rejects(listen(join(directory, "none", "app.sock")), {
    code: "ENOENT",
    message: /the directory does not exist/,
  });
  await assert.rejects(listen(join(directory, "x".repeat(200))), /Cannot listen on .*x: .+/);
});
