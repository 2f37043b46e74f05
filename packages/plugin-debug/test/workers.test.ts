// Tests that a server has one sidecar for all of its workers, with and without a history file.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";

import { freePort } from "../../core/test/support/free-port.ts";
import { joinDirectory } from "../src/history/shared-directory.ts";
import { sendRequest, until } from "./support/sidecar.ts";

let directory: string;
/** Directory for the temporary files of the workers. */
let temporary: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "kit-workers-"));
});
beforeEach(async () => {
  temporary = await mkdtemp(join(directory, "tmp-"));
});
after(() => rm(directory, { recursive: true, force: true }));

interface Running extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly address: number;
  /** Sends a GET request to the sidecar. Returns an empty object if no sidecar listens. */
  get(path: string): Promise<Record<string, unknown>>;
}

async function start(env: Readonly<Record<string, string>>): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, "support/workers.ts")], {
    env: { ...process.env, DEBUG_PORT: String(port), TMPDIR: temporary, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    child,
    address: await listening(child),
    get: (path) =>
      sendRequest(port, path).then(
        ({ body }) => body,
        () => ({}),
      ),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Sends requests until every worker has responded to one. Returns the number of requests that were sent. */
async function askAll({ address }: Running): Promise<number> {
  const pids = new Set<number>();
  let sent = 0;
  // Each request uses a new connection, so that the kernel can assign it to another worker.
  await until("both workers have answered", async () => {
    const { body } = await sendRequest(address, "/pid");
    sent += 1;
    pids.add(Number(body["pid"]));
    return pids.size === 2;
  });
  return sent;
}

describe("the sidecar of a server with workers", () => {
  for (const [how, env] of [
    ["with a store", () => ({ STORE: join(directory, "workers.db") })],
    ["without", () => ({})],
  ] as const) {
    it(`shows the requests of all workers ${how}, also after the worker that ran it was killed`, async () => {
      await using app = await start(env());
      let sent = await askAll(app);
      const count = async (): Promise<unknown> => (await app.get("/_debug/performance?window=1h"))["count"];
      await until("the sidecar shows all", async () => (await count()) === sent);
      await until("it shows how all workers are", async () => {
        const { workers } = (await app.get("/_debug/health")) as {
          workers?: { process: { worker: number } }[];
        };
        return String(workers?.map(({ process: { worker } }) => worker)) === "1,2";
      });
      // These requests are in progress, each on any worker.
      const slow = Array.from({ length: 12 }, () => sendRequest(app.address, "/slow"));
      await until("it shows all that are under way", async () => {
        const { active } = (await app.get("/_debug/requests")) as { active?: unknown[] };
        return active?.length === slow.length;
      });
      await Promise.all(slow);
      sent += slow.length;
      const { process: own } = (await app.get("/_debug/health")) as { process: { pid: number } };
      process.kill(own.pid, "SIGKILL");
      await until("another worker has the sidecar", async () => (await count()) === sent);
    });
  }

  it("removes its temporary files at the end, and temporary files of servers that were killed", async () => {
    // Creates the directory that a server leaves if it is killed with all its workers. No process has this
    // id.
    const left = join(
      temporary,
      `kit-debug-${2 ** 22 + 1}-${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}`,
    );
    await mkdir(left, { mode: 0o700 });
    await writeFile(join(left, "history.db"), "");
    {
      await using app = await start({});
      await askAll(app);
      const found = await readdir(temporary);
      assert.match(String(found), new RegExp(`^kit-debug-${app.child.pid}-[0-9a-f-]+$`));
      const { mode } = await stat(join(temporary, found[0]!));
      assert.equal(mode & 0o777, 0o700);
      assert.ok((await readdir(join(temporary, found[0]!))).includes("history.db"));
    }
    // Workers may exit after their primary.
    await until("nothing is left", async () => (await readdir(temporary)).length === 0);
  });

  it("creates no temporary files if the store is off", async () => {
    await using app = await start({ STORE: "none" });
    await askAll(app);
    assert.deepEqual(await readdir(temporary), []);
  });
});

it("the sidecar does not use a directory that other users can read", async (t) => {
  const group = "00000000-0000-0000-0000-000000000001";
  const path = join(tmpdir(), `kit-debug-${process.pid}-${group}`);
  await mkdir(path, { mode: 0o755 });
  t.after(() => rm(path, { recursive: true, force: true }));
  assert.throws(() => joinDirectory(group, process.pid), /already exists, but other users have access to it/);
});

async function listening(child: ChildProcess): Promise<number> {
  let text = "";
  child.stdout!.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await until("it listens", () => /Listening on \d+/.test(text) || child.exitCode !== null);
  const port = /Listening on (\d+)/.exec(text)?.[1];
  assert.ok(port, text);
  return Number(port);
}
