// Runs the cases of conformance/http.json through `app.fetch`, without a server, in Node and in Bun.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";

import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";

import { compiled, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { check, type Exchange } from "./answer.ts";
import { optionsOf } from "./application.ts";
import { type Case, readCases } from "./case.ts";
import { bytesOf, requestOf } from "./fetch-request.ts";
import { isRust, notInRust } from "./rust.ts";

quietStdout();
notInRust("app.fetch", "the Rust server has no such function");

const { bodyLimit, cases } = readCases();

const possible = cases.filter((one) => requestOf(one) !== undefined && one.cut !== true);

/** Checks a response of `app.fetch` against a case that was written for servers. */
function checkFetched(one: Case, { bytes }: Pick<Exchange, "bytes">): void {
  const { closes: _closes, answers: _answers, ...expected } = one;
  // The server adds these headers when it writes a response as HTTP/1.1.
  const { "transfer-encoding": _coding, ...headers } = one.headers ?? {};
  const { date: _date, ...matches } = one.matches ?? {};
  check({ ...expected, headers, matches }, { bytes, closed: true });
}

describe("app.fetch", { skip: isRust && "the Rust server has no such function" }, () => {
  const app = createApp(optionsOf(bodyLimit));
  after(() => app.close({ graceMs: 0 }));

  for (const one of possible) {
    test(one.name, async () => checkFetched(one, await bytesOf(await app.fetch(requestOf(one)!))));
  }

  test("passes most cases of conformance/http.json", () =>
    assert.ok(possible.length > 80, `${possible.length} of ${cases.length}`));

  test("ends the response with an error if its stream fails", async () => {
    const response = await app.fetch(new Request("http://localhost/stream/failing"));
    assert.equal(response.status, 200);
    await assert.rejects(response.text(), /The response body failed/);
  });

  test("uses the host of the URL if the request has no host header", async () => {
    const response = await app.fetch(new Request("http://api.example.com:8080/host"));
    assert.deepEqual(await response.json(), { value: "api.example.com:8080" });
  });

  test("aborts ctx.signal if the signal of the request aborts", async () => {
    const controller = new AbortController();
    const fetched = app.fetch(new Request("http://localhost/slow", { signal: controller.signal }));
    controller.abort();
    const response = await fetched;
    assert.ok(response.status >= 200);
  });

  test("rejects if the body of the request was already read", async () => {
    const request = new Request("http://localhost/notes", { method: "POST", body: "{}" });
    await request.text();
    await assert.rejects(app.fetch(request), /app\.fetch: the body of the request was already read/);
  });

  test("does not need a `this` value", async () => {
    const { fetch } = app;
    assert.equal((await fetch(new Request("http://localhost/files/upload"))).status, 200);
  });
});

/** Program of Bun. Its package is a development dependency. */
const bun = join(import.meta.dirname, "../../node_modules/.bin/bun");
const withoutBun =
  (isRust && "the Rust server has no such function") ||
  (spawnSync(bun, ["--version"]).status !== 0 && "npm has no Bun for this platform");

describe("app.fetch in Bun", { skip: withoutBun }, () => {
  let responses: Readonly<Record<string, string | null>>;
  before(async () => {
    const program = spawn(bun, [join(import.meta.dirname, "fetch-bun.ts")], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    program.stdin.end(JSON.stringify(possible.map(({ name }) => name)));
    const exited = once(program, "exit");
    const written = await text(program.stdout);
    assert.deepEqual(await exited, [0, null], written);
    responses = JSON.parse(/^responses (.*)$/m.exec(written)![1]!) as typeof responses;
  });

  for (const one of possible) {
    test(one.name, (t) => {
      const response = responses[one.name]!;
      if (response === null) t.skip("Bun cannot make this request");
      else checkFetched(one, { bytes: Buffer.from(response, "base64") });
    });
  }

  test("can send nearly all requests that Node can send", () => {
    const made = Object.values(responses).filter((response) => response !== null);
    assert.ok(made.length > possible.length - 5, `${made.length} of ${possible.length}`);
  });
});

describe(
  "an application that is called with fetch",
  { skip: isRust && "the Rust server has no such function" },
  () => {
    const program = compiled(route("GET /wait"), route("GET /page"));

    test("starts its plugins once, and stops them when it closes", async () => {
      const calls: string[] = [];
      const app = createApp({
        compiled: program,
        routes: [{ handlers: { "GET /wait": () => undefined, "GET /page": () => undefined } as never }],
        health: true,
        plugins: [
          { name: "one", onStart: () => void calls.push("start"), onStop: () => void calls.push("stop") },
        ],
      });
      const [first, second] = await Promise.all([
        app.fetch(new Request("http://localhost/page")),
        app.fetch(new Request("http://localhost/readyz")),
      ]);
      assert.deepEqual([first.status, second.status], [204, 200]);
      assert.deepEqual(calls, ["start"]);
      await assert.rejects(
        app.listen({ port: 0 }),
        /started by `fetch` already; call `listen` before `fetch`/,
      );
      await app.close();
      assert.deepEqual(calls, ["start", "stop"]);
      await assert.rejects(app.fetch(new Request("http://localhost/page")), /The application was closed/);
    });

    test("can be called while it listens", async () => {
      const app = createApp({
        server: nativeServer(),
        compiled: program,
        routes: [{ handlers: { "GET /wait": () => undefined, "GET /page": () => undefined } as never }],
        signals: false,
      });
      const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
      assert.equal((await app.fetch(new Request("http://localhost/page"))).status, 204);
      assert.equal((await fetch(`${url}/page`)).status, 204);
      await app.close({ graceMs: 0 });
    });

    test("responds with 503 to requests in progress at the end of the grace period", async () => {
      const begun = Promise.withResolvers<void>();
      const app = createApp({
        compiled: program,
        routes: [
          {
            handlers: {
              "GET /wait": async ({ ctx }: { ctx: { signal: AbortSignal } }) => {
                begun.resolve();
                await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
              },
              "GET /page": () => undefined,
            } as never,
          },
        ],
      });
      const response = app.fetch(new Request("http://localhost/wait"));
      await begun.promise;
      await app.close({ graceMs: 50 });
      assert.equal((await response).status, 503);
    });

    test("listen throws an error that names the missing option server", async () => {
      const app = createApp({
        compiled: program,
        routes: [{ handlers: { "GET /wait": () => undefined, "GET /page": () => undefined } as never }],
      });
      await assert.rejects(app.listen({ port: 0 }), /`server` is missing.*`server: nativeServer\(\)`/);
    });
  },
);
