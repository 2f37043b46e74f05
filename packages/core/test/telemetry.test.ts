import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type AppOptions, createApp } from "@kit/core";
import { findTelemetry } from "../src/app/find-telemetry.ts";
import { readTelemetry } from "../src/app/telemetry-options.ts";
import { compiled } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";

const missing = (name: string): (() => Promise<never>) => {
  const error = new Error(`Cannot find package '${name}' imported from /app`);
  return () => Promise.reject(Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" }));
};
const newer = (): Promise<unknown> => Promise.resolve({ telemetry: { version: 2 } });

describe("the option `telemetry`", () => {
  it("is read as null if traces, metrics and logs are off", () => {
    assert.equal(readTelemetry({}), null);
    assert.equal(readTelemetry({ tracing: false, metrics: false, exporter: "console" }), null);
  });

  it("has defaults, and exports log entries if traces or metrics are exported", () => {
    assert.deepEqual(readTelemetry({ tracing: true }), {
      tracing: true,
      metrics: false,
      logs: true,
      exporter: "otlp",
      endpoint: undefined,
      serviceName: undefined,
      headers: {},
      sampleRatio: 1,
      queueSize: 2_048,
      exportIntervalMs: 1_000,
      metricsIntervalMs: 60_000,
      prometheus: null,
    });
    assert.equal(readTelemetry({ metrics: true, exporter: "console" })!.logs, false);
    assert.equal(readTelemetry({ metrics: true, logs: false })!.logs, false);
    assert.equal(readTelemetry({ logs: true })!.tracing, false);
    const { metrics, logs, prometheus } = readTelemetry({ prometheus: true })!;
    assert.deepEqual([metrics, logs, prometheus], [false, false, { port: undefined, hostname: undefined }]);
  });

  const wrong: readonly [options: unknown, message: RegExp][] = [
    [null, /`telemetry` must be an object, not null/],
    [{ trace: true }, /there is no option `telemetry\.trace`/],
    [{ tracing: "yes" }, /`telemetry\.tracing` must be true or false, not yes/],
    [{ exporter: "zipkin" }, /`telemetry\.exporter` must be one of otlp, console, none, not zipkin/],
    [{ endpoint: "localhost:4318" }, /`telemetry\.endpoint` must be a URL such as http:\/\/localhost:4318/],
    [{ endpoint: "grpc://localhost" }, /`telemetry\.endpoint` must be a URL/],
    [{ serviceName: "" }, /`telemetry\.serviceName` must be a string/],
    [{ headers: { a: 5 } }, /`telemetry\.headers` must be an object of strings/],
    [{ sampleRatio: 1.1 }, /`telemetry\.sampleRatio` must be a number from 0 to 1, not 1\.1/],
    [{ sampleRatio: Number.NaN }, /not NaN/],
    [{ queueSize: 0 }, /`telemetry\.queueSize` must be a whole number from 1 to 65536/],
    [{ exportIntervalMs: 0 }, /`telemetry\.exportIntervalMs` must be a whole number of milliseconds/],
    [{ prometheus: "yes" }, /`telemetry\.prometheus` must be true, false or an object, not yes/],
    [{ prometheus: { hostnam: "x" } }, /no option `telemetry\.prometheus\.hostnam`; did you mean `hostname`/],
    [
      { prometheus: { port: 70_000 } },
      /`telemetry\.prometheus\.port` must be a whole number from 0 to 65535/,
    ],
    [{ prometheus: { hostname: "" } }, /`telemetry\.prometheus\.hostname` must be a string/],
    [{ metricsIntervalMs: 1.5 }, /`telemetry\.metricsIntervalMs`/],
  ];
  for (const [options, message] of wrong) {
    it(`is refused if it is ${JSON.stringify(options)}`, () => {
      assert.throws(
        () => createApp({ server: new MemoryServer(), routes: [], telemetry: options } as AppOptions),
        (error) => error instanceof TypeError && message.test(error.message),
      );
    });
  }

  it("causes an error that names the package to install, but does not hide other load errors", async () => {
    await assert.rejects(findTelemetry(missing("@kit/otel")), /run `npm install @kit\/otel`/);
    await assert.rejects(findTelemetry(missing("@opentelemetry/api")), /@kit\/otel could not be loaded/);
    await assert.rejects(findTelemetry(newer), /is for another version of @kit\/core/);
  });

  it("provides no counts of telemetry while it is off", async () => {
    const app = createApp({
      server: new MemoryServer(),
      routes: [],
      compiled: compiled(),
      signals: false,
    } as AppOptions);
    await app.listen({ port: 0 });
    assert.equal(app.telemetry(), null);
    await app.close();
  });
});
