import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";

import { type App, type AppOptions, createApp, type Plugin } from "@kit/core";
import { compiled, responseOf, route } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";

const hello = route("GET /hello", { response: responseOf("Hello", { text: "string" }) });
const noop = (): undefined => undefined;
const fail = (): never => {
  throw new Error("no database");
};
const handlers = { "GET /hello": () => ({ text: "hi" }) };

function appOf(
  options: Partial<AppOptions>,
  server = new MemoryServer(),
): { app: App; server: MemoryServer } {
  const app = createApp({
    server,
    signals: false,
    compiled: compiled(hello),
    routes: [{ handlers }],
    ...options,
  } as AppOptions);
  return { app, server };
}

describe("createApp with invalid options", () => {
  const server = new MemoryServer();
  const bad: [options: unknown, message: RegExp][] = [
    [undefined, /requires an object of options/],
    [{ server, routes: [], midleware: [] }, /no option `midleware`; did you mean `middleware`\?/],
    [{ server: undefined, routes: [] }, /`server` must be a server adapter/],
    [{ server }, /`routes` must be a list/],
    [{ server, routes: [], logging: { level: "loud" } }, /logging\.level` must be one of trace, debug/],
    [{ server, routes: [], logging: { redact: "x" } }, /logging\.redact` must be a list/],
    [{ server, routes: [], logging: { redact: [5] } }, /logging\.redact` must be an array of strings/],
    [{ server, routes: [], logging: null }, /`logging` must be an object/],
    [{ server, routes: [], logging: { lvl: "info" } }, /no option `logging\.lvl`/],
    [{ server, routes: [], limits: 5 }, /`limits` must be an object/],
    [{ server, routes: [], limits: { body: 1 } }, /no option `limits\.body`/],
    [
      { server, routes: [], telemetry: { metric: true } },
      /no option `telemetry\.metric`; did you mean `metrics`\?/,
    ],
    [{ server, routes: [], health: { reddy: "/r" } }, /no option `health\.reddy`; did you mean `ready`\?/],
    [{ server, routes: [], env: "prod" }, /`env` must be one of development, production, test/],
    [{ server, routes: [], errorMiddleware: {} }, /`errorMiddleware` must be a function/],
    [{ server, routes: [], plugins: [null] }, /`plugins\[0\]` must be an object/],
    [{ server, routes: [], plugins: [{ onStop: noop }] }, /`plugins\[0\]\.name` must be a string/],
    [
      { server, routes: [{ handlers: {}, prefx: "/a" }] },
      /routes\[0\] has no `prefx`; did you mean `prefix`\?/,
    ],
    [{ server, routes: [], limits: { bodyBytes: -1 } }, /limits\.bodyBytes/],
    [{ server, routes: [], middleware: [1] }, /middleware\[0\] must be an object/],
    [
      {
        server,
        routes: [],
        middleware: [(_request: unknown, _response: unknown, _next: unknown) => undefined],
      },
      /middleware\[0\] has 3 parameters, like middleware of Express/,
    ],
    [
      { server, routes: [], middleware: [{ name: "", middleware: noop, priority: 1 }] },
      /middleware\[0\]\.name/,
    ],
    [{ server, routes: [], middleware: [{ name: "a", middleware: noop }] }, /middleware\[0\]\.priority/],
    [
      { server, routes: [], middleware: [{ name: "a", priority: 1 }] },
      /middleware\[0\]\.middleware must be a function/,
    ],
    [{ server, routes: [null] }, /routes\[0\] must be an object/],
    [{ server, routes: [{ prefix: "api", handlers }] }, /routes\[0\]\.prefix .* not "api"/],
    [{ server, routes: [{ prefix: "/api" }] }, /routes\[0\]\.handlers must be an object/],
    [{ server, routes: [{ handlers: { "get /a": noop } }] }, /"get \/a" is not a route key/],
    [{ server, routes: [{ handlers: { "GET a": noop } }] }, /"GET a" is not a route key/],
    [{ server, routes: [{ handlers: { "GET /a": 1 } }] }, /GET \/a is not a function/],
    [{ server, routes: [{ handlers }, { handlers }] }, /GET \/hello is registered twice/],
    [
      { server, routes: [{ prefix: "/hello", handlers: { "GET /": noop } }, { handlers }] },
      /registered twice/,
    ],
  ];

  it("throws a TypeError that names the invalid option", () => {
    for (const [options, message] of bad) {
      assert.throws(
        () => createApp(options as AppOptions),
        (error: unknown) => {
          assert.ok(error instanceof TypeError);
          assert.match(error.message, message);
          return true;
        },
      );
    }
  });
});

const differ = async (options: Partial<AppOptions>): Promise<string> => {
  const error: unknown = await appOf(options)
    .app.listen({ port: 0 })
    .catch((reason: unknown) => reason);
  assert.ok(error instanceof Error);
  return error.message;
};

describe("the build of an application", () => {
  it("is refused if its routes differ from the registered routes, and the message lists every difference", async () => {
    const message = await differ({
      compiled: compiled(hello, route("GET /gone")),
      routes: [
        { prefix: "/v1", handlers: { "GET /new": noop }, middleware: [] },
        { handlers, middleware: [{ name: "auth", middleware: noop, priority: 1 }] },
      ],
    });
    assert.equal(
      message,
      [
        "the application is not the same as in the last `kit build`",
        "  at the given `compiled`",
        "  - GET /hello now has the middleware auth, but in the build it has none",
        "  - GET /gone is in the build but not registered",
        "  - GET /v1/new is registered but not in the build",
        "help: run `kit build`",
      ].join("\n"),
    );
  });

  it("is refused if the order of its middleware differs, and its names are used for bare functions", async () => {
    const entry = (name: string, priority: number) => ({ name, middleware: noop, priority });
    const chained = { ...hello, middleware: ["first", "second", "bare"] };
    const middleware = [noop, entry("first", -2)];
    const routes = [{ handlers, middleware: [entry("second", -1)] }];
    const { app, server } = appOf({ compiled: compiled(chained), middleware, routes });
    await app.listen({ port: 0 });
    assert.equal((await server.send("GET /hello")).status, 200);
    const other = { ...hello, middleware: ["second", "first", "bare"] };
    assert.match(
      await differ({ compiled: compiled(other), middleware, routes }),
      /first, second, noop, but in the build/,
    );
  });

  it("contains paths in which each prefix is joined segment by segment", async () => {
    const routes = [
      { prefix: "/notes/", handlers: { "GET /": noop, "GET /notes/:id": noop, "POST /notesies": noop } },
      { prefix: "/", handlers: { "GET /plain/": noop } },
    ];
    const refs = ["GET /notes", "GET /notes/:id", "POST /notes/notesies", "GET /plain"];
    const { app } = appOf({ compiled: compiled(...refs.map((ref) => route(ref))), routes });
    assert.deepEqual((await app.service()).routes, refs);
  });

  it("is refused if its version is not supported", async () => {
    assert.match(
      await differ({ compiled: { ...compiled(hello), version: 2 as 1 } }),
      /another version of kit.*\n.*\nhelp: run `kit build`/,
    );
    assert.match(
      await differ({ compiled: {} as never }),
      /not a compiled application\n.*\nhelp: run `kit build`/,
    );
  });
});

describe("start and shutdown", () => {
  it("listen resolves to the address of the server, and close passes the grace period to the server", async () => {
    const { app, server } = appOf({});
    assert.equal((await app.start({ port: 8080 })).url, "http://localhost:8080");
    assert.equal(app.getNativeServer(), server);
    await assert.rejects(app.listen({ port: 1 }), /listening already/);
    await Promise.all([app.close({ graceMs: 5 }), app.close()]);
    assert.deepEqual(server.calls, ["listen 8080", "close 5"]);
    await assert.rejects(app.listen({ port: 1 }), /was closed/);
  });

  it("listen refuses an invalid port, and can be called again after a failure", async () => {
    const { app, server } = appOf({});
    for (const port of [-1, 65_536, 1.5, "80" as never, Number.NaN]) {
      await assert.rejects(app.listen({ port }), /`port` must be an integer from 0 to 65535/);
    }
    server.failToListen = new Error("port in use");
    await assert.rejects(app.listen({ port: 1 }), /port in use/);
    server.failToListen = undefined;
    await app.listen({ port: 1 });
  });

  it("close works before listen and while the application starts", async () => {
    const idle = appOf({});
    await idle.app.close();
    assert.deepEqual(idle.server.calls, []);
    const starting = appOf({});
    const listening = starting.app.listen({ port: 1 });
    await starting.app.close();
    await listening;
    assert.deepEqual(starting.server.calls, ["listen 1", "close 30000"]);
  });

  it("hooks of plugins run in the order of the list, and onStop runs in reverse order", async () => {
    const calls: string[] = [];
    const plugin = (name: string): Plugin => ({
      name,
      onStart: async ({ serverAdapter, platform }) =>
        void calls.push(`${name} start ${serverAdapter} ${platform}`),
      onReady: ({ port }) => void calls.push(`${name} ready ${port}`),
      onStop: () => void calls.push(`${name} stop`),
    });
    const { app, server } = appOf({ plugins: [plugin("a"), { name: "idle" }, plugin("b")] });
    await app.listen({ port: 7 });
    await app.close();
    assert.deepEqual(calls, [
      "a start memory test",
      "b start memory test",
      "a ready 7",
      "b ready 7",
      "b stop",
      "a stop",
    ]);
    assert.deepEqual(server.calls, ["listen 7", "close 30000"]);
  });

  it("a plugin whose onStart or onReady throws stops the server and the plugins that were started", async () => {
    for (const hook of ["onStart", "onReady"] as const) {
      const calls: string[] = [];
      const { app, server } = appOf({
        plugins: [
          { name: "a", onStop: () => void calls.push("a") },
          { name: "b", [hook]: fail, onStop: () => void calls.push("b") },
          { name: "c", onStop: () => void calls.push("c") },
        ],
      });
      await assert.rejects(app.listen({ port: 1 }), (error: Error) => {
        assert.equal(error.message, `${hook} of the plugin b failed`);
        assert.equal((error.cause as Error).message, "no database");
        return true;
      });
      assert.deepEqual(calls, hook === "onStart" ? ["b", "a"] : ["c", "b", "a"]);
      assert.deepEqual(server.calls, hook === "onStart" ? [] : ["listen 1", "close 0"]);
    }
  });

  it("close stops every plugin even if some fail, and reports which of them failed", async () => {
    const stopped: string[] = [];
    const good = { name: "good", onStop: () => void stopped.push("good") };
    const { app } = appOf({ plugins: [good, { name: "a", onStop: fail }, { name: "b", onStop: fail }] });
    await app.listen({ port: 1 });
    await assert.rejects(app.close(), (error: AggregateError) => {
      assert.deepEqual(
        error.errors.map(({ message }: Error) => message),
        ["onStop of the plugin b failed", "onStop of the plugin a failed"],
      );
      return true;
    });
    assert.deepEqual(stopped, ["good"]);
  });
});

/** Creates a project in a temporary directory whose program listens on a memory server. */
function project(test: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "kit-core-"));
  test.after(() => rmSync(root, { recursive: true, force: true }));
  const modules = join(import.meta.dirname, "..", "..", "..", "node_modules");
  symlinkSync(modules, join(root, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const support = join(import.meta.dirname, "support");
const program = `
import { createApp } from "@kit/core";
import { MemoryServer } from ${JSON.stringify(join(support, "memory-server.ts"))};
const server = new MemoryServer();
const app = createApp({ server, routes: [], plugins: [{ name: "p", onStop: () => console.log("stopped") }] });
const keep = setInterval(() => {}, 1000);
try {
  await app.listen({ port: 5 });
  console.log("listening");
} catch (error) {
  console.log(error.message);
  clearInterval(keep);
}
`;
const built = (where: string): string =>
  `import { compiled } from ${JSON.stringify(join(support, "compiled.ts"))};\nconsole.log("built ${where}");\nexport default compiled();\n`;

const run = (path: string, cwd?: string): string =>
  spawnSync(process.execPath, [path], { encoding: "utf8", cwd, timeout: 10_000 }).stdout;

describe("the build that a program loads", () => {
  it("is the nearest .kit in the directory of the entry module or in a parent directory", (test) => {
    const quick = program.replace('console.log("listening");', "await app.close(); clearInterval(keep);");
    const root = project(test, {
      "package.json": '{"type":"module"}',
      ".kit/routes/index.ts": built("source"),
      "src/deep/main.ts": quick,
      "dist/.kit/routes/index.js": built("dist").replace("compiled.ts", "compiled.ts"),
      "dist/.kit/routes/index.ts": built("never"),
      "dist/main.js": quick,
    });
    assert.equal(run(join(root, "src/deep/main.ts"), "/"), "built source\nstopped\n");
    assert.equal(run(join(root, "dist/main.js"), "/"), "built dist\nstopped\n");
    const elsewhere = join(project(test, {}), "link.ts");
    symlinkSync(join(root, "src/deep/main.ts"), elsewhere);
    assert.equal(run(elsewhere, "/"), "built source\nstopped\n");
  });

  it("causes an error with advice if it is missing or invalid", (test) => {
    const missing = project(test, { "package.json": '{"type":"module"}', "main.ts": program });
    assert.match(
      run(join(missing, "main.ts")),
      /^the project is not built: there is no \.kit\/routes\/index\.ts\n.*\nhelp: run `kit build`.*\n$/m,
    );
    const broken = project(test, {
      "package.json": '{"type":"module"}',
      "main.ts": program,
      ".kit/routes/index.ts": "export default {;",
    });
    assert.match(
      run(join(broken, "main.ts")),
      /^the output of `kit build` cannot be loaded: .*\n {2}at .*index\.ts\nhelp: run `kit build` again\n$/m,
    );
    const empty = project(test, {
      "package.json": '{"type":"module"}',
      "main.ts": program,
      ".kit/routes/index.ts": "export {};",
    });
    assert.match(
      run(join(empty, "main.ts")),
      /is not a compiled application\n {2}at .*index\.ts\nhelp: run `kit build`/,
    );
  });
});

describe("SIGTERM and SIGINT", () => {
  it("close the application and exit the process with status 0", async (test) => {
    const root = project(test, {
      "package.json": '{"type":"module"}',
      "main.ts": program,
      ".kit/routes/index.ts": built("here"),
    });
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const child = spawn(process.execPath, [join(root, "main.ts")], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let out = "";
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (text: string) => {
        out += text;
        if (out.endsWith("listening\n")) child.kill(signal);
      });
      // Without a signal, the interval of the program would keep the process alive.
      const [code] = (await once(child, "exit")) as [number | null];
      assert.equal(code, 0);
      assert.equal(out, "built here\nlistening\nstopped\n");
    }
  });
});
