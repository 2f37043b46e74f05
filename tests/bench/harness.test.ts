// Tests the HTTP benchmark, except its results: options of the command line, the check of responses, and the
// end of the servers.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";

import { catalog } from "../../bench/http/catalog.ts";
import { run } from "../../bench/http/command.ts";
import { median, type Row } from "../../bench/figures.ts";
import { rowsOf, table } from "../../bench/http/report.ts";
import { type Scenario, scenarios } from "../../bench/http/scenarios.ts";
import { positive, select } from "../../bench/http/select.ts";
import { isRight, Subject } from "../../bench/http/subject.ts";

const repository = join(import.meta.dirname, "../..");
const http = join(repository, "bench/http");
const peer = { file: process.execPath, arguments: ["subjects/node-http.ts"], cwd: http };

describe("options that select subjects and scenarios", () => {
  test("do not change the order of the list, and select everything if they are absent", () => {
    assert.deepEqual(
      select("--subjects", "axum, kit-native", catalog).map(({ name }) => name),
      ["kit-native", "axum"],
    );
    assert.equal(select("--subjects", undefined, catalog).length, catalog.length);
  });

  test("list the valid names if a name is unknown or missing", () => {
    assert.throws(() => select("--subjects", "kit,axum", catalog), /no `kit`; there are kit-native, /);
    assert.throws(() => select("--scenarios", ",", scenarios), /names nothing; there are get-static, /);
    for (const text of ["0", "-1", "x", "Infinity", ""])
      assert.throws(() => positive("--seconds", text), /--seconds must be/);
  });
});

describe("results of the HTTP benchmark", () => {
  const sample = { cpu: 10, rps: 100, p50: 1, p99: 2, busy: 1 };

  test("the median is the middle value, the mean of two middle values, and NaN for an empty list", () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([4, 1, 2, 100]), 3);
    assert.ok(Number.isNaN(median([])));
    assert.deepEqual(rowsOf("get-param", "axum", []), []);
  });

  test("the table shows values as multiples of the first subject, and marks servers that had unused CPU time", () => {
    const rows: Row[] = [
      ...rowsOf("get-param", "kit-native", [sample, { ...sample, cpu: 4 }, { ...sample, cpu: 8 }]),
      ...rowsOf("get-param", "axum", [{ ...sample, cpu: 12, busy: 0.5 }]),
      { scenario: "all", subject: "axum", metric: "rss_mib", value: 6.4, unit: "MiB" },
    ];
    const text = table(rows);
    assert.match(text, /get-param {2}kit-native +8\.00 +1\.00 .* 1\.00$/m);
    assert.match(text, /get-param {2}axum +12\.00 +1\.50 .* 0\.50\*$/m);
    assert.match(text, /^\* not fully loaded/m);
    assert.match(text, /axum 6 MiB/);
  });
});

describe("a response counts only if it fits the scenario", () => {
  const scenario: Scenario = {
    name: "x",
    request: "",
    status: 200,
    body: { id: "1" },
    keys: ["id", "title"],
    headers: { "cache-control": "no-store" },
  };
  const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store";
  const cases: readonly (readonly [string, boolean, string, string])[] = [
    ["a correct response", true, head, '{"id":"1","title":"t"}'],
    ["another status", false, head.replace("200", "201"), '{"id":"1","title":"t"}'],
    ["another value", false, head, '{"id":"2","title":"t"}'],
    ["an additional key", false, head, '{"id":"1","title":"t","secret":1}'],
    ["a missing key", false, head, '{"id":"1"}'],
    ["not JSON", false, head, "ok"],
    ["another content type", false, head.replace("application/json", "text/plain"), '{"id":"1","title":"t"}'],
    ["a wrong header", false, head.replace("no-store", "no-cache"), '{"id":"1","title":"t"}'],
  ];
  for (const [name, expected, top, body] of cases) {
    test(name, () => assert.equal(isRight(scenario, top, body), expected));
  }

  test("a response to a failed request must contain an error code", () => {
    const failure = { name: "x", request: "", status: 404, body: {} };
    const top = "HTTP/1.1 404 Not Found\r\ncontent-type: application/json";
    assert.equal(isRight(failure, top, '{"error":{"code":"NOT_FOUND"}}'), true);
    assert.equal(isRight(failure, top, '{"error":"Not found"}'), false);
  });
});

describe("processes of the HTTP benchmark", () => {
  test("a server responds to every scenario without a database and without a feature, and exits when it is stopped", async () => {
    const subject = await Subject.start("node-http", peer);
    try {
      for (const scenario of scenarios) {
        if (scenario.isStored !== true && scenario.feature === undefined && scenario.identity === undefined)
          await subject.check(scenario);
      }
      assert.ok(subject.cpuMicroseconds() > 0);
      assert.ok(subject.rssMebibytes() > 1);
    } finally {
      subject.stop();
    }
    await assert.rejects(subject.check(scenarios[0]!), /ECONNREFUSED|ECONNRESET/);
  });

  test("a process that exits before it listens is reported with its exit code", async () => {
    const start = { file: process.execPath, arguments: ["-e", "process.exit(3)"], cwd: http };
    await assert.rejects(Subject.start("broken", start), /broken exited with 3 before it listened/);
  });

  test("a server exits by itself if the benchmark is killed", async () => {
    const directory = await mkdtemp(join(tmpdir(), "kit-bench-"));
    try {
      const script = join(directory, "benchmark.ts");
      await writeFile(
        script,
        `import { Subject } from ${JSON.stringify(join(http, "subject.ts"))};
const { port } = await Subject.start("node-http", ${JSON.stringify(peer)});
console.log(port);
setInterval(() => undefined, 1000);
`,
      );
      const benchmark = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
      const [line] = (await once(benchmark.stdout.setEncoding("utf8"), "data")) as [string];
      const url = `http://127.0.0.1:${line.trim()}/health`;
      assert.equal((await fetch(url)).status, 200);
      benchmark.kill("SIGKILL");
      await assert.doesNotReject(untilRefused(url));
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test("a program that fails is reported with its last output, and an aborted program exits", async () => {
    const { signal } = new AbortController();
    const words = ["-e", "console.error('no such crate'); process.exit(4)"];
    await assert.rejects(run(process.execPath, words, http, signal), /exited with 4:\nno such crate/);
    const forever = ["-e", "setInterval(() => undefined, 1000)"];
    await assert.rejects(run(process.execPath, forever, http, AbortSignal.timeout(100)), /abort/i);
  });
});

test("peers have the versions that kit's adapters are tested with", async () => {
  const peers = await dependencies("bench/http/peers/package.json");
  for (const name of ["express", "fastify", "hono"]) {
    const tested = await dependencies(`packages/server-${name}/package.json`);
    assert.equal(peers[name], tested[name], name);
    if (name === "hono") assert.equal(peers["@hono/node-server"], tested["@hono/node-server"]);
  }
});

async function dependencies(file: string): Promise<Record<string, string>> {
  const manifest = JSON.parse(await readFile(join(repository, file), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  return { ...manifest["dependencies"], ...manifest["devDependencies"] };
}

async function untilRefused(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    try {
      await fetch(url, { signal: AbortSignal.timeout(1000) });
    } catch {
      return;
    }
    await setTimeout(50);
  }
  throw new Error("the server is still there");
}
