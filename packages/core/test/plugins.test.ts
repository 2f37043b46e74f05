import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { SchemaChange } from "@kit/core";
import { responseOf, route } from "./support/compiled.ts";
import { serve } from "./support/serve.ts";

const hello = route("GET /hello", { response: responseOf("Hello", { text: "string" }) });

const bad = (): never => {
  throw new Error("out of order");
};

describe("a plugin whose hooks throw or reject", () => {
  it("affects no request and no other plugin, and its name is logged", async () => {
    const calls: string[] = [];
    const { send, log } = await serve([[hello, () => ({ text: "hi" })]], {
      logLevel: "info",
      plugins: [
        { name: "sync", onError: bad, onLifecycle: bad },
        {
          name: "async",
          onError: async () => bad(),
          onLifecycle: async () => bad(),
          onLog: async () => bad(),
        },
        {
          name: "good",
          onError: () => void calls.push("error"),
          onLifecycle: () => void calls.push("trace"),
        },
      ],
    });
    assert.equal((await send("GET /hello")).text, '{"text":"hi"}');
    assert.equal((await send("GET /nowhere")).status, 404);
    // An unhandled rejection would fail this test.
    await sleep(5);
    assert.deepEqual(calls, ["trace", "error", "trace"]);
    const failures = log.map(
      ({ message, data }) => `${message}: ${(data as { error: { message: string } }).error.message}`,
    );
    assert.deepEqual(failures.toSorted(), [
      "A plugin failed: onError of the plugin async failed",
      "A plugin failed: onError of the plugin sync failed",
      "A plugin failed: onLifecycle of the plugin async failed",
      "A plugin failed: onLifecycle of the plugin async failed",
      "A plugin failed: onLifecycle of the plugin sync failed",
      "A plugin failed: onLifecycle of the plugin sync failed",
      "No route matches this path: No route matches this path",
    ]);
  });
});

const support = join(import.meta.dirname, "support");
/** Program that exits as soon as nothing keeps it alive, so a watcher that keeps it alive would fail the test. */
const program = `
import { createApp } from "@kit/core";
import { MemoryServer } from ${JSON.stringify(join(support, "memory-server.ts"))};
const line = (value) => console.log(JSON.stringify(value));
const onSchemaChange = (change) => {
  line(change);
  if (change.routes) clearInterval(keep);
  throw new Error("hook");
};
const app = createApp({
  server: new MemoryServer(),
  routes: [],
  env: process.argv[2],
  signals: false,
  plugins: [{ name: "watcher", onSchemaChange }],
});
const keep = setInterval(() => {}, 1000);
await app.listen({ port: 5 });
line("listening");
if (process.argv[2] === "production") clearInterval(keep);
`;

/** Returns the text of `schemas.json` for types with these descriptions. A moved type is only on another line. */
function types(descriptions: Readonly<Record<string, string>>): string {
  const entries = Object.entries(descriptions).map(([name, text]) => {
    const [line, description] = text === "moved" ? [2, ""] : [1, text];
    return [name, { name, line, schema: { description }, properties: [] }];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

function project(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "kit-plugins-")));
  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(root, "node_modules"));
  mkdirSync(join(root, ".kit/routes"), { recursive: true });
  writeFileSync(join(root, ".kit/schemas.json"), types({ Note: "", Book: "", Author: "" }));
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  writeFileSync(join(root, "main.ts"), program);
  const helper = JSON.stringify(join(support, "compiled.ts"));
  writeFileSync(
    join(root, ".kit/routes/index.ts"),
    `import { compiled } from ${helper};\nexport default compiled();\n`,
  );
  return root;
}

describe("onSchemaChange", () => {
  it("is called after a build in development, and its watcher does not keep the process alive", async (test) => {
    const root = project();
    test.after(() => rmSync(root, { recursive: true, force: true }));
    const kit = join(root, ".kit");
    const child = spawn(process.execPath, [join(root, "main.ts"), "development"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines: unknown[] = [];
    let wake: (() => void) | undefined;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      for (const line of text.split("\n")) if (line !== "") lines.push(JSON.parse(line));
      wake?.();
    });
    const next = async (index: number): Promise<unknown> => {
      while (lines.length <= index) await new Promise<void>((resolve) => (wake = resolve));
      return lines[index];
    };
    assert.equal(await next(0), "listening");
    // The watching of subdirectories starts with a delay.
    await sleep(100);
    writeFileSync(join(kit, "runtime.js"), "1");
    writeFileSync(join(kit, "schemas.json"), types({ Note: "moved", Book: "changed", Tag: "new" }));
    writeFileSync(join(kit, ".manifest.json"), "1");
    mkdirSync(join(kit, ".staging"));
    writeFileSync(join(kit, ".staging/routes.json"), "1");
    assert.deepEqual(await next(1), {
      directory: kit,
      files: ["runtime.js", "schemas.json"],
      types: ["Author", "Book", "Tag"],
      routes: false,
    } satisfies SchemaChange);
    // The hook threw, which is logged.
    assert.match(JSON.stringify(await next(2)), /onSchemaChange of the plugin watcher failed/);
    const exit = once(child, "exit");
    writeFileSync(join(kit, "routes.json"), "{}");
    assert.deepEqual(await next(3), {
      directory: kit,
      files: ["routes.json"],
      types: [],
      routes: true,
    } satisfies SchemaChange);
    assert.deepEqual(await exit, [0, null]);
  });

  it("is not called in production, because kit does not watch .kit in production", async (test) => {
    const root = project();
    test.after(() => rmSync(root, { recursive: true, force: true }));
    const child = spawn(process.execPath, [join(root, "main.ts"), "production"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    assert.deepEqual(await once(child, "exit"), [0, null]);
    assert.equal(out, '"listening"\n');
  });
});
