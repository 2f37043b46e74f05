// Tests of `kit lsp` as a process, and with Neovim. `crates/kit-cli/tests/suite/lsp` tests the protocol.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

import { NOTES, Project, run } from "./support/project.ts";

const KIT = fileURLToPath(new URL("../bin/kit.js", import.meta.url));
const SCRIPT = fileURLToPath(new URL("support/neovim.lua", import.meta.url));
const timeoutMs = 20_000;

const FILES: Readonly<Record<string, string>> = {
  ...NOTES,
  "package.json": '{ "name": "notes", "type": "module", "dependencies": { "@kit/core": "0.1.0" } }\n',
  "src/notes.handlers.ts": [
    'import { defineHandlers } from "@kit/core";',
    'import type { NoteRoutes } from "./notes.routes.ts";',
    "",
    "export const noteHandlers = defineHandlers<NoteRoutes>({",
    '  "GET /notes/:id": ({ params }) => ({ id: params.id, title: "" }),',
    "});",
    "",
  ].join("\n"),
  "src/app.ts": [
    'import { createApp } from "@kit/core";',
    'import { noteHandlers } from "./notes.handlers.ts";',
    "",
    "export const app = createApp({ routes: [{ handlers: noteHandlers }] });",
    "",
  ].join("\n"),
};

type Message = Readonly<Record<string, unknown>> & { readonly params?: Readonly<Record<string, unknown>> };

/** Process of `kit lsp`, with its messages. */
class Server {
  readonly messages: Message[] = [];
  readonly ended: Promise<number | string | null>;
  err = "";
  readonly #child;
  #rest: Buffer = Buffer.alloc(0);

  constructor(t: TestContext, root: string) {
    this.#child = spawn(process.execPath, [KIT, "lsp"], { cwd: root });
    this.#child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#child.stderr.setEncoding("utf8").on("data", (chunk: string) => (this.err += chunk));
    this.ended = new Promise((resolve) => {
      this.#child.on("close", (code, signal) => resolve(signal ?? code));
    });
    t.after(() => this.#child.kill("SIGKILL"));
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const end = this.#rest.indexOf("\r\n\r\n");
      const length = Number(
        /Content-Length: (\d+)/.exec(this.#rest.toString("utf8", 0, Math.max(end, 0)))?.[1],
      );
      if (end < 0 || this.#rest.length < end + 4 + length) return;
      this.messages.push(JSON.parse(this.#rest.toString("utf8", end + 4, end + 4 + length)) as Message);
      this.#rest = this.#rest.subarray(end + 4 + length);
    }
  }

  write(bytes: Buffer): void {
    this.#child.stdin.write(bytes);
  }

  send(message: object): void {
    this.write(frame(message));
  }

  end(): void {
    this.#child.stdin.end();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves to the first message for which `wanted` returns true. */
  async next(wanted: (message: Message) => boolean): Promise<Message> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const found = this.messages.find(wanted);
      if (found !== undefined) return found;
      if (performance.now() > end)
        throw new Error(`no message; stderr: ${this.err}\n${JSON.stringify(this.messages)}`);
      // oxlint-disable-next-line no-await-in-loop
      await sleep(10);
    }
  }
}

function frame(message: object): Buffer {
  const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${text.length}\r\n\r\n`), text]);
}

function initialize(root: string): object {
  const folder = { uri: pathToFileURL(root).href, name: "app" };
  return { id: 1, method: "initialize", params: { capabilities: {}, workspaceFolders: [folder] } };
}

test("sends diagnostics to an editor whose messages arrive byte by byte, and exits as the editor asks", async (t) => {
  const project = await Project.create(t, FILES);
  const server = new Server(t, project.root);
  const uri = pathToFileURL(`${project.root}/src/notes.types.ts`).href;
  // The letter before the mistake has four bytes, and two units of UTF-16.
  const text = "/** @table */\nexport interface Note { /** 😀 @formt email */ id: string; title: string }\n";
  const document = { uri, languageId: "typescript", version: 1, text };
  const messages = [
    initialize(project.root),
    { method: "initialized", params: {} },
    { method: "textDocument/didOpen", params: { textDocument: document } },
  ];
  for (const byte of Buffer.concat(messages.map(frame))) server.write(Buffer.of(byte));
  const published = await server.next(
    ({ method, params }) => method === "textDocument/publishDiagnostics" && params?.["uri"] === uri,
  );
  const diagnostics = published.params?.["diagnostics"] as { code: string; range: object; message: string }[];
  const misspelt = diagnostics.find(({ message }) => message.includes("unknown tag"));
  const start = text.split("\n")[1]?.indexOf("@formt") ?? 0;
  assert.deepEqual(misspelt?.range, {
    start: { line: 1, character: start },
    end: { line: 1, character: start + "@formt".length },
  });
  server.send({ id: 2, method: "shutdown" });
  server.send({ method: "exit" });
  assert.equal(await server.ended, 0);
  assert.equal(server.err, "");
  assert.deepEqual(await project.output("src/.."), { ...FILES });
});

test("ends with 1 if the editor closes the stream, and by the signal of Ctrl-C", async (t) => {
  const project = await Project.create(t, FILES);
  const closed = new Server(t, project.root);
  closed.send(initialize(project.root));
  await closed.next(({ id }) => id === 1);
  closed.end();
  assert.equal(await closed.ended, 1);
  const interrupted = new Server(t, project.root);
  interrupted.send(initialize(project.root));
  await interrupted.next(({ id }) => id === 1);
  interrupted.kill("SIGINT");
  assert.equal(await interrupted.ended, "SIGINT");
});

test("code of kit.config.js cannot end the server or write into its messages", async (t) => {
  const project = await Project.create(t, FILES);
  const server = new Server(t, project.root);
  const uri = pathToFileURL(`${project.root}/kit.config.js`).href;
  const configs = [
    [
      'process.stdout.write("hello\\n"); setTimeout(() => { throw new Error("late"); }); export default { outputDir: 1 };',
      "outputDir",
    ],
    ["process.exit(3);", "process.exit(3) was called"],
    ["await new Promise(() => {});", "did not finish loading within 10 s"],
  ];
  server.send(initialize(project.root));
  server.send({ method: "initialized", params: {} });
  for (const [text = "", message = ""] of configs) {
    await project.write("kit.config.js", text);
    server.send({ method: "workspace/didChangeWatchedFiles", params: { changes: [{ uri, type: 2 }] } });
    await server.next(({ params }) => params?.["uri"] === uri && JSON.stringify(params).includes(message));
  }
  server.send({ id: 2, method: "shutdown" });
  server.send({ method: "exit" });
  assert.equal(await server.ended, 0);
  assert.match(server.err, /hello/);
  assert.match(server.err, /nobody handled: Error: late/);
});

test("ends soon after the process that the editor names", async (t) => {
  const project = await Project.create(t, FILES);
  const editor = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  t.after(() => editor.kill("SIGKILL"));
  const server = new Server(t, project.root);
  server.send({
    id: 1,
    method: "initialize",
    params: { capabilities: {}, processId: editor.pid, workspaceFolders: null },
  });
  await server.next(({ id }) => id === 1);
  editor.kill("SIGKILL");
  assert.equal(await server.ended, 1);
});

/** Returns a request for the text about the first `title` in a document. */
function hoverOfTitle(id: number, uri: string, text: string): object {
  const before = text.slice(0, text.indexOf("title")).split("\n");
  const position = { line: before.length - 1, character: (before.at(-1)?.length ?? 0) + 1 };
  return { id, method: "textDocument/hover", params: { textDocument: { uri }, position } };
}

test("answers at once while a slow plugin runs, and runs the plugin again after the edits", async (t) => {
  const config = [
    'import { appendFileSync } from "node:fs";',
    'const plugin = { name: "slow", hooks: { beforeTransform: async ({ addTypes, build }) => {',
    '  appendFileSync("runs.txt", "start\\n");',
    "  await new Promise((resolve) => setTimeout(resolve, 1500));",
    '  appendFileSync("runs.txt", "end\\n");',
    '  addTypes({ path: "virtual/made.types.ts", text: "export interface Made { made: string }" });',
    "} } };",
    "export default { plugins: [plugin] };",
    "",
  ].join("\n");
  const project = await Project.create(t, { ...FILES, "kit.config.js": config });
  const server = new Server(t, project.root);
  const path = "src/notes.types.ts";
  const uri = pathToFileURL(`${project.root}/${path}`).href;
  const text = FILES[path] ?? "";
  server.send(initialize(project.root));
  server.send({ method: "initialized", params: {} });
  server.send(hoverOfTitle(2, uri, text));
  await server.next(({ id }) => id === 2);
  const document = { uri, languageId: "typescript", version: 1, text };
  server.send({ method: "textDocument/didOpen", params: { textDocument: document } });
  const times: number[] = [];
  for (let id = 10; id < 15; id += 1) {
    const start = performance.now();
    server.send(hoverOfTitle(id, uri, text));
    // oxlint-disable-next-line no-await-in-loop
    const { result } = await server.next((message) => message["id"] === id);
    times.push(performance.now() - start);
    assert.ok(JSON.stringify(result).includes("title"), JSON.stringify(result));
    const contentChanges = [{ text: `${text}// ${id}\n` }];
    server.send({
      method: "textDocument/didChange",
      params: { textDocument: { uri, version: id }, contentChanges },
    });
    // The plugin starts as soon as no message waits.
    // oxlint-disable-next-line no-await-in-loop
    await sleep(200);
  }
  // Each run takes 1,500 ms, which no answer may wait for.
  assert.ok(Math.max(...times) < 1000, times.join(" "));
  server.send({ id: 90, method: "workspace/symbol", params: { query: "" } });
  await server.next(({ id }) => id === 90);
  await sleep(4000);
  const runs = (await project.read("runs.txt")).trim().split("\n");
  // A run starts only after the end of the run before.
  assert.ok(runs.length >= 4, runs.join(" "));
  for (const [index, line] of runs.entries()) assert.equal(line, index % 2 === 0 ? "start" : "end");
  server.send({ id: 91, method: "shutdown" });
  server.send({ method: "exit" });
  assert.equal(await server.ended, 0);
});

test("answers at once while TypeScript infers types, and then knows the types", async (t) => {
  const path = "src/words.types.ts";
  const text =
    'export const words = "a b".split(" ");\nexport interface Words { words: typeof words; title: string }\n';
  const compiler = [
    'import { readFileSync, writeFileSync, mkdirSync } from "node:fs";',
    'import { dirname, join } from "node:path";',
    "await new Promise((resolve) => setTimeout(resolve, 2000));",
    'const config = JSON.parse(readFileSync(process.argv[3], "utf8"));',
    "for (const file of config.files) {",
    '  const out = join(config.compilerOptions.outDir, file.replace(/\\.ts$/, ".d.ts"));',
    "  mkdirSync(dirname(out), { recursive: true });",
    '  writeFileSync(out, "export declare const words: string[];\\nexport interface Words { words: typeof words; title: string }\\n");',
    "  console.log(file);",
    "}",
    "",
  ].join("\n");
  const project = await Project.create(t, {
    ...FILES,
    [path]: text,
    "node_modules/typescript/package.json": '{ "name": "typescript", "version": "5.9.3", "type": "module" }',
    "node_modules/typescript/bin/tsc": compiler,
  });
  const server = new Server(t, project.root);
  const uri = pathToFileURL(`${project.root}/${path}`).href;
  server.send(initialize(project.root));
  server.send({ method: "initialized", params: {} });
  server.send(hoverOfTitle(2, uri, text));
  await server.next(({ id }) => id === 2);
  const start = performance.now();
  const document = { uri, languageId: "typescript", version: 1, text };
  server.send({ method: "textDocument/didOpen", params: { textDocument: document } });
  await sleep(300);
  server.send({ method: "textDocument/didSave", params: { textDocument: { uri } } });
  server.send(hoverOfTitle(3, uri, text));
  await server.next(({ id }) => id === 3);
  assert.ok(performance.now() - start < 1900, `the answer took ${performance.now() - start} ms`);
  const end = performance.now() + timeoutMs;
  for (let id = 10; ; id += 1) {
    const before = text.slice(0, text.lastIndexOf("words:")).split("\n");
    const position = { line: before.length - 1, character: (before.at(-1)?.length ?? 0) + 1 };
    server.send({ id, method: "textDocument/hover", params: { textDocument: { uri }, position } });
    // oxlint-disable-next-line no-await-in-loop
    const { result } = await server.next((message) => message["id"] === id);
    if (JSON.stringify(result).includes("words: string[]")) break;
    assert.ok(performance.now() < end, JSON.stringify(result));
    // oxlint-disable-next-line no-await-in-loop
    await sleep(100);
  }
  server.send({ id: 91, method: "shutdown" });
  server.send({ method: "exit" });
  assert.equal(await server.ended, 0);
});

test("Neovim shows mistakes while typing, rules, definitions, and renames a route", async (t) => {
  const version = spawnSync("nvim", ["--version"], { encoding: "utf8" });
  if (version.status !== 0) {
    t.skip("Neovim is not installed: apt-get install neovim");
    return;
  }
  const project = await Project.create(t, FILES);
  const outcome = await new Promise<string>((resolve, reject) => {
    const args = ["--headless", "--clean", "-c", `luafile ${SCRIPT}`];
    const env = { ...process.env, KIT_ROOT: project.root, KIT_NODE: process.execPath, KIT_COMMAND: KIT };
    const child = spawn("nvim", args, { cwd: project.root, env, stdio: ["ignore", "ignore", "pipe"] });
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
    child.on("error", reject);
    child.on("close", () => resolve(err));
  });
  const found = JSON.parse((await project.read("result.json")) || JSON.stringify({ outcome })) as Readonly<
    Record<string, string>
  >;
  assert.deepEqual(found, {
    mistake: "KIT1305: unknown tag `@maxLenght`",
    action: "Replace by `@maxLength`",
    corrected: "  /** @maxLength 200 */",
    hover: "Rules: `@maxLength 200`",
    definition: "src/notes.handlers.ts:5",
    contract: '  "GET /memos/:id": RouteContract<{ id: string }, void, void, Note>;',
    handler: '  "GET /memos/:id": ({ params }) => ({ id: params.id, title: "" }),',
  });
});

test("`kit lsp` refuses arguments that it does not know", async (t) => {
  const project = await Project.create(t, FILES);
  assert.equal((await run([KIT, "lsp", "--port", "1"], project.root)).code, 2);
});
