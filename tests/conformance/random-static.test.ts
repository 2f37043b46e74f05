// Sends random requests for files to the native server, whose files kit-static serves, and to the fallback, whose files
// `@kit/core` serves. The two implementations must send equal responses, and never a byte of a file outside of the directory.
// `KIT_SEED` selects other requests, and `KIT_RUNS` their number.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { nativeServer } from "@kit/server-native";
import type { StaticFilesOptions } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { edgeApplication } from "./edge-columns.ts";
import { chosenRuns, Random } from "./hostile.ts";
import { type CaseRequest, type Received, readConformance, send } from "./option-cases.ts";
import { notInRust } from "./rust.ts";
import { withKitServer } from "./servers.ts";
import { makeStaticDirectory, type StaticFixture } from "./static-directory.ts";

quietStdout();

const { seed, runs } = chosenRuns(2000);
const fixture = readConformance<StaticFixture>("static.json");
const root = makeStaticDirectory(fixture);
/** Text of the files that no client may receive. */
const secret = "secret";

const options: readonly StaticFilesOptions[] = [
  { dir: join(root, "second"), precompressed: true },
  { dir: join(root, "public"), prefix: "/assets" },
  { dir: join(root, "public"), precompressed: true, spa: "index.html", spaExcept: ["/api"] },
];

const names = [
  ..."assets docs digits.txt app.js only-zst.css index.html outside-link.txt outside-directory secret.txt".split(
    " ",
  ),
  ..."thousand.txt empty.txt old.txt link-in-docs .env .git .well-known config outside public api pipe loop".split(
    " ",
  ),
  ..."%2e%2e .. . %2e ..%2foutside %2f %5c ..%5coutside %00 a%20b.txt %C3%BC.txt 50%25.txt a:b.txt %252e ...".split(
    " ",
  ),
  "",
];
const positions = ["0", "1", "2", "9", "10", "99", "500", "999", "1000", "99999999999999999999", ""];
const codings = [
  "br",
  "gzip",
  "zstd",
  "*",
  "identity",
  "br;q=0",
  "gzip;q=0.5",
  "zstd;q=0.001",
  "br;q=2",
  "GZIP",
];
const types = ["text/html", "*/*", "text/html;q=0", "text/*", "TEXT/HTML", "text/html;level=1"];
const dates = [
  "Fri, 02 Jan 2026 03:04:05 GMT",
  "Thu, 01 Jan 2026 00:00:00 GMT",
  "Sat, 01 Jan 2028 00:00:00 GMT",
  "x",
];
const tags = [
  '"a"',
  'W/"a"',
  "*",
  '"a-1886caf23a639700"',
  'W/"a-1886caf23a639700"',
  '"3e8-1886caf23a639700"',
  "a",
];

function listOf(random: Random, from: readonly string[]): string {
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(from)).join(
    random.pick([",", ", ", " , ", ",,"]),
  );
}

function randomRange(random: Random): string {
  const ranges = Array.from(
    { length: 1 + random.below(4) },
    () => `${random.pick(positions)}-${random.pick(positions)}`,
  );
  return random.pick(["bytes=", "Bytes=", "bytes =", "items="]) + ranges.join(random.pick([",", ", "]));
}

function randomRequest(random: Random): CaseRequest {
  const segments = Array.from({ length: 1 + random.below(3) }, () => random.pick(names));
  const query = random.pick(["", "", "?a=b", "?"]);
  const headers: Record<string, string> = {};
  const set = (name: string, value: () => string): void => {
    if (random.below(3) === 0) headers[name] = value();
  };
  set("range", () => randomRange(random));
  set("accept-encoding", () => listOf(random, codings));
  set("accept", () => listOf(random, types));
  set("if-none-match", () => listOf(random, tags));
  set("if-match", () => listOf(random, tags));
  set("if-range", () => random.pick([...tags, ...dates]));
  set("if-modified-since", () => random.pick(dates));
  set("if-unmodified-since", () => random.pick(dates));
  // The refusal of a target has a body for every method, which node:http does not expect for HEAD.
  const isRefused = segments.some((segment) => /^(?:\.|%2e){1,2}$/.test(segment));
  const method = isRefused ? "GET" : random.pick(["GET", "GET", "GET", "HEAD", "POST"]);
  return { method, target: `/${segments.join("/")}${random.pick(["", "", "/"])}${query}`, headers };
}

/** Returns the parts of a response that must be equal. */
function comparable({ status, headers, body }: Received): object {
  const { date: _date, connection: _connection, "keep-alive": _keepAlive, ...others } = headers;
  // hyper leaves the header out in the response to HEAD.
  if (others["content-length"] === "0") delete others["content-length"];
  const boundary = /boundary=([0-9a-f]+)/.exec(headers["content-type"] ?? "")?.[1];
  const text = body.toString("latin1");
  if (status >= 400) {
    // Errors have trace ids.
    const { error } = JSON.parse(text === "" ? '{"error":{}}' : text) as { error: { code?: string } };
    return { status, code: error.code, range: headers["content-range"], allow: headers.allow };
  }
  if (boundary === undefined) return { status, headers: others, text };
  const type = headers["content-type"]!.replace(boundary, "");
  return { status, headers: { ...others, "content-type": type }, text: text.replaceAll(boundary, "") };
}

notInRust("random requests for files", "the test compares two servers on Node");
test(`the native server and the fallback send equal responses to ${runs} random requests, seed ${seed}`, async () => {
  const apps = ["native", "node"].map((name) =>
    edgeApplication(
      { staticFiles: options },
      withKitServer(name, () => nativeServer()),
    ),
  );
  const ports = await Promise.all(
    apps.map(async (app) => (await app.listen({ port: 0, host: "127.0.0.1" })).port),
  );
  const random = new Random(seed);
  const statuses = new Map<number, number>();
  try {
    for (let run = 0; run < runs; run += 1) {
      const request = randomRequest(random);
      const [native, fallback] = await Promise.all(ports.map((port) => send(port, request)));
      const about = JSON.stringify(request);
      assert.deepEqual(comparable(native!), comparable(fallback!), about);
      assert.ok(!native!.body.toString("latin1").includes(secret), about);
      statuses.set(native!.status, (statuses.get(native!.status) ?? 0) + 1);
    }
  } finally {
    await Promise.all(apps.map((app) => app.close({ graceMs: 0 })));
  }
  // The random requests must reach every kind of response.
  for (const status of [200, 206, 301, 304, 400, 404, 405, 412, 416])
    assert.ok(runs < 1000 || statuses.has(status), `no request has the status ${status}`);
});
