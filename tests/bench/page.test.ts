// Tests that docs/performance.md contains the recorded results of the benchmarks.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { slowerScenarios, verdicts } from "../../bench/page/goals.ts";
import { fill, httpSection, picture, startSection } from "../../bench/page/markdown.ts";
import { render } from "../../bench/page/render.ts";
import type { Result } from "../../bench/page/results.ts";
import type { Row } from "../../bench/figures.ts";

const repository = join(import.meta.dirname, "../..");

function cpu(scenario: string, subject: string, value: number): Row {
  return { scenario, subject, metric: "cpu_us_per_req", value, unit: "us" };
}

test("docs/performance.md and its picture are what `cargo xtask bench page` writes", async () => {
  const page = await readFile(join(repository, "docs/performance.md"), "utf8");
  const { markdown, svg } = render(page, join(repository, "bench/results"));
  assert.equal(page, markdown);
  assert.equal(await readFile(join(repository, "docs/performance.svg"), "utf8"), svg);
});

test("a goal is met at its limit and missed above it, and is left out if its values were not measured", () => {
  const rows = [
    cpu("get-param", "kit-native", 5),
    cpu("get-param", "axum", 5),
    cpu("get-param", "node-http", 9),
  ];
  assert.deepEqual(
    verdicts(rows).map(({ peer, isMet }) => [peer, isMet]),
    [
      ["axum", true],
      ["node-http", false],
    ],
  );
});

test("the page lists every peer that is faster in a scenario, but no adapters", () => {
  const rows = [
    cpu("not-found", "kit-native", 6),
    cpu("not-found", "kit-hono", 3),
    cpu("not-found", "axum", 4),
    cpu("not-found", "express", 40),
  ];
  assert.deepEqual(slowerScenarios(rows), ["axum in not-found: 1.50 times its CPU"]);
});

test("tables are sorted, and mark missing values and servers that had unused CPU time", () => {
  const result: Result = {
    bench: "http",
    machine: { cpu: "A <fast> one", cores: 2, node: "v24.0.0" },
    versions: { express: "5.0.0" },
    skipped: [{ subject: "elysia-bun", reason: "npm has no Bun for this platform\nmore" }],
    rows: [
      cpu("get-param", "express", 40),
      cpu("get-param", "kit-native", 5),
      { scenario: "get-param", subject: "express", metric: "busy", value: 0.5, unit: "processors" },
      { scenario: "get-param", subject: "express", metric: "rps", value: 100, unit: "1/s" },
    ],
  };
  const text = httpSection(result);
  assert.ok(text.indexOf("kit-native") < text.indexOf("| express"));
  assert.match(text, /\| express \| 40\.00 \| 100 † \| – \| – \|/);
  assert.match(text, /Not measured: elysia-bun \(npm has no Bun for this platform\)\./);
  const svg = picture(result, undefined);
  assert.match(svg, /kit-native<\/text>/);
  assert.equal(svg, picture(result, undefined));
  assert.equal(startSection(undefined), "No figures are recorded.");
});

test("fill refuses a page that lacks the comments for a table", () => {
  assert.throws(() => fill("# Performance\n", "http", "x"), /no place for http/);
});
