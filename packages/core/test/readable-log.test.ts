import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";

import { spawn } from "@lydell/node-pty";

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
  log.loggerFor(() => place).warn(message, data);
  assert.equal(lines.length, 1);
  return lines[0]!.replace(/\d\d:\d\d:\d\d\.\d{3}/, "TIME");
};

describe("readable lines of the log", () => {
  it("contain time, level, message, context and data", () => {
    assert.equal(lineOf("Note created"), "TIME WARN  Note created  GET /a handler 4bf92f35");
    assert.equal(
      lineOf("Note created", { id: 7, tags: ["a"], by: { name: "Ada" } }),
      "TIME WARN  Note created  GET /a handler 4bf92f35  id=7 tags=[ 'a' ] by={ name: 'Ada' }",
    );
    assert.ok(lineOf("x", {}, true).startsWith("\u001b[90mTIME\u001b[0m \u001b[33mWARN \u001b[0m x"));
  });

  it("contain the stacks of an error and its causes below the message", () => {
    const error = Object.assign(new Error("broken", { cause: new TypeError("deep") }), { code: "E1" });
    const lines = lineOf("Failed", { error, id: 7 }).split("\n");
    assert.equal(lines[0], "TIME WARN  Failed  GET /a handler 4bf92f35  id=7");
    assert.equal(lines[1], "  Error: broken");
    assert.match(lines[2]!, /^ {6}at /);
    assert.ok(lines.some((line) => line.includes("code: 'E1'")));
    assert.ok(lines.includes("  caused by TypeError: deep"));
  });

  it("contain no control characters, and indent further lines of a message", () => {
    const line = lineOf("a\u001b[2Jb\rc\u0007\nTIME INFO  forged", { text: "\u001b]0;title\u0007\u009b31m" });
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(line, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    assert.match(line, /\n {2}TIME INFO/);
  });
});

const appThatLogs = (env: string): string => `
  import { createApp } from "@kit/core";
  import { MemoryServer } from ${JSON.stringify(new URL("support/memory-server.ts", import.meta.url).href)};
  import { compiled } from ${JSON.stringify(new URL("support/compiled.ts", import.meta.url).href)};
  const plugin = { name: "one", onStart: ({ log }) => log.info("started", { id: 7 }) };
  const server = new MemoryServer();
  const app = createApp({ server, routes: [], compiled: compiled(), plugins: [plugin], signals: false, env: "${env}" });
  await app.listen({ port: 0 });
  await app.close();`;

/** Returns the output of a program on a terminal. */
async function onTerminal(code: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const env = { ...process.env, TERM: "xterm" };
  const terminal = spawn(process.execPath, ["--input-type=module", "-e", code], {
    cols: 200,
    env,
    cwd: import.meta.dirname,
  });
  let printed = "";
  terminal.onData((text) => (printed += text));
  terminal.onExit(() => resolve());
  await promise;
  return printed;
}

describe("the log on standard output", () => {
  it("is readable on a terminal in development", async () => {
    const printed = stripVTControlCharacters(await onTerminal(appThatLogs("development")));
    assert.match(printed, /\d\d:\d\d:\d\d\.\d{3} INFO {2}started {2}id=7/);
  });

  it("is JSON in production, or if standard output is not a terminal", async () => {
    const onPipe = execFileSync(process.execPath, ["--input-type=module", "-e", appThatLogs("development")], {
      encoding: "utf8",
      cwd: import.meta.dirname,
    });
    for (const printed of [await onTerminal(appThatLogs("production")), onPipe]) {
      const entry = JSON.parse(printed) as { message: string; data: unknown };
      assert.equal(entry.message, "started");
      assert.deepEqual(entry.data, { id: 7 });
    }
  });
});
