// Tests the table that `kit inspect performance` prints for known latencies. The sidecar rounds them, and the command
// formats them.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";

import { figuresOf } from "../../packages/plugin-debug/src/responses/performance.ts";
import { Latency } from "../../packages/plugin-debug/src/history/latency.ts";
import { Project } from "./support/project.ts";

const ROUTE = "GET /notes/:id";

/** Durations in milliseconds, and the line that is printed for a route with these durations. */
const cases: readonly (readonly [title: string, durations: readonly number[], line: string])[] = [
  ["below one millisecond", [0.123456789], `${ROUTE}  1         0.123   0.123   0.123   0.123`],
  ["below 100 ms", [12.3456789, 12.3456789], `${ROUTE}  2         12.3    12.3    12.3    12.3`],
  ["from 100 ms on", [1234.56789], `${ROUTE}  1         1235    1235    1235    1235`],
  ["of a sum with many decimals", [0.1, 0.2, 0.3], `${ROUTE}  3         0.201   0.201   0.201   0.2`],
];

describe("kit inspect performance rounds durations", () => {
  let project: Project;
  let body = "";
  const sidecar = createServer((request, response) => {
    assert.equal(request.url, "/_debug/performance?route=%2Fnotes%2F%3Aid");
    response.setHeader("content-type", "application/json").end(body);
  });
  before(async () => {
    project = await Project.of(new Map([["package.json", "{}"]]));
    sidecar.listen(0, "127.0.0.1");
    await once(sidecar, "listening");
  });
  after(async () => {
    sidecar.close();
    await project.remove();
  });

  for (const [title, durations, line] of cases) {
    test(title, async () => {
      const latency = new Latency();
      for (const duration of durations) latency.add(duration, false);
      body = JSON.stringify({ route: ROUTE, window: "5m", ...figuresOf(latency, 60) });
      const { port } = sidecar.address() as AddressInfo;
      const args = ["inspect", "performance", "--route", "/notes/:id", "--debug-port", String(port)];
      const { stdout, stderr } = await project.kitOk(...args);
      assert.equal(stdout, `ROUTE           REQUESTS  P50 MS  P95 MS  P99 MS  AVG MS\n${line}\n`);
      assert.equal(stderr, "");
    });
  }
});
