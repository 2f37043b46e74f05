// Streamed responses at their beginning (the first value and the head) and at the shutdown of the server, on every server.

import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, test } from "node:test";

import { createApp, type RequestContext } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { ServerAdapter } from "@kit/types";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { bodyOptions } from "./bodies-application.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

interface Input {
  readonly ctx: RequestContext;
  readonly reply: (status: number, ...parts: unknown[]) => unknown;
}

const progress = (percent: number): object => ({ event: "progress", data: { percent } });
const book = { title: "Book", pages: 1, printed: new Date(0), secret: "inside" };
/** Time in milliseconds that a quiet stream waits, longer than the head of a response waits for a value. */
const quietMs = 600;

/** Names of what handlers have noticed. */
class Notes {
  readonly all: string[] = [];
  /** Lets quiet generators go on. */
  readonly released = Promise.withResolvers<void>();
  add(note: string): void {
    this.all.push(note);
  }
}

function handlers(notes: Notes): object {
  return {
    "GET /events": async function* ({ ctx }: Input) {
      const { "x-mode": mode } = ctx.headers;
      ctx.header("x-seen", mode ?? "nothing");
      if (mode === "denied") ctx.fail(403, "DENIED", "No events for you");
      if (mode === "broken") throw new Error("The generator failed");
      if (mode === "status") ctx.status(203);
      if (mode === "deferred-denied") {
        await sleep(20);
        ctx.fail(403, "DENIED", "No events for you");
      }
      if (mode === "quiet") {
        await notes.released.promise;
        yield { ...progress(1), id: `${ctx.headers["x-mode"]} ${ctx.ip}` };
        return;
      }
      if (mode === "quiet-broken") {
        await notes.released.promise;
        throw new Error("The generator failed");
      }
      ctx.signal.addEventListener("abort", () => notes.add("aborted"));
      if (mode === "late") await sleep(quietMs);
      try {
        for (let percent = 1; ; percent += 1) {
          if (mode !== "silent") yield progress(percent);
          await sleep(mode === "late" ? 10 : 60_000, undefined, { signal: ctx.signal });
        }
      } finally {
        notes.add("returned");
      }
    },
    "GET /books": async function* ({ ctx }: Input) {
      if (ctx.headers["x-mode"] === "denied") ctx.fail(403, "DENIED", "No books for you");
      yield book;
      await sleep(quietMs);
      yield book;
      notes.add("lines complete");
    },
    // Its first value never comes before the shutdown.
    "GET /table": async ({ ctx }: Input) => {
      notes.add("waits");
      await sleep(200);
      return ctx.send(eternal(ctx.signal, notes), { contentType: "text/event-stream" });
    },
    "GET /image": ({ ctx }: Input) => ctx.send(failing(), { contentType: "image/png" }),
    "GET /report": ({ ctx, reply }: Input) =>
      reply(203, ctx.headers["x-mode"] === "denied" ? denied(ctx) : [book]),
  };
}

async function* eternal(signal: AbortSignal, notes: Notes): AsyncGenerator<string> {
  try {
    yield ":\n\n";
    await sleep(60_000, undefined, { signal });
  } finally {
    notes.add("returned");
  }
}

// oxlint-disable-next-line require-yield -- The test needs a generator that fails before its first value.
async function* failing(): AsyncGenerator<Uint8Array> {
  throw new Error("The generator failed");
}

// oxlint-disable-next-line require-yield -- The test needs a generator that fails before its first value.
async function* denied(ctx: RequestContext): AsyncGenerator<object> {
  ctx.fail(403, "DENIED", "No report for you");
}

interface Running {
  readonly app: Pick<ReturnType<typeof createApp>, "close">;
  readonly port: number;
  readonly notes: Notes;
}

async function start(server: ServerAdapter): Promise<Running> {
  const notes = new Notes();
  const app = createApp({ ...bodyOptions(handlers(notes)), server });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { app, port, notes };
}

/** Reads the body of a response. `isComplete` is false if the connection ended before the body. */
async function readBody(response: Response): Promise<{ text: string; isComplete: boolean }> {
  let text = "";
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
    return { text, isComplete: true };
  } catch {
    return { text, isComplete: false };
  }
}

async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!condition()) {
    assert.ok(performance.now() < end, "the condition holds within ten seconds");
    await sleep(5);
  }
}

type Ask = (path: string, mode?: string, method?: string) => Promise<Response>;

type Way = readonly [
  name: string,
  open: () => Promise<{ ask: Ask; running: Omit<Running, "port"> & { readonly port?: number } }>,
];

/** Starts the Rust server, whose handlers are those of this test. Its quiet streams go on after {@link quietMs}. */
async function openRust(): ReturnType<Way[1]> {
  const program = await startRust("rust-server", { bodyBytes: 1024 });
  const { port } = program;
  const ask: Ask = (path, mode, method = "GET") =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: mode === undefined ? {} : { "x-mode": mode },
    });
  return { ask, running: { app: { close: () => program.stop!() }, notes: new Notes(), port } };
}

/** Ways to reach the application: each server over a connection, and `app.fetch` in the process. */
const ways: readonly Way[] = [
  ...servers.map(
    ([name, make]) =>
      [
        name,
        async () => {
          const running = await start(make());
          const ask: Ask = (path, mode, method = "GET") =>
            fetch(`http://127.0.0.1:${running.port}${path}`, {
              method,
              headers: mode === undefined ? {} : { "x-mode": mode },
            });
          return { ask, running };
        },
      ] as const,
  ),
  ...(servers.length === 0
    ? []
    : [
        [
          "fetch",
          async () => {
            const notes = new Notes();
            const app = createApp({ ...bodyOptions(handlers(notes)), server: nativeServer() });
            const ask: Ask = (path, mode, method = "GET") =>
              app.fetch(
                new Request(`http://127.0.0.1${path}`, {
                  method,
                  headers: mode === undefined ? {} : { "x-mode": mode },
                }),
              );
            await (await ask("/report")).text();
            return { ask, running: { app, notes } };
          },
        ] as const,
      ]),
  ...(isRust ? [["rust", openRust] as const] : []),
];

for (const [name, open] of ways) {
  describe(name, { concurrency: true }, () => {
    describe("first value", () => {
      test("a generator reads headers, and sets the headers and the status, before its first value", async () => {
        const { ask, running } = await open();
        const response = await ask("/events", "status");
        assert.equal(response.status, 203);
        assert.equal(response.headers.get("x-seen"), "status");
        assert.match(response.headers.get("content-type")!, /^text\/event-stream/);
        await response.body!.cancel();
        await running.app.close({ graceMs: 0 });
      });

      test("a generator that fails before its first value responds with its error", async () => {
        const { ask, running } = await open();
        for (const [path, mode] of [
          ["/events", "denied"],
          ["/events", "deferred-denied"],
          ["/books", "denied"],
          ["/report", "denied"],
        ] as const) {
          const response = await ask(path, mode);
          assert.equal(response.status, 403, `${path} ${mode}`);
          assert.match(response.headers.get("content-type")!, /^application\/json/);
          assert.equal(response.headers.get("x-accel-buffering"), null);
          const { error } = (await response.json()) as { error: { code: string } };
          assert.equal(error.code, "DENIED");
        }
        for (const [path, mode] of [
          ["/events", "broken"],
          ["/image", "failing"],
        ] as const) {
          const response = await ask(path, mode);
          assert.equal(response.status, 500, path);
          assert.match(await response.text(), /"INTERNAL_SERVER_ERROR"/);
        }
        await running.app.close({ graceMs: 0 });
      });

      test("HEAD has the status and headers of GET", async () => {
        const { ask, running } = await open();
        assert.equal((await ask("/events", "denied", "HEAD")).status, 403);
        const response = await ask("/events", "status", "HEAD");
        assert.equal(response.status, 203);
        assert.equal(response.headers.get("x-seen"), "status");
        assert.equal(await response.text(), "");
        await running.app.close({ graceMs: 0 });
      });

      test("the head of a quiet stream is sent before its first value", async () => {
        const { ask, running } = await open();
        const response = await ask("/events", "quiet");
        running.notes.released.resolve();
        const { text, isComplete } = await readBody(response);
        assert.ok(isComplete);
        // Headers and the address can still be read.
        assert.match(text, /^event: progress\nid: quiet ( |\S+)?\n/);
        if (running.port !== undefined) assert.match(text, /id: quiet .*127\.0\.0\.1\n/);
        await running.app.close({ graceMs: 0 });
      });

      test("a quiet stream that fails before its first value ends without a complete body", async () => {
        const { ask, running } = await open();
        const response = await ask("/events", "quiet-broken");
        running.notes.released.resolve();
        assert.equal(response.status, 200);
        assert.equal((await readBody(response)).isComplete, false);
        await running.app.close({ graceMs: 0 });
      });
    });

    // The Rust server has no notes. A test below covers its shutdown.
    if (name === "rust") return;

    describe("shutdown", () => {
      test("ends open event streams completely at the beginning of the grace period", async () => {
        const { ask, running } = await open();
        const { app, notes } = running;
        const talking = await ask("/events");
        const silent = await ask("/events", "silent");
        const begin = performance.now();
        const [first, second] = await Promise.all([
          readBody(talking),
          readBody(silent),
          app.close({ graceMs: 8_000 }),
        ]);
        assert.ok(performance.now() - begin < 4_000, `${performance.now() - begin} ms`);
        assert.equal(first.text, 'event: progress\ndata: {"percent":1}\n\n');
        assert.ok(first.isComplete);
        assert.ok(second.isComplete);
        await until(() => notes.all.length === 4);
        assert.deepEqual(notes.all.toSorted(), ["aborted", "aborted", "returned", "returned"]);
      });

      test("a stream of lines can complete within the grace period", async () => {
        const { ask, running } = await open();
        const { app, notes } = running;
        const response = await ask("/books");
        const [{ text, isComplete }] = await Promise.all([readBody(response), app.close({ graceMs: 8_000 })]);
        assert.ok(isComplete);
        assert.equal(text.trim().split("\n").length, 2);
        assert.deepEqual(notes.all, ["lines complete"]);
      });

      test("an event stream that begins during the shutdown ends immediately", async () => {
        const { ask, running } = await open();
        const { app, notes } = running;
        const asked = ask("/table");
        await until(() => notes.all.includes("waits"));
        const begin = performance.now();
        const [response] = await Promise.all([asked, app.close({ graceMs: 8_000 })]);
        assert.ok(performance.now() - begin < 4_000, `${performance.now() - begin} ms`);
        assert.equal(response.status, 200);
        assert.ok((await readBody(response)).isComplete);
        await until(() => notes.all.includes("returned"));
      });
    });
  });
}

for (const [name, make] of servers) {
  describe(`${name}, half-closed connections`, { concurrency: true }, () => {
    test("a shutdown does not wait for an event stream whose client has closed its sending side", async () => {
      const { app, port } = await start(make());
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      const ended = new Promise((resolve) => socket.once("close", resolve));
      socket.end("GET /events HTTP/1.1\r\nhost: a\r\n\r\n");
      await until(() => text.includes('{"percent":1}'));
      const begin = performance.now();
      await Promise.all([ended, app.close({ graceMs: 8_000 })]);
      assert.ok(performance.now() - begin < 4_000, `${performance.now() - begin} ms`);
      assert.match(text, /\r\n0\r\n\r\n$/);
    });

    test("a quiet stream is sent to a client that has closed its sending side", async () => {
      const { app, port, notes } = await start(make());
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      socket.end("GET /events HTTP/1.1\r\nhost: a\r\nx-mode: quiet\r\n\r\n");
      socket.once("readable", () => notes.released.resolve());
      assert.match(Buffer.concat(await socket.toArray()).toString(), /^HTTP\/1\.1 200 [^]*\r\n0\r\n\r\n$/);
      await app.close({ graceMs: 0 });
    });

    test("a generator ends if the client disconnects before the head is sent", async () => {
      const { app, port, notes } = await start(make());
      const sent = request({
        port,
        host: "127.0.0.1",
        path: "/events",
        headers: { "x-mode": "late" },
        agent: false,
      });
      sent.on("error", () => undefined).end();
      await sleep(100);
      sent.destroy();
      await until(() => notes.all.length === 2);
      assert.deepEqual(notes.all.toSorted(), ["aborted", "returned"]);
      await app.close({ graceMs: 0 });
    });
  });
}

test(
  "a Rust server ends open event streams completely at the beginning of the grace period",
  { skip: !isRust && "the servers on Node have tests of their own" },
  async () => {
    await using program = await startRust("rust-server", { bodyBytes: 1024 });
    const ask = (mode: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${program.port}/events`, { headers: { "x-mode": mode } });
    const [talking, silent] = await Promise.all([ask("numbers"), ask("wait")]);
    const begin = performance.now();
    const [first, second] = await Promise.all([readBody(talking), readBody(silent), program.stop!()]);
    assert.ok(performance.now() - begin < 5_000, `${performance.now() - begin} ms`);
    assert.match(first.text, /^event: progress\n[^]*\n\n$/);
    assert.ok(first.isComplete);
    assert.ok(second.isComplete);
  },
);
