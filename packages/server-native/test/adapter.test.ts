import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

import { load } from "../src/addon.ts";
import { nativeServer } from "../src/index.ts";
import { engineTest, json, leave, raw, serve } from "./support.ts";

test("sends responses of handlers that respond synchronously, in a microtask, or in a timer", async () => {
  await using app = await serve((exchange) => {
    const later: Record<string, () => Promise<void>> = {
      "/notes/promise": () => Promise.resolve(),
      "/notes/tick": () => new Promise((resolve) => process.nextTick(resolve)),
      "/notes/immediate": () => new Promise((resolve) => setImmediate(resolve)),
      "/notes/timer": () => sleep(20),
    };
    const wait = later[exchange.target];
    if (wait === undefined) json(exchange, exchange.target);
    else void wait().then(() => json(exchange, exchange.target));
  });
  const names = ["now", "promise", "tick", "immediate", "timer"];
  for (const name of names)
    assert.equal(await (await fetch(`${app.url}/notes/${name}`)).json(), `/notes/${name}`);
  const all = Array.from({ length: 200 }, (_, index) => `/notes/${names[index % names.length]!}`);
  assert.deepEqual(await Promise.all(all.map(async (path) => (await fetch(app.url + path)).json())), all);
});

test("sends a response at once if a timer wrote it", async () => {
  await using app = await serve((exchange) => void setTimeout(() => json(exchange, 1), 1));
  const start = performance.now();
  for (let count = 0; count < 20; count += 1) await fetch(`${app.url}/notes`);
  assert.ok(performance.now() - start < 1000, `20 requests took ${performance.now() - start} ms`);
});

test("calls the abort listeners once if the client disconnects", async () => {
  const events: string[] = [];
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await using app = await serve((exchange) => {
    exchange.onAbort(() => events.push(`${exchange.target} first`));
    exchange.onAbort(() => {
      events.push(`${exchange.target} second`);
      setTimeout(() => {
        exchange.onAbort(() => events.push(`${exchange.target} late`));
        // A handler can still read its request after the client has disconnected.
        events.push(exchange.header("host") ?? "no host");
        json(exchange, 1);
        answer();
      }, 20);
    });
    arrive();
  });
  await leave(app.address.port, "/notes", arrived);
  await answered;
  await sleep(20);
  assert.deepEqual(events, ["/notes first", "/notes second", "/notes late", "a"]);
});

test("listen rejects with a clear error if the port is in use", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await assert.rejects(
    serve(() => {}, { port }),
    { code: "EADDRINUSE", message: new RegExp(`port ${port}.*in use`) },
  );
  other.close();
  await using app = await serve(() => {});
  await assert.rejects(app.server.listen({} as never, { port: 0 }), /already listening/);
  await assert.rejects(
    serve(() => {}, { host: "host.invalid" }),
    { code: "ENOTFOUND", message: /host\.invalid.*cannot be resolved/ },
  );
});

// The fallback on node:http does not use the tree: kit's pipeline matches its routes.
engineTest("rejects an invalid route tree", async () => {
  const service = {
    tree: { root: { segment: "", children: [] } },
    routes: [],
    limits: { bodyBytes: 1 },
    handle: () => {},
  };
  await assert.rejects(nativeServer().listen(service as never, { port: 0 }), { code: "ERR_KIT_OPTIONS" });
});

test("nativeServer refuses invalid timeouts", () => {
  assert.throws(() => nativeServer({ keepAliveTimeoutMs: 0 }), RangeError);
  assert.throws(() => nativeServer({ headersTimeoutMs: Number.NaN }), RangeError);
});

test("applies the timeouts to each connection, if several are open", async () => {
  await using app = await serve((exchange) => json(exchange, 1), {
    headersTimeoutMs: 40,
    keepAliveTimeoutMs: 60,
  });
  const { port } = app.address;
  for (let round = 0; round < 5; round += 1) {
    assert.match(await raw(port, "GET /notes HT"), /^HTTP\/1.1 408 .*"code":"REQUEST_TIMEOUT"/s);
    // An idle connection is closed after its response.
    assert.match(await raw(port, "GET /notes HTTP/1.1\r\nHost: a\r\n\r\n"), /\r\n\r\n1$/);
  }
});

test("throws a clear error for an unknown platform, and for a platform whose addon is not installed", () => {
  assert.throws(() => load("plan9-vax"), { code: "ERR_KIT_ADDON", message: /does not run on plan9-vax/ });
  assert.throws(() => load("linux-arm64-musl"), {
    code: "ERR_KIT_ADDON",
    message: /no addon for linux-arm64-musl/,
  });
});

test("close waits for requests in progress and accepts no new connections", async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const app = await serve((exchange) => {
    arrive();
    setTimeout(() => json(exchange, "late"), 60);
  });
  const { port } = app.address;
  const answer = raw(port, "GET /notes HTTP/1.1\r\nHost: a\r\n\r\n");
  await arrived;
  assert.ok((app.server.getNativeServer() as { connections(): number }).connections() > 0);
  const closed = app.server.close({ graceMs: 5000 });
  assert.match(await answer, /connection: close[^]*"late"$/i);
  await closed;
  await assert.rejects(fetch(app.url));
  // The port is free again.
  await using _ = await serve(() => {}, { port });
  await app.server.close({ graceMs: 0 });
});

test("close() aborts requests after the grace period, and their late responses cause no error", async () => {
  const late = Promise.withResolvers<unknown>();
  const app = await serve((exchange) => {
    setTimeout(() => {
      try {
        late.resolve([exchange.header("host"), json(exchange, 1)]);
      } catch (error) {
        late.resolve(error);
      }
    }, 150);
  });
  const answer = raw(app.address.port, "GET /notes HTTP/1.1\r\nHost: a\r\n\r\n");
  await sleep(20);
  await app.server.close({ graceMs: 30 });
  assert.equal(await answer, "");
  assert.deepEqual(await late.promise, ["a", undefined]);
});

test("an exception in a handler is an uncaught exception of the process, and the server keeps running if the process handles it", () => {
  const script = `
    import { serve, json } from ${JSON.stringify(new URL("./support.ts", import.meta.url).href)};
    process.on("uncaughtException", (error) => console.log("caught", error.message));
    const app = await serve((exchange) => {
      if (exchange.target === "/notes/throw") { json(exchange, 0); throw new Error("boom"); }
      json(exchange, 1);
    });
    console.log(await (await fetch(app.url + "/notes/throw")).text(), await (await fetch(app.url + "/notes")).text());
    await app.server.close({ graceMs: 100 });
  `;
  const { stdout, status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    timeout: 20_000,
  });
  assert.deepEqual([stdout, status, stderr], ["caught boom\n0 1\n", 0, ""]);
});

function runServer(end: string): unknown[] {
  const script = `
    import { serve, json } from ${JSON.stringify(new URL("./support.ts", import.meta.url).href)};
    const app = await serve((exchange) => json(exchange, 1));
    await (await fetch(app.url + "/notes")).text();
    ${end}
  `;
  const { status, signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    timeout: 20_000,
  });
  return [status, signal, stderr];
}

test("a process exits by itself after `close`, and `process.exit` works without `close`", () => {
  assert.deepEqual(runServer("await app.server.close({ graceMs: 1000 });"), [0, null, ""]);
  assert.deepEqual(runServer("process.exit(7);"), [7, null, ""]);
});

test(
  "each worker thread has its own server, and can end without a call of `close`",
  { timeout: 30_000 },
  async () => {
    const script = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(new URL("./support.ts", import.meta.url).href)}).then(async ({ serve, json }) => {
      const app = await serve((exchange) => json(exchange, "worker"));
      parentPort.postMessage(app.url);
    });
  `;
    await using here = await serve((exchange) => json(exchange, "main"));
    for (let round = 0; round < 5; round += 1) {
      const workers = [1, 2].map(() => new Worker(script, { eval: true }));
      const urls = await Promise.all(workers.map((worker) => once(worker, "message") as Promise<[string]>));
      for (const [url] of urls) assert.equal(await (await fetch(`${url}/notes`)).json(), "worker");
      for (const worker of workers) await worker.terminate();
      assert.equal(await (await fetch(`${here.url}/notes`)).json(), "main");
    }
  },
);

async function serveOnce(): Promise<void> {
  const app = await serve((exchange) => json(exchange, 1));
  await raw(app.address.port, "GET /notes HTTP/1.1\r\nHost: a\r\nconnection: close\r\n\r\n");
  await app.server.close({ graceMs: 100 });
}

engineTest("starting and stopping servers leaks nothing", { timeout: 60_000 }, async () => {
  for (let round = 0; round < 50; round += 1) await serveOnce();
  const before = process.memoryUsage.rss();
  for (let round = 0; round < 400; round += 1) await serveOnce();
  const grown = (process.memoryUsage.rss() - before) / 1024 / 1024;
  // One server that is not freed would use 25 MiB.
  assert.ok(grown < 16, `memory grew by ${grown.toFixed(1)} MiB`);
});
