import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";

import type { LogEntry } from "@kit/core";
import { Log } from "../src/logging/log.ts";
import { toLoggable } from "../src/logging/loggable.ts";
import { compileRedactor } from "../src/logging/redact.ts";
import { compiled, responseOf, route } from "./support/compiled.ts";
import { serve } from "./support/serve.ts";

const nothing = compileRedactor([]);

const redact = (patterns: string[], data: unknown): unknown =>
  JSON.parse(JSON.stringify(toLoggable(data, compileRedactor(patterns))));

describe("the redactor", () => {
  it("hides the property with a given name at any depth and in any case", () => {
    const data = { Authorization: "a", deep: [{ headers: { authorization: "b", other: "c" } }] };
    assert.deepEqual(redact(["authorization"], data), {
      Authorization: "[redacted]",
      deep: [{ headers: { authorization: "[redacted]", other: "c" } }],
    });
  });

  it("compares a pattern with the end of a path, and * in a pattern matches a single name", () => {
    const data = {
      password: "a",
      user: { Password: "b", id: 1, token: { value: "c" } },
      token: { value: "d" },
    };
    assert.deepEqual(redact(["*.password", "user.*.value"], data), {
      password: "[redacted]",
      user: { Password: "[redacted]", id: 1, token: { value: "[redacted]" } },
      token: { value: "d" },
    });
    assert.deepEqual(redact(["user.*"], data)?.["user" as never], {
      Password: "[redacted]",
      id: "[redacted]",
      token: "[redacted]",
    });
  });

  it("hides values in maps, errors and results of toJSON", () => {
    const error = Object.assign(new Error("x"), { password: "a" });
    delete error.stack;
    const data = { map: new Map([["password", "b"]]), error, json: { toJSON: () => ({ password: "c" }) } };
    assert.deepEqual(redact(["password"], data), {
      map: { password: "[redacted]" },
      error: { name: "Error", message: "x", password: "[redacted]" },
      json: { password: "[redacted]" },
    });
  });

  it("hides the names of sensitive fields in any spelling, at any depth", () => {
    const redactor = compileRedactor([]);
    redactor.hideNames(["passwordHash", "pin"]);
    const data = {
      user: { password_hash: "a", passwordHash: "b", pins: 1, PIN: [1] },
      headers: { "Password-Hash": "c" },
      rows: [new Map([["PASSWORD_HASH", "d"]])],
    };
    assert.deepEqual(JSON.parse(JSON.stringify(toLoggable(data, redactor))), {
      user: { password_hash: "[redacted]", passwordHash: "[redacted]", pins: 1, PIN: "[redacted]" },
      headers: { "Password-Hash": "[redacted]" },
      rows: [{ PASSWORD_HASH: "[redacted]" }],
    });
  });

  it("does not hide the message of an error if a type has a sensitive field named message", () => {
    const redactor = compileRedactor([]);
    redactor.hideNames(["message"]);
    const error = Object.assign(new Error("broken", { cause: { message: "secret" } }), {
      data: { message: "secret" },
    });
    const { message, cause, data } = toLoggable(error, redactor) as Record<string, unknown>;
    assert.equal(message, "broken");
    assert.equal(JSON.stringify([cause, data]), '[{"message":"[redacted]"},{"message":"[redacted]"}]');
  });

  it("hides the values of hidden fields in messages of validation failures", () => {
    const failures = [
      { path: "$.user.password.old", expected: "string", received: "number 5", value: 5 },
      { path: '$["password"][0]', expected: "string", value: 6 },
      { path: "$.name", expected: "string", received: "number 7", value: 7 },
      { path: "/etc/password", value: 8 },
    ];
    assert.deepEqual(redact(["password"], { failures }), {
      failures: [
        { path: "$.user.password.old", expected: "string", received: "[redacted]", value: "[redacted]" },
        { path: '$["password"][0]', expected: "string", value: "[redacted]" },
        { path: "$.name", expected: "string", received: "number 7", value: 7 },
        { path: "/etc/password", value: 8 },
      ],
    });
  });

  it("refuses an invalid pattern", () => {
    for (const pattern of ["", "a..b", ".a"]) assert.throws(() => compileRedactor([pattern]), TypeError);
  });
});

describe("the data of a log entry", () => {
  it("is converted to JSON, whatever its type", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const data = {
      cycle,
      big: 12n,
      nan: Number.NaN,
      date: new Date(0),
      noDate: new Date(Number.NaN),
      bytes: new Uint8Array(3),
      set: new Set([1]),
      fn: () => 1,
      symbol: Symbol("s"),
      missing: undefined,
      nothing: null,
      get bad(): never {
        throw new Error("bad");
      },
      toBad: {
        toJSON: () => {
          throw new Error("bad");
        },
      },
    };
    assert.equal(
      JSON.stringify(toLoggable(data, nothing)),
      JSON.stringify({
        cycle: ["[circular]"],
        big: "12",
        nan: "NaN",
        date: "1970-01-01T00:00:00.000Z",
        noDate: "[invalid date]",
        bytes: "[3 bytes]",
        set: [1],
        fn: "[function]",
        symbol: "Symbol(s)",
        nothing: null,
        bad: "[unreadable]",
        toBad: "[unreadable]",
      }),
    );
    assert.equal(
      JSON.stringify(toLoggable(JSON.parse('{"__proto__":{"a":1}}'), nothing)),
      '{"__proto__":{"a":1}}',
    );
  });

  it("is limited in length, depth and number of values", () => {
    assert.ok((toLoggable("x".repeat(100_000), nothing) as string).length < 20_000);
    let deep: object = {};
    for (let level = 0; level < 1_000; level += 1) deep = { deep };
    assert.match(JSON.stringify(toLoggable(deep, nothing)), /\[too deep\]/);
    const wide = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
    assert.ok(JSON.stringify(toLoggable(wide, nothing)).length < 200_000);
    const endless = {
      *[Symbol.iterator]() {
        for (;;) yield 1;
      },
    };
    assert.equal(JSON.stringify(toLoggable(endless, nothing)), "{}");
  });
});

describe("ctx.log", () => {
  const get = route("GET /a", { response: responseOf("A", {}) });

  it("writes all fields of an entry, and only entries at or above the minimum level", async () => {
    const { send, log } = await serve(
      [
        [
          get,
          ({ ctx }) => {
            ctx.log.trace("a");
            ctx.log.debug("b");
            ctx.log.info("c", { password: "p", id: 1 });
            ctx.log.warn("d");
            ctx.log.error("e");
            ctx.log.fatal("f");
            return {};
          },
        ],
      ],
      { logging: { level: "info", redact: ["*.password"] } },
    );
    await send("GET /a");
    assert.deepEqual(
      log.map(({ level, message }) => `${level} ${message}`),
      ["info c", "warn d", "error e", "fatal f"],
    );
    const { timestamp, traceId, requestId, ...rest } = log[0]!;
    assert.ok(traceId && requestId && !Number.isNaN(Date.parse(timestamp)));
    assert.deepEqual(JSON.parse(JSON.stringify(rest)), {
      level: "info",
      message: "c",
      route: "GET /a",
      phase: "handler",
      serverAdapter: "memory",
      data: { password: "[redacted]", id: 1 },
    });
  });

  it("hides the values of fields that types mark as sensitive, without configuration", async () => {
    const made = { ...compiled(get), sensitive: ["apiKey"] };
    const { send, log } = await serve(
      [
        [
          get,
          ({ ctx }) => {
            ctx.log.info("c", { user: { id: 1, apiKey: "k", api_key: "k" } });
            ctx.log.error("d", { error: Object.assign(new Error("no"), { apiKey: "k" }) });
            return {};
          },
        ],
      ],
      { compiled: made, logLevel: "info" },
    );
    await send("GET /a");
    assert.equal(log.length, 2);
    assert.deepEqual(JSON.parse(JSON.stringify(log[0]!.data)), {
      user: { id: 1, apiKey: "[redacted]", api_key: "[redacted]" },
    });
    assert.ok(!JSON.stringify(log).includes('"k"'));
  });

  it("continues after a sink throws, and passes the same entry to every sink", () => {
    const lines: string[] = [];
    const entries: LogEntry[] = [];
    const log = new Log({
      level: "trace",
      redactor: nothing,
      serverAdapter: "memory",
      lines: { write: (line) => lines.push(line) },
      sinks: [
        () => {
          throw new Error("full");
        },
        (entry) => entries.push(entry),
      ],
    });
    log.loggerFor(() => ({})).info(Symbol("odd") as never, 5 as never);
    assert.equal(lines.length, 2);
    assert.equal(lines[0], JSON.stringify(entries[0]));
    assert.equal(entries[0]!.message, "Symbol(odd)");
    assert.match(lines[1]!, /A log sink failed.*full/);
  });

  it("converts a message that is not a string, and limits the length of a message", () => {
    const messages: string[] = [];
    const log = new Log({
      level: "trace",
      redactor: compileRedactor(["password"]),
      serverAdapter: "memory",
      lines: { write: (line) => messages.push((JSON.parse(line) as LogEntry).message) },
      sinks: [],
    });
    const logger = log.loggerFor(() => ({}));
    for (const odd of [{ id: 7, password: "p" }, new Error("x"), [1n], null, undefined, {}])
      logger.info(odd as never);
    assert.deepEqual(messages.with(1, ""), [
      '{"id":7,"password":"[redacted]"}',
      "",
      '["1"]',
      "null",
      "undefined",
      "{}",
    ]);
    assert.match(messages[1]!, /"message":"x"/);
    logger.info("y".repeat(1_000_000));
    assert.match(messages.at(-1)!, /^y+… \(1000000 characters\)$/);
    assert.ok(messages.at(-1)!.length < 20_000);
  });
});

const script = (body: string): string =>
  `import { stdoutSink } from ${JSON.stringify(new URL("../src/logging/stdout-sink.ts", import.meta.url).href)};
   const sink = stdoutSink(); ${body}`;
const run = (body: string): string =>
  execFileSync(process.execPath, ["--input-type=module", "-e", script(body)], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });

describe("the log on standard output", () => {
  it("contains every line in order, including lines that are pending when the process exits", () => {
    const expected = Array.from({ length: 20_000 }, (_, index) => `${index}\n`).join("");
    assert.equal(run("for (let i = 0; i < 20000; i++) sink.write(String(i));"), expected);
    assert.equal(run("for (let i = 0; i < 20000; i++) sink.write(String(i)); process.exit(0);"), expected);
    const crash = spawnSync(process.execPath, [
      "--input-type=module",
      "-e",
      script('sink.write("last"); throw 0;'),
    ]);
    assert.equal(String(crash.stdout), "last\n");
  });

  it("waits for a slow reader when the process exits", () => {
    const size = 3 * 1024 * 1024;
    const body = `for (let i = 0; i < 3072; i++) sink.write("x".repeat(1023)); setImmediate(() => process.exit(3));`;
    const command = `"${process.execPath}" --input-type=module -e '${script(body)}' | (sleep 1; wc -c); echo "\${PIPESTATUS[0]}"`;
    const { stdout } = spawnSync("bash", ["-c", command], { encoding: "utf8" });
    const [written, code] = stdout.trim().split("\n").map(Number);
    assert.equal(code, 3);
    // A chunk that was being written when the process exited may appear twice, but nothing is lost.
    assert.ok(written! >= size, `${written} of ${size} bytes`);
  });

  it("does not block the event loop if no program reads the output", async () => {
    const body = `
      for (let i = 0; i < 4096; i++) sink.write("x".repeat(1023));
      let turns = 0;
      setInterval(() => ++turns === 50 && process.stderr.write("turned"), 1);`;
    // Its standard output is a pipe that is never read, so the pipe is full at once.
    const child = spawn(process.execPath, ["--input-type=module", "-e", script(body)]);
    try {
      const [output] = (await once(child.stderr, "data")) as [Buffer];
      assert.equal(String(output), "turned");
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("does not affect the process if the reader closes the output", () => {
    const body = `let n = 0; const t = setInterval(() => { sink.write("x".repeat(1000)); if (++n > 50) { clearInterval(t); process.exitCode = 7; } }, 1);`;
    const command = `"${process.execPath}" --input-type=module -e '${script(body)}' | head -c 10 >/dev/null; echo "\${PIPESTATUS[0]}"`;
    assert.equal(spawnSync("bash", ["-c", command], { encoding: "utf8" }).stdout, "7\n");
  });

  it("drops and counts lines if the reader stops reading", () => {
    const out = run('for (let i = 0; i < 20000; i++) sink.write("x".repeat(1000));');
    const lines = out.trimEnd().split("\n");
    assert.match(lines.at(-1)!, /\d+ log entries were dropped/);
    const dropped = Number(/(\d+) log entries/.exec(lines.at(-1)!)?.[1]);
    assert.equal(lines.length - 1 + dropped, 20_000);
  });
});
