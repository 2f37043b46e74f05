// Tests static files that the native server serves without JavaScript. `tests/conformance/static.test.ts` runs the cases of
// conformance/static.json.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, realpath, rm, truncate, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

import type { FileSite, ServedFiles, ServerExchange, ServerRefusal } from "@kit/types";

import { nativeServer } from "../src/index.ts";
import { engineTest as test, json, routes, tree } from "./support.ts";

const bigBytes = 20 * 1024 * 1024;

let root: string;
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "kit-native-files-")));
  await writeFile(join(root, "small.txt"), "small");
  await writeFile(join(root, "big.bin"), Buffer.alloc(bigBytes, "ab"));
});
after(() => rm(root, { recursive: true }));

interface App extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Targets of the requests that JavaScript received. */
  readonly passed: string[];
  readonly refusals: ServerRefusal[];
}

async function serveFiles(more: Partial<ServedFiles> = {}, site: Partial<FileSite> = {}): Promise<App> {
  const server = nativeServer();
  const passed: string[] = [];
  const refusals: ServerRefusal[] = [];
  const whole: FileSite = {
    root,
    prefix: "",
    headers: ["cache-control", "no-cache"],
    precompressed: false,
    spa: null,
    spaExcept: [],
    dotFiles: false,
    followSymlinks: false,
    ...site,
  };
  const { port, url } = await server.listen(
    {
      tree,
      routes,
      limits: { bodyBytes: 1024 },
      servedFiles: { sites: [whole], reserved: [], headers: [], dependsOnOrigin: false, ...more },
      handle: (exchange: ServerExchange) => {
        passed.push(exchange.target);
        json(exchange, { kind: exchange.match?.kind }, 404);
      },
      fail: () => undefined,
      logRefusal: (refusal) => void refusals.push(refusal),
    },
    { port: 0, host: "127.0.0.1" },
  );
  return { port, url, passed, refusals, [Symbol.asyncDispose]: () => server.close({ graceMs: 0 }) };
}

function requestFor(path: string, more = ""): string {
  return `GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`;
}

/** Returns true if a descriptor of this process is open for a file below the directory of the tests. */
function isOpen(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).startsWith(root);
  } catch {
    return false;
  }
}

/** Waits until this process has no open file below the directory of the tests. */
async function untilClosed(): Promise<void> {
  for (let round = 0; round < 200; round += 1) {
    if (!readdirSync("/proc/self/fd").some(isOpen)) return;
    await sleep(10);
  }
  assert.fail("a file stays open");
}

describe("static files of the native server", () => {
  test("sends files without a call of JavaScript", async () => {
    await using app = await serveFiles();
    for (let round = 0; round < 3; round += 1) {
      const small = await fetch(`${app.url}/small.txt`);
      assert.equal(await small.text(), "small");
      assert.equal((await (await fetch(`${app.url}/big.bin`)).arrayBuffer()).byteLength, bigBytes);
      const tag = small.headers.get("etag")!;
      assert.equal((await fetch(`${app.url}/small.txt`, { headers: { "if-none-match": tag } })).status, 304);
    }
    assert.deepEqual(app.passed, []);
    await untilClosed();
  });

  test("lets the application handle requests without a file and requests that end with an error", async () => {
    await using app = await serveFiles({ reserved: ["/healthz"], dependsOnOrigin: true });
    await writeFile(join(root, "healthz"), "file");
    const sent: readonly (readonly [target: string, init: RequestInit])[] = [
      ["/missing?a=1", {}],
      ["/small.txt", { method: "POST" }],
      ["/small.txt", { headers: { range: "bytes=50-" } }],
      ["/small.txt", { headers: { "if-match": '"a"' } }],
      ["/small.txt", { headers: { origin: "https://a.example" } }],
      ["/healthz", {}],
    ];
    for (const [target, init] of sent) {
      const response = await fetch(app.url + target, init);
      assert.equal(response.status, 404);
      assert.deepEqual(await response.json(), { kind: "not-found" });
    }
    assert.deepEqual(
      app.passed,
      sent.map(([target]) => target),
    );
  });

  test("routes take precedence over files", async () => {
    await writeFile(join(root, "notes"), "file");
    await using app = await serveFiles();
    assert.deepEqual(await (await fetch(`${app.url}/notes`)).json(), { kind: "route" });
    assert.deepEqual(app.passed, ["/notes"]);
  });

  test("joins the headers of the application with the headers of the option staticFiles", async () => {
    await using app = await serveFiles(
      { headers: ["vary", "origin", "x-own", "application"] },
      { precompressed: true, headers: ["x-own", "site", "x-site", "yes"] },
    );
    const { headers } = await fetch(`${app.url}/small.txt`);
    assert.equal(headers.get("vary"), "accept-encoding, origin");
    assert.equal(headers.get("x-own"), "application");
    assert.equal(headers.get("x-site"), "yes");
  });

  test("answers several requests in a row in their order", async () => {
    await using app = await serveFiles();
    const socket = connect(app.port, "127.0.0.1");
    socket.write(
      ["/small.txt", "/missing", "/big.bin", "/small.txt"].map((path) => requestFor(path)).join(""),
    );
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    while (!text.endsWith("small") || text.length < bigBytes) await sleep(10);
    socket.destroy();
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), [
      "HTTP/1.1 200",
      "HTTP/1.1 404",
      "HTTP/1.1 200",
      "HTTP/1.1 200",
    ]);
  });

  test("closes the connection if a file becomes shorter, and reports this to the application", async () => {
    const path = join(root, "shrinks.bin");
    await writeFile(path, Buffer.alloc(bigBytes));
    await using app = await serveFiles();
    const socket = connect(app.port, "127.0.0.1");
    socket.write(requestFor("/shrinks.bin"));
    await once(socket, "readable");
    await truncate(path, 1000);
    let bytes = 0;
    for await (const chunk of socket) bytes += (chunk as Buffer).length;
    assert.ok(bytes < bigBytes, `${bytes} bytes`);
    await untilClosed();
    assert.deepEqual(
      app.refusals.map(({ code }) => code),
      ["FILE_CUT"],
    );
  });

  test("closes the file of a client that disconnects", async () => {
    await using app = await serveFiles();
    for (let round = 0; round < 20; round += 1) {
      const socket = connect(app.port, "127.0.0.1");
      socket.write(requestFor("/big.bin"));
      if (round % 2 === 0) await once(socket, "readable");
      socket.destroy();
    }
    await untilClosed();
    assert.equal(await (await fetch(`${app.url}/small.txt`)).text(), "small");
  });

  test("a file is not read further while its client does not read", async () => {
    await using app = await serveFiles();
    const socket = connect(app.port, "127.0.0.1");
    socket.write(requestFor("/big.bin", "connection: close\r\n"));
    await sleep(200);
    // Other clients are served, and the rest follows when the client reads.
    assert.equal(await (await fetch(`${app.url}/small.txt`)).text(), "small");
    let bytes = 0;
    for await (const chunk of socket) bytes += (chunk as Buffer).length;
    assert.ok(bytes > bigBytes, `${bytes} bytes`);
  });

  test("a server that closes during a response releases its files", async () => {
    const app = await serveFiles();
    const socket = connect(app.port, "127.0.0.1");
    socket.write(requestFor("/big.bin") + requestFor("/missing"));
    await once(socket, "readable");
    await app[Symbol.asyncDispose]();
    socket.resume();
    await once(socket, "close");
    await untilClosed();
  });

  test(
    "a worker thread that ends while files are read does not end the process",
    { timeout: 60_000 },
    async () => {
      const code = `
      import { parentPort, workerData } from "node:worker_threads";
      const { nativeServer } = await import(workerData.server);
      const server = nativeServer();
      const { port } = await server.listen(workerData.service, { port: 0, host: "127.0.0.1" });
      parentPort.postMessage(port);
    `;
      const site = { root, prefix: "", headers: [], precompressed: false, spa: null, spaExcept: [] };
      const service = {
        tree,
        routes,
        limits: { bodyBytes: 1024 },
        servedFiles: {
          sites: [{ ...site, dotFiles: false, followSymlinks: false }],
          reserved: [],
          headers: [],
          dependsOnOrigin: false,
        },
      };
      for (let round = 0; round < 5; round += 1) {
        const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
          workerData: { server: new URL("../src/index.ts", import.meta.url).href, service },
        });
        const [port] = (await once(worker, "message")) as [number];
        const sockets = Array.from({ length: 20 }, () => {
          const socket = connect(port, "127.0.0.1");
          socket.on("error", () => undefined).resume();
          socket.write(requestFor("/big.bin"));
          return socket;
        });
        await sleep(round * 5);
        await worker.terminate();
        for (const socket of sockets) socket.destroy();
      }
      await untilClosed();
    },
  );
});
