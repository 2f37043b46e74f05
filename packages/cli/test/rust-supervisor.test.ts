// Tests of the environment and the address of a server in Rust under `kit dev`. A program of the tests takes the place of cargo, and another
// one the place of the server.

import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { get as getPlain } from "node:http";
import { get as getTls } from "node:https";
import { delimiter, join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { ServeRequest } from "@kit/transform-native";

import { Authority } from "../../server-node/test/certificates.ts";
import { EventQueue } from "../src/dev/event-queue.ts";
import { RustSupervisor } from "../src/dev/rust-supervisor.ts";
import { Terminal } from "../src/dev/terminal.ts";
import { Project } from "./support/project.ts";

const skip = process.platform === "win32" && "Windows does not start scripts by their first line";
const timeoutMs = 20_000;

/** Reports that it has built the file `server`; fails while the file `broken` exists. */
const cargo = `#!${process.execPath}
import { existsSync } from "node:fs";
import { resolve } from "node:path";
if (existsSync("broken")) process.exit(101);
const target = { kind: ["bin"], src_path: resolve("src/main.rs") };
const built = { reason: "compiler-artifact", executable: resolve("server"), fresh: false, target };
process.stdout.write(JSON.stringify(built) + "\\n");
`;

/** Responds with its own variables, over TLS if the variables name its files. */
const server = `#!${process.execPath}
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
const { TLS_CERT: cert, TLS_KEY: key, PORT, KIT_DEV_URL, TLS_REDIRECT_PORT, TLS_REDIRECT_TO } = process.env;
const respond = (request, response) =>
  response.setHeader("connection", "close").end(JSON.stringify({ KIT_DEV_URL, TLS_REDIRECT_PORT, TLS_REDIRECT_TO }));
const server = cert ? createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, respond) : createServer(respond);
server.listen(Number(PORT), "127.0.0.1");
process.on("SIGTERM", () => process.exit());
`;

/** Sets variables of this process until the test ends. */
function setVariables(t: TestContext, variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    const set = (text: string | undefined): void => {
      if (text === undefined) delete process.env[name];
      else process.env[name] = text;
    };
    t.after(() => set(before));
    set(value);
  }
}

/** A supervisor, with the addresses that it shows. */
async function start(t: TestContext): Promise<{
  readonly project: Project;
  readonly authority: Authority;
  readonly shown: readonly string[];
  /** Builds and starts the next version. */
  readonly serve: () => void;
  readonly supervisor: RustSupervisor;
}> {
  const authority = new Authority();
  t.after(() => authority[Symbol.dispose]());
  const queue = new EventQueue();
  const supervisor = new RustSupervisor(queue);
  const project = await Project.create(t, { "bin/cargo": cargo, server }, () => supervisor.close());
  const { root } = project;
  for (const file of ["bin/cargo", "server"]) chmodSync(join(root, file), 0o755);
  const { cert, key } = authority.sign();
  writeFileSync(join(root, "server.pem"), cert);
  writeFileSync(join(root, "server.key"), key);
  setVariables(t, { PATH: `${join(root, "bin")}${delimiter}${process.env["PATH"]}`, NODE_ENV: undefined });
  const shown: string[] = [];
  t.mock.method(Terminal.prototype, "address", (url: string) => shown.push(url));
  const request: ServeRequest = {
    root,
    entry: "src/main.rs",
    rust: ".kit",
    worker: null,
    port: 0,
    host: "127.0.0.1",
    allowedHosts: [],
    databaseUrl: null,
    build: { status: "built", text: "" },
    types: null,
  };
  const serve = (): void => void supervisor.serve(request);
  return { project, authority, shown, serve, supervisor };
}

/** Returns the body of a response; `undefined` if there is none. */
function ask(url: string, ca: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const get = url.startsWith("https:") ? getTls : getPlain;
    get(url, { agent: false, ca }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("error", () => resolve(undefined)).on("end", () => resolve(text));
    }).on("error", () => resolve(undefined));
  });
}

async function until<T>(find: () => Promise<T | undefined>, what: string): Promise<T> {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    // oxlint-disable-next-line no-await-in-loop
    const found = await find();
    if (found !== undefined) return found;
    // oxlint-disable-next-line no-await-in-loop
    await sleep(20);
  }
  throw new Error(what);
}

/** Waits until the server that knows a URL as its own responds there. Returns the response. */
function served(url: string, ca: string): Promise<string> {
  const find = async (): Promise<string | undefined> => {
    const text = await ask(url, ca);
    return text?.includes(`"KIT_DEV_URL":"${url}"`) === true ? text : undefined;
  };
  return until(find, `it did not serve ${url}`);
}

test("changes between http and https when the variables of TLS change", { skip }, async (t) => {
  const { authority, shown, serve } = await start(t);
  serve();
  const plain = await until(async () => shown[0], "it showed no address");
  await served(plain, authority.certificate);
  setVariables(t, { TLS_CERT: "server.pem", TLS_KEY: "server.key" });
  serve();
  const secure = plain.replace("http:", "https:");
  await served(secure, authority.certificate);
  setVariables(t, { TLS_CERT: undefined, TLS_KEY: undefined });
  serve();
  await served(plain, authority.certificate);
  assert.deepEqual(shown, [plain, secure, plain]);
});

test("explains over TLS why no server runs, with files relative to the project", { skip }, async (t) => {
  const { project, authority, shown, serve } = await start(t);
  await project.write("broken", "");
  setVariables(t, { TLS_CERT: "server.pem", TLS_KEY: "server.key" });
  serve();
  const url = await until(async () => shown[0], "it showed no address");
  assert.match((await ask(url, authority.certificate)) ?? "no response", /APP_UNAVAILABLE/);
});

test("gives the server no port of redirects if NODE_ENV is production", { skip }, async (t) => {
  const { authority, shown, serve } = await start(t);
  const redirects = { TLS_REDIRECT_PORT: "8080", TLS_REDIRECT_TO: "https://localhost" };
  setVariables(t, { NODE_ENV: "production", ...redirects });
  serve();
  const url = await until(async () => shown[0], "it showed no address");
  assert.deepEqual(JSON.parse(await served(url, authority.certificate)), { KIT_DEV_URL: url });
});

test("reports no end of the server when kit dev ends", { skip }, async (t) => {
  const { authority, shown, serve, supervisor } = await start(t);
  const crashed = t.mock.method(Terminal.prototype, "crashed", () => undefined);
  serve();
  const url = await until(async () => shown[0], "it showed no address");
  await served(url, authority.certificate);
  await supervisor.close();
  assert.equal(crashed.mock.callCount(), 0);
});
