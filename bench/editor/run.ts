/**
 * `cargo xtask bench editor`: measures the time from an edit in an editor to the diagnostics of `kit lsp`, in a project of 1,003 types. The
 * text is not saved.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";

import { edit, size, writeProject } from "../compile/project.ts";
import { columns, percentile, type Row } from "../figures.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const edits = values.quick ? 20 : 200;
const root = join(import.meta.dirname, "generated");
const kit = join(import.meta.dirname, "../../packages/cli/bin/kit.js");
const wrong = "@maximumm 1000";

type Message = Readonly<Record<string, unknown>> & { readonly params?: { readonly uri?: string } };

/** Process of `kit lsp`. Messages wait in a list until {@link Server.next} takes them. */
class Server {
  readonly #child: ChildProcess;
  readonly #messages: Message[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #wake: (() => void) | undefined;
  #next = 0;

  constructor() {
    this.#child = spawn(process.execPath, [kit, "lsp"], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#child.on("exit", (code) => {
      if (code !== 0) throw new Error(`kit lsp ended with ${String(code)}`);
    });
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const end = this.#rest.indexOf("\r\n\r\n");
      const length = Number(this.#rest.toString("latin1", 0, Math.max(end, 0)).split(": ")[1]);
      if (end < 0 || this.#rest.length < end + 4 + length) break;
      this.#messages.push(JSON.parse(this.#rest.toString("utf8", end + 4, end + 4 + length)) as Message);
      this.#rest = this.#rest.subarray(end + 4 + length);
    }
    this.#wake?.();
  }

  send(method: string, params: object | null, id?: number): void {
    const text = JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params });
    this.#child.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  /** Takes messages until one is wanted. */
  async next(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const message = this.#messages.shift();
      if (message === undefined) {
        // oxlint-disable-next-line no-await-in-loop
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (wanted(message)) {
        return message;
      }
    }
  }

  async request(method: string, params: object | null): Promise<Message> {
    const id = ++this.#next;
    this.send(method, params, id);
    return await this.next((message) => message["id"] === id);
  }
}

writeProject(root);
mkdirSync(root, { recursive: true });
writeFileSync(
  join(root, "package.json"),
  '{ "name": "bench-editor", "private": true, "type": "module", "dependencies": { "@kit/core": "0.1.0" } }\n',
);
const text = readFileSync(join(root, edit.file), "utf8");
const offset = text.indexOf(edit.from);
const line = text.slice(0, offset).split("\n").length - 1;
const character = offset - (text.lastIndexOf("\n", offset) + 1);
const uri = pathToFileURL(join(root, edit.file)).href;
const samples = new Map<string, number[]>();

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  samples.set(name, [...(samples.get(name) ?? []), performance.now() - start]);
}

function isPublished({ method, params }: Message): boolean {
  return method === "textDocument/publishDiagnostics" && params?.uri === uri;
}

const started = performance.now();
const server = new Server();
const folder = { uri: pathToFileURL(root).href, name: "bench" };
await server.request("initialize", { capabilities: {}, workspaceFolders: [folder] });
server.send("initialized", {});
const misspelt = text.replace(edit.from, wrong);
const document = { uri, languageId: "typescript", version: 0, text: misspelt };
server.send("textDocument/didOpen", { textDocument: document });
await server.next(isPublished);
samples.set("first", [performance.now() - started]);

let current = wrong;
let version = 0;
function replace(by: string): void {
  version += 1;
  const range = { start: { line, character }, end: { line, character: character + current.length } };
  current = by;
  const contentChanges = [{ range, text: by }];
  server.send("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
}

for (let index = 0; index < edits; index += 1) {
  // oxlint-disable-next-line no-await-in-loop
  await measure("diagnostics", async () => {
    replace(index % 2 === 0 ? edit.from : wrong);
    await server.next(isPublished);
  });
}
const position = { line, character: character + 1 };
for (const method of ["hover", "definition"]) {
  for (let index = 0; index < edits; index += 1) {
    // oxlint-disable-next-line no-await-in-loop
    await measure(method, async () => {
      replace(index % 2 === 0 ? edit.from : edit.to);
      await server.request(`textDocument/${method}`, { textDocument: { uri }, position });
    });
  }
}
await server.request("shutdown", null);
server.send("exit", null);

const rows: Row[] = [...samples].flatMap(([scenario, times]) =>
  [0.5, 0.95, 1].map((share) => ({
    scenario,
    subject: "kit lsp",
    metric: share === 1 ? "max" : `p${share * 100}`,
    value: percentile(times, share),
    unit: "ms",
  })),
);
console.log(`${size.types} types, ${size.routes} routes; ${edits} edits; ${cpus()[0]?.model ?? "?"}\n`);
const lines = [["ms", "p50", "p95", "max"]];
for (const scenario of samples.keys()) {
  const figures = rows.filter((row) => row.scenario === scenario).map(({ value }) => value.toFixed(1));
  lines.push([scenario, ...figures]);
}
console.log(columns(lines));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, undefined, 2)}\n`);
