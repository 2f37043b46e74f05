// Tests the metrics that Prometheus reads from an application, for each server and with workers.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { nativeServer } from "@kit/server-native";
import type { LogEntry } from "@kit/types";
import { ValueType } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AggregationTemporality, DataPointType } from "@opentelemetry/sdk-metrics";

import { servers } from "../../../tests/conformance/servers.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { addressOf } from "../src/prometheus/address.ts";
import { familiesOf } from "../src/prometheus/families.ts";
import { WorkerSockets } from "../src/prometheus/worker-sockets.ts";
import { application } from "./support/application.ts";

quietStdout();

/** Waits until a condition is true. Fails after 30 seconds. */
async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await condition())) {
    if (performance.now() > end) assert.fail(`Waited in vain for ${what}`);
    await sleep(10);
  }
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Sends a request on a new connection. */
async function read(
  port: number,
  path = "/metrics",
  { method = "GET", host }: { method?: string; host?: string } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = host === undefined ? {} : { host };
  request({ port, host: "127.0.0.1", path, method, agent: false, headers }, (response) => {
    const status = response.statusCode!;
    const contentType = response.headers["content-type"] ?? "";
    const chunks = response.toArray() as Promise<Buffer[]>;
    resolve(chunks.then((all) => ({ status, contentType, text: Buffer.concat(all).toString() })));
  })
    .on("error", reject)
    .end();
  return promise;
}

/** Returns the value of a line such as `process_uptime_seconds 5`. Undefined if the text has no line with this name and labels. */
function valueOf(text: string, sample: string): number | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

/** Resolves to the port that the log entry about Prometheus names. */
async function portIn(log: readonly LogEntry[]): Promise<number> {
  const find = (): string | undefined =>
    log.map(({ message }) => /127\.0\.0\.1:(\d+)\/metrics$/.exec(message)?.[1]).find(Boolean);
  await until(() => find() !== undefined, "the log entry with the port");
  return Number(find());
}

const ok = 'http_request_method="GET",http_response_status_code="200",http_route="/plain"';

for (const [name, make] of servers) {
  it(`${name}: Prometheus reads counts by method, status and route, and values of the process`, async () => {
    const log: LogEntry[] = [];
    await using app = await application(make(), "", { prometheus: { port: 0 } }, log);
    const port = await portIn(log);
    for (let count = 0; count < 3; count += 1) await app.get("/plain");
    await app.get("/fail");
    await app.get("/nowhere");
    // The native server reads the name of a rare method from its addon, which is possible only before the response.
    await app.get("/nowhere", {}, "PROPFIND");
    let answer = await read(port);
    // A server may finish a request after its client has the response.
    await until(async () => {
      answer = await read(port);
      return valueOf(answer.text, `http_server_request_duration_seconds_count{${ok}}`) === 3;
    }, "the requests");
    const { status, contentType, text } = answer;
    assert.equal(status, 200);
    assert.equal(contentType, "text/plain; version=0.0.4; charset=utf-8");
    assert.equal(valueOf(text, `http_server_request_duration_seconds_bucket{${ok},le="+Inf"}`), 3);
    assert.ok(valueOf(text, `http_server_request_duration_seconds_sum{${ok}}`)! > 0);
    const failed = 'http_request_method="GET",http_response_status_code="409",http_route="/fail"';
    assert.equal(valueOf(text, `http_server_errors_total{${failed}}`), 1);
    const nowhere = 'http_request_method="GET",http_response_status_code="404"';
    assert.equal(valueOf(text, `http_server_errors_total{${nowhere}}`), 1);
    const invented = 'http_request_method="_OTHER",http_response_status_code="404"';
    assert.equal(valueOf(text, `http_server_errors_total{${invented}}`), 1);
    assert.equal(valueOf(text, "http_server_active_requests"), 0);
    assert.ok(valueOf(text, "process_memory_usage_bytes")! > 1e6);
    assert.ok(valueOf(text, 'process_cpu_time_seconds_total{cpu_mode="user"}')! > 0);
    assert.ok(valueOf(text, "nodejs_eventloop_utilization_ratio")! <= 1);
    assert.match(text, /^target_info\{.*service_name="/m);
    assert.doesNotMatch(text, /otel_scope/);
    requireFormat(text);
  });
}

/** Checks that a text follows the format of Prometheus: each metric has one type, and all its values are in one group. */
function requireFormat(text: string): void {
  assert.ok(text.endsWith("\n"));
  const seen = new Set<string>();
  let family = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, type] = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line) ?? [];
    if (type !== undefined) {
      assert.ok(!seen.has(type), `${type} has two groups`);
      seen.add(type);
      family = type;
    } else if (!line.startsWith("# HELP ")) {
      const [, name = ""] = /^(\w+)(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)+\})? (?:[-+.\de]+|NaN)$/.exec(line) ?? [];
      assert.equal(name.replace(/_(?:bucket|sum|count)$/, ""), family.replace(/_count$/, ""), line);
    }
  }
}

it("joins the values of attributes whose names become one label, and escapes values", () => {
  const endTime: [number, number] = [0, 0];
  const attributes = { "a.b": "one", a_b: 'tw"o\n', c: true };
  const families = familiesOf(
    {
      resource: resourceFromAttributes({}),
      scopeMetrics: [
        {
          scope: { name: "other" },
          metrics: [
            {
              descriptor: { name: "x.y", description: "", unit: "By", valueType: ValueType.INT },
              aggregationTemporality: AggregationTemporality.CUMULATIVE,
              dataPointType: DataPointType.GAUGE,
              dataPoints: [{ startTime: endTime, endTime, attributes, value: 7 }],
            },
          ],
        },
      ],
    },
    null,
  );
  assert.deepEqual(families.at(-1)!.samples, ['x_y_bytes{a_b="one;tw\\"o\\n",c="true"} 7']);
});

describe("the address for Prometheus", () => {
  it("is by default 127.0.0.1:9464, and follows the variables of OpenTelemetry", () => {
    const open = { port: undefined, hostname: undefined };
    assert.deepEqual(addressOf(open), { port: 9_464, hostname: "127.0.0.1" });
    process.env["OTEL_EXPORTER_PROMETHEUS_PORT"] = "9000";
    process.env["OTEL_EXPORTER_PROMETHEUS_HOST"] = "::1";
    try {
      assert.deepEqual(addressOf(open), { port: 9_000, hostname: "::1" });
      assert.deepEqual(addressOf({ port: 0, hostname: "0.0.0.0" }), { port: 0, hostname: "0.0.0.0" });
      process.env["OTEL_EXPORTER_PROMETHEUS_PORT"] = "70000";
      assert.throws(() => addressOf(open), /from 0 to 65535, not "70000"/);
    } finally {
      delete process.env["OTEL_EXPORTER_PROMETHEUS_PORT"];
      delete process.env["OTEL_EXPORTER_PROMETHEUS_HOST"];
    }
  });

  it("refuses other paths, other methods, and hosts that a web page of another site may have", async () => {
    const log: LogEntry[] = [];
    await using _ = await application(nativeServer(), "", { prometheus: { port: 0 } }, log);
    const port = await portIn(log);
    assert.equal((await read(port, "/")).status, 404);
    assert.equal((await read(port, "/metrics", { method: "POST" })).status, 405);
    assert.equal((await read(port, "/metrics", { host: "attacker.example" })).status, 403);
    assert.equal((await read(port, "/metrics", { host: "localhost:1" })).status, 200);
    assert.equal((await read(port, "/metrics?x=1", { host: "[::1]:1" })).status, 200);
    const head = await read(port, "/metrics", { method: "HEAD" });
    assert.deepEqual([head.status, head.text], [200, ""]);
  });

  it("does not exist on the port of the application", async () => {
    await using app = await application(nativeServer(), "", { prometheus: { port: 0 } });
    assert.equal((await app.get("/metrics")).status, 404);
  });

  it("is used as soon as another program frees its port, and the application serves until then", async () => {
    const [first, second]: LogEntry[][] = [[], []];
    const one = await application(nativeServer(), "", { prometheus: { port: 0 } }, first);
    const port = await portIn(first!);
    await using other = await application(nativeServer(), "", { prometheus: { port } }, second);
    assert.equal((await other.get("/plain")).status, 200);
    await one[Symbol.asyncDispose]();
    assert.equal(await portIn(second!), port);
    assert.equal((await read(port)).status, 200);
  });
});

describe("an application with workers", () => {
  it("answers for the own process if another program has removed the directory of the sockets", async () => {
    const sockets = new WorkerSockets(`${process.pid}-${"0".repeat(30)}`, 1);
    await rm(dirname(sockets.path), { recursive: true });
    assert.deepEqual(await sockets.readOthers(), []);
    sockets.remove();
  });

  it("answers for all workers, with a label for each, also after a worker was killed", async () => {
    const temporary = await mkdtemp(join(tmpdir(), "kit-prometheus-"));
    const child = spawn(process.execPath, [join(import.meta.dirname, "support/workers.ts")], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const { port, address } = await places(child);
      const countOf = (text: string, worker: number): number =>
        valueOf(text, `http_server_request_duration_seconds_count{${pid},worker="${worker}"}`) ?? 0;
      const pid = ok.replace("/plain", "/pid");
      const pids = new Map<string, string>();
      let sent = 0;
      // The kernel assigns each new connection to a worker.
      const askBoth = async (): Promise<void> => {
        pids.clear();
        await until(async () => {
          const { text } = await read(address, "/pid");
          sent += 1;
          const { worker, pid: id } = JSON.parse(text) as { worker: string; pid: string };
          pids.set(worker, id);
          return pids.size === 2;
        }, "an answer of each worker");
      };
      await askBoth();
      await until(async () => {
        const { text } = await read(port);
        return countOf(text, 1) + countOf(text, 2) === sent;
      }, "the requests of both workers");
      requireFormat((await read(port)).text);
      process.kill(Number(pids.get("1")), "SIGKILL");
      // The other worker takes the port if the killed worker had it.
      await until(async () => {
        const { text } = await read(port).catch(() => ({ text: "" }));
        return valueOf(text, 'process_uptime_seconds{worker="1"}') !== undefined && countOf(text, 1) === 0;
      }, "the new worker");
    } finally {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await until(
      async () => (await readdir(temporary)).every((entry) => !entry.startsWith("kit-metrics")),
      "the removal of the sockets",
    );
    await rm(temporary, { recursive: true, force: true });
  });
});

/** Resolves to the port of the metrics and the port of the application, which the program prints. */
async function places({ stdout }: ChildProcess): Promise<{ port: number; address: number }> {
  let port: number | undefined;
  for await (const line of createInterface({ input: stdout! })) {
    const [, metrics] = /127\.0\.0\.1:(\d+)\/metrics/.exec(line) ?? [];
    if (metrics !== undefined) port = Number(metrics);
    const [, address] = /^Listening on (\d+)$/.exec(line) ?? [];
    if (address === undefined) continue;
    assert.ok(port, "a worker has logged the port of the metrics");
    // The program goes on to print, and must not wait for this process.
    stdout!.resume();
    return { port, address: Number(address) };
  }
  return assert.fail("the program has ended");
}
