// Tests the functions of the dashboard that need no browser.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { promisify } from "node:util";

import { hrefOf, readPlace } from "../dashboard/src/text/place.ts";
import { blockAt } from "../dashboard/src/text/block.ts";
import { wordsOf } from "../dashboard/src/text/changes.ts";
import { curlOf } from "../dashboard/src/text/curl.ts";
import { definitionOf, registeredAt } from "../dashboard/src/text/definition.ts";
import { type Filter, matches } from "../dashboard/src/text/filter.ts";
import { ago, bytes, duration, rate, uptime } from "../dashboard/src/text/format.ts";
import {
  hiddenNames,
  readHeaders,
  rememberHidden,
  withRemembered,
  writeHeaders,
} from "../dashboard/src/text/headers.ts";
import { missingScopesOf, scopesText } from "../dashboard/src/text/scopes.ts";
import { withGaps } from "../dashboard/src/text/slices.ts";
import { framesOf, readPlaceInSource } from "../dashboard/src/text/stack.ts";
import { barsOf } from "../dashboard/src/text/waterfall.ts";
import type { RequestSummary } from "../src/responses/shapes.ts";

const run = promisify(execFile);

describe("copy as curl", () => {
  it("returns a curl command that sends the same request, for any special characters", async () => {
    const received: {
      method: string;
      target: string;
      headers: NodeJS.Dict<string | string[]>;
      body: string;
    }[] = [];
    const server = createServer((request, response) => {
      const { method = "", url: target = "", headers } = request;
      const keep = async (): Promise<void> => {
        received.push({ method, target, headers, body: await text(request) });
        response.end();
      };
      void keep();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const nasty = `it's "quoted" $HOME \`id\` $(id) \\ ! \n ; & | > < * ?`;
    const requests = [
      {
        method: "GET",
        target: "/notes?q=a%20b&c='d'",
        headers: { "x-a": "it's; $(id)", "x-empty": "" },
        body: null,
      },
      {
        method: "POST",
        target: "/notes",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ nasty }),
      },
      { method: "PUT", target: "/n/$(id)", headers: {}, body: "@/etc/hostname" },
      { method: "DELETE", target: "/n/1", headers: {}, body: null },
      { method: "GET", target: "/n/2", headers: {}, body: "a body" },
      { method: "HEAD", target: "/n/3", headers: {}, body: null },
    ];
    for (const { method, target, headers, body } of requests) {
      const received1 = {
        headers: { host: "elsewhere", "content-length": "7", ...headers },
        body,
        bodyLength: 1,
      };
      const command = curlOf({ method, target, received: received1 }, `http://127.0.0.1:${port}`);
      await run("sh", ["-c", `${command.replace("curl", "curl -sS --globoff --max-time 10")}`]);
      const got = received.at(-1)!;
      assert.deepEqual([got.method, got.target, got.body], [method, target, body ?? ""], command);
      for (const [name, value] of Object.entries(headers)) assert.equal(got.headers[name], value, command);
    }
    assert.equal(received.length, requests.length);
    server.close();
  });

  it("returns a curl command without needless options, which reads hidden headers from shell variables", async () => {
    const base = "http://localhost:3000/";
    assert.equal(
      curlOf({ method: "GET", target: "/notes", received: null }, base),
      "curl -i http://localhost:3000/notes",
    );
    const received = { headers: { authorization: "[redacted]" }, body: null, bodyLength: 0 };
    const command = curlOf({ method: "GET", target: "/a", received }, base);
    assert.match(command, /-H 'authorization: '"\$\{AUTHORIZATION:\?\}"/);
    await assert.rejects(run("sh", ["-c", command]), /AUTHORIZATION/);
    // A client chooses names of headers, so the shell must not interpret a name.
    const hostile = { headers: { "x-`id`$(id)": "[redacted]" }, body: null, bodyLength: 0 };
    const { stdout } = await run(
      "sh",
      [
        "-c",
        `curl() { printf '%s\\n' "$@"; }; ${curlOf({ method: "GET", target: "/a", received: hostile }, base)}`,
      ],
      { env: { ...process.env, X__ID___ID_: "secret" } },
    );
    assert.match(stdout, /^x-`id`\$\(id\): secret$/m);
  });
});

describe("hidden headers", () => {
  it("are replaced by the values that the user has entered", () => {
    const headers = { authorization: "[redacted]", accept: "*/*" };
    assert.equal(withRemembered(headers), "authorization: [redacted]\naccept: */*");
    rememberHidden(writeHeaders(headers), "authorization: Bearer ada\naccept: text/plain");
    assert.equal(withRemembered(headers), "authorization: Bearer ada\naccept: */*");
    rememberHidden(writeHeaders(headers), "authorization: [redacted]");
    assert.equal(withRemembered(headers), "authorization: Bearer ada\naccept: */*");
  });
});

describe("the filter of the list of requests", () => {
  const summary: RequestSummary = {
    requestId: "abc123-7",
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    method: "GET",
    target: "/notes/7?page=2",
    route: "GET /notes/:id",
    status: 404,
    startTime: 0,
    durationMs: 1,
    isActive: false,
    phase: "handler",
    code: "NOTE_NOT_FOUND",
    message: "There is no such note",
  };
  const none: Filter = { method: "", status: "", route: "", q: "" };
  const cases: readonly (readonly [Partial<Filter>, Partial<RequestSummary>, boolean])[] = [
    [{}, {}, true],
    [{ method: "GET" }, {}, true],
    [{ method: "POST" }, {}, false],
    [{ status: "4xx" }, {}, true],
    [{ status: "failed" }, {}, true],
    [{ status: "failed" }, { status: 302 }, false],
    [{ status: "5xx" }, {}, false],
    [{ status: "active" }, {}, false],
    [{ status: "active" }, { isActive: true, status: 0 }, true],
    [{ status: "2xx" }, { isActive: true, status: 0 }, false],
    [{ route: "GET /notes/:id" }, {}, true],
    [{ route: "none" }, {}, false],
    [{ route: "none" }, { route: null }, true],
    [{ q: "note_not" }, {}, true],
    [{ q: "no such NOTE" }, {}, true],
    [{ q: "page=2 404" }, {}, true],
    [{ q: "page=3" }, {}, false],
    [{ q: "4bf92f3577b34da6" }, {}, true],
    [{ q: "92f3577b34da6" }, {}, false],
    [{ q: "abc123" }, {}, true],
    [{ q: "  " }, {}, true],
    [{ q: "get", status: "4xx", method: "GET" }, {}, true],
  ];
  for (const [filter, request, expected] of cases) {
    it(`${JSON.stringify(filter)} ${expected ? "shows" : "leaves out"} ${JSON.stringify(request)}`, () => {
      assert.equal(matches({ ...summary, ...request }, { ...none, ...filter }), expected);
    });
  }
});

it("the waterfall places each phase after the previous phase, and other spans below their parents", () => {
  const bars = barsOf({
    method: "GET",
    route: "GET /notes",
    durationMs: 10,
    fault: { code: "X", name: "X", message: "x", phase: "handler" },
    lifecycle: [
      phase("received", 0),
      phase("middleware:auth", 2),
      phase("validation:query", 1),
      phase("handler", 6),
      phase("server:write", 1),
      phase("response", 0),
    ],
    spans: [
      span("0", undefined, "GET /notes", 0, 10),
      span("1", "0", "middleware:auth", 0, 2),
      span("2", "0", "handler", 3, 6),
      span("3", "2", "pg.query", 4, 3),
      span("4", "3", "pg.connect", 4, 1),
      span("5", "0", "elsewhere", 9, 1),
    ],
  });
  assert.deepEqual(
    bars.map(({ name, depth, offsetMs, durationMs, isFailed }) => [
      name,
      depth,
      offsetMs,
      durationMs,
      isFailed,
    ]),
    [
      ["GET /notes", 0, 0, 10, true],
      ["middleware:auth", 1, 0, 2, false],
      ["validation:query", 1, 2, 1, false],
      ["handler", 1, 3, 6, true],
      ["pg.query", 2, 4, 3, false],
      ["pg.connect", 3, 4, 1, false],
      ["server:write", 1, 9, 1, false],
      ["elsewhere", 1, 9, 1, false],
    ],
  );
  assert.deepEqual(bars[3]!.attributes, { "note.id": 7 });
});

it("framesOf returns the locations in a stack trace that are in the project", () => {
  const stack = [
    "Error: boom at home",
    "    at POST /notes (file:///app/src/my%20notes.ts:21:11)",
    "    at /app/src/a.ts:3:5",
    "    at async run (/app/node_modules/@kit/core/dist/index.js:9:9)",
    "    at node:internal/process/task_queues:105:5",
    "    at elsewhere (file:///application/src/a.ts:1:1)",
  ].join("\n");
  assert.deepEqual(
    framesOf(stack, "/app").map(({ file, line }) => [file, line]),
    [
      ["src/my notes.ts", 21],
      ["src/a.ts", 3],
      [null, 9],
      [null, 105],
      [null, 1],
    ],
  );
  assert.equal(framesOf(stack, "/app")[0]!.text, "at POST /notes (src/my notes.ts:21:11)");
  assert.ok(framesOf(stack, null).every(({ file }) => file === null));
  assert.deepEqual(readPlaceInSource("src/a.ts:7"), { file: "src/a.ts", line: 7 });
});

it("blockAt returns a declaration from its comment to its closing bracket", () => {
  const lines = [
    "export const a = 1;",
    "/** Adds. */",
    "export const auth = defineMiddleware<Added>(({ headers }) => {",
    '  if (x === "}") return {',
    "    a: 1,",
    "  };",
    "});",
    "",
    "export interface Routes {",
    '  "GET /a": RouteContract<void, void, void, A>;',
    "}",
  ];
  const text1 = (index: number): string[] => {
    const { start, end } = blockAt(lines, index);
    return lines.slice(start, end);
  };
  assert.deepEqual(text1(2), lines.slice(1, 7));
  assert.deepEqual(text1(9), [lines[9]]);
  assert.deepEqual(text1(0), [lines[0]]);
  assert.deepEqual(text1(8), lines.slice(8, 11));
});

it("registeredAt and definitionOf find the function of a registered middleware", () => {
  const lines = [
    'import { requireAuth as auth, type A } from "./auth.ts";',
    "import {",
    "  limit,",
    '} from "../shared/limit.js";',
    'import fallback, { x } from "./fallback.ts";',
    'import { cors } from "cors";',
    "const own = defineMiddleware(() => {});",
    "async function later() {}",
    "const groups = [",
    "  {",
    '    name: "auth", middleware: auth,',
    "  },",
    '  { name: "limit", middleware: limit(5) },',
    '  { name: "m", middleware },',
    '  { name: "inline", middleware: () => {} },',
    "];",
  ];
  assert.deepEqual(
    [9, 12, 13, 14].map((index) => registeredAt(lines, index)),
    ["auth", "limit", "middleware", null],
  );
  assert.deepEqual(
    ["auth", "limit", "fallback", "cors", "own", "later", "nothing"].map((name) =>
      definitionOf(lines, name, "src/app.ts"),
    ),
    [
      { file: "src/auth.ts", name: "requireAuth" },
      { file: "shared/limit.ts", name: "limit" },
      { file: "src/fallback.ts", name: "default" },
      null,
      { line: 7 },
      { line: 8 },
      null,
    ],
  );
  assert.deepEqual(definitionOf(["", "export default function a() {}"], "default", "a.ts"), { line: 2 });
});

it("headers are written and read as lines of text, and hiddenNames lists the hidden parts of a request", () => {
  const headers = { accept: "a: b", authorization: "[redacted]" };
  assert.deepEqual(readHeaders(`${writeHeaders(headers)}\n\n:x\nX-A:  1 `), { ...headers, "x-a": "1" });
  assert.deepEqual(
    hiddenNames({
      target: "/a?token=[redacted]",
      headers: writeHeaders(headers),
      body: '{"pin":"[redacted]"}',
    }),
    ["the target", "authorization", "parts of the body"],
  );
  assert.deepEqual(hiddenNames({ target: "/", headers: "", body: "" }), []);
});

it("withGaps adds empty slices for times without requests", () => {
  const slice = { count: 1, failed: 0, p50: 1, p95: 1, p99: 1, max: 1, throughput: 1 };
  const since = new Date(95_000).toISOString();
  const all = withGaps({
    since,
    sliceMs: 10_000,
    slices: [
      { start: 110_000, ...slice },
      { start: 140_000, ...slice },
    ],
  });
  assert.deepEqual(
    all.map(({ start, p50, throughput }) => [start, p50, throughput]),
    [
      [100_000, null, 0],
      [110_000, 1, 1],
      [120_000, null, 0],
      [130_000, null, 0],
      [140_000, 1, 1],
    ],
  );
  assert.deepEqual(withGaps({ since, sliceMs: 10_000, slices: [] }), []);
});

it("hrefOf and readPlace convert every location to an address and back", () => {
  for (const place of [
    { view: "requests", id: null, query: {} },
    { view: "routes", id: "GET /notes/:id?#%", query: {} },
    { view: "requests", id: "a-1", query: { q: "a&b=c #?", status: "5xx" } },
  ] as const)
    assert.deepEqual(readPlace(hrefOf(place)), place);
  for (const hash of ["", "#", "#/", "#/nowhere/x", "#/%zz", "#javascript:alert(1)"])
    assert.equal(readPlace(hash).view, "requests", hash);
  assert.equal(readPlace("#/types/%zz").id, "%zz");
});

it("the dashboard formats durations, sizes and counts for people", () => {
  assert.deepEqual([0.004, 3.271, 42.25, 120, 1_500, 61_000, null].map(duration), [
    "0.00 ms",
    "3.27 ms",
    "42.3 ms",
    "120 ms",
    "1.50 s",
    "1 min 1 s",
    "–",
  ]);
  assert.deepEqual([0, 1_023, 1_536, 300 * 1_024 ** 2].map(bytes), ["0 B", "1023 B", "1.5 KiB", "300 MiB"]);
  assert.deepEqual([0, 0.034, 4.25, 42, 512].map(rate), ["0/s", "0.03/s", "4.25/s", "42.0/s", "512/s"]);
  assert.deepEqual([5, 65, 3_700, 90_000].map(uptime), ["5 s", "1 min 5 s", "1 h 1 min", "1 d 1 h"]);
  assert.deepEqual(
    [0, 5_000, 120_000, 7_200_000].map((past) => ago(10_000_000 - past, 10_000_000)),
    ["now", "5 s ago", "2 min ago", "2 h ago"],
  );
});

it("wordsOf describes changes of a migration in words", () => {
  assert.deepEqual(
    [
      { change: "addColumn", table: "notes", column: { name: "pinned" } },
      { change: "dropTable", table: "notes" },
      { change: "createTable", table: { name: "tags" } },
      { change: "renameColumn", table: "notes", from: "a", to: "b" },
      { change: "setType", table: "notes", column: "size", from: { type: "int" }, to: { type: "text" } },
    ].map(wordsOf),
    [
      "Add column pinned of notes",
      "Drop table notes",
      "Create table tags",
      "Rename column a to b of notes",
      "Set type size of notes",
    ],
  );
});

describe("scopes", () => {
  it("of a route are shown with all scopes of each list", () => {
    assert.equal(scopesText([["a", "b"], ["admin"]]), "a and b, or admin");
    assert.equal(scopesText([["a"]]), "a");
  });

  it("of a refused request are shown if the details of its error list them", () => {
    assert.equal(missingScopesOf({ missingScopes: [["a"], ["admin"]] }), "a, or admin");
    for (const details of [{}, { missingScopes: "a" }, { missingScopes: ["a"] }])
      assert.equal(missingScopesOf(details), undefined);
  });
});

/** Creates a span of a request record. */
function span(
  spanId: string,
  parentSpanId: string | undefined,
  name: string,
  offsetMs: number,
  durationMs: number,
) {
  return {
    traceId: "t",
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: parentSpanId === undefined ? ("server" as const) : ("internal" as const),
    startTime: "",
    offsetMs,
    durationMs,
    status: "ok" as const,
    attributes: name === "handler" ? { "note.id": 7, "error.message": "told elsewhere" } : {},
  };
}

function phase(name: string, durationMs: number) {
  return { phase: name, timestamp: "", durationMs };
}
