import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { Log } from "../src/logging/log.ts";
import { readableFormat } from "../src/logging/readable.ts";
import { compileRedactor } from "../src/logging/redact.ts";

const lineOf = (message: string, data?: object, hasColours = false): string => {
  const lines: string[] = [];
  const log = new Log({
    level: "trace",
    redactor: compileRedactor([]),
    serverAdapter: "memory",
    lines: { write: (line) => lines.push(line) },
    format: readableFormat(hasColours),
    sinks: [],
  });
  const place = { route: "GET /a", phase: "handler", traceId: "4bf92f3577b34da6a3ce929d0e0e4736" };
  log.at(() => place).warn(message, data);
  assert.equal(lines.length, 1);
  return lines[0]!.replace(/\d\d:\d\d:\d\d\.\d{3}/, "TIME");
};

describe("readable lines", () => {
  it("have time, level, message, place and data", () => {
    assert.equal(lineOf("Note created"), "TIME WARN  Note created  GET /a handler 4bf92f35");
    assert.equal(
      lineOf("Note created", { id: 7, tags: ["a"], by: { name: "Ada" } }),
      "TIME WARN  Note created  GET /a handler 4bf92f35  id=7 tags=[ 'a' ] by={ name: 'Ada' }",
    );
    assert.ok(lineOf("x", {}, true).startsWith("\u001b[90mTIME\u001b[0m \u001b[33mWARN \u001b[0m x"));
  });

  it("show the stacks of an error and its causes below", () => {
    const error = Object.assign(new Error("broken", { cause: new TypeError("deep") }), { code: "E1" });
    const lines = lineOf("Failed", { error, id: 7 }).split("\n");
    assert.equal(lines[0], "TIME WARN  Failed  GET /a handler 4bf92f35  id=7");
    assert.equal(lines[1], "  Error: broken");
    assert.match(lines[2]!, /^ {6}at /);
    assert.ok(lines.some((line) => line.includes("code: 'E1'")));
    assert.ok(lines.includes("  caused by TypeError: deep"));
  });

  it("let nobody write to the terminal what moves its cursor, or a line of its own", () => {
    const line = lineOf("a\u001b[2Jb\rc\u0007\nTIME INFO  forged", { text: "\u001b]0;title\u0007\u009b31m" });
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(line, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    assert.match(line, /\n {2}TIME INFO/);
  });
});
