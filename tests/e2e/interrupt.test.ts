// Tests of Ctrl-C while a command waits without end: it exits at once with all processes that it started, and its parent sees the signal.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, unlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { baseEnvironment, run } from "./support/command.ts";
import { Project, repository } from "./support/project.ts";

/** Timeout that is long enough for a busy machine; the command itself would wait without end. */
const AT_ONCE_MS = 20_000;

let project: Project;
/** Server that accepts connections and never sends anything. */
let silent: Server;
let port: number;
const connections = new Set<Socket>();

before(async () => {
  project = await Project.copy();
  await project.kitOk("build", "--no-compile");
  silent = createServer((socket) => {
    connections.add(socket);
    socket.on("error", () => connections.delete(socket));
  }).listen(0, "127.0.0.1");
  await once(silent, "listening");
  ({ port } = silent.address() as AddressInfo);
});

after(async () => {
  for (const socket of connections) socket.destroy();
  silent.close();
  await project.remove();
});

/** Runs a command in its own process group, like a terminal, and presses Ctrl-C when it waits. */
async function interrupted(
  args: readonly string[],
  waits: () => Promise<boolean>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const kit = join(repository, "node_modules/.bin/kit");
  const child = spawn(process.execPath, [kit, ...args], {
    cwd: project.root,
    env: { ...baseEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const closed = once(child, "close", { signal: AbortSignal.timeout(3 * AT_ONCE_MS) });
  while (!(await waits())) {
    assert.equal(child.exitCode, null, `it did not wait: ${printed}`);
    await sleep(20);
  }
  const pressed = Date.now();
  process.kill(-child.pid!, "SIGINT");
  const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  assert.ok(Date.now() - pressed < AT_ONCE_MS, "it took too long");
  // `migrate:apply` handles the signal, prints its progress, and exits as failed.
  const expected = args[0] === "migrate:apply" ? 1 : 130;
  assert.ok(signal === "SIGINT" || code === expected, `code ${code}, signal ${signal}: ${printed}`);
  while (await runs(child.pid!)) {
    assert.ok(Date.now() - pressed < AT_ONCE_MS, "it left something running");
    await sleep(50);
  }
}

/** Returns true if a process group has a process that is not a zombie. */
async function runs(group: number): Promise<boolean> {
  const { stdout } = await run("ps", ["-A", "-o", "pgid=,stat="], { cwd: project.root });
  return stdout.split("\n").some((line) => {
    const [id, state = "Z"] = line.trim().split(/ +/);
    return id === String(group) && !state.startsWith("Z");
  });
}

/** Returns a function that returns true after a new connection. */
function connected(): () => Promise<boolean> {
  const earlier = connections.size;
  return () => Promise.resolve(connections.size > earlier);
}

describe("Ctrl-C", { skip: process.platform === "win32" }, () => {
  test("stops a build whose compiler does not exit", async () => {
    const bin = join(project.root, "node_modules");
    // A compiler of the project that takes a long time.
    await unlink(bin);
    await mkdir(join(bin, ".bin"), { recursive: true });
    const compiler = join(bin, ".bin/swc");
    await writeFile(compiler, "#!/bin/sh\ntouch compiling\nsleep 600\n");
    await chmod(compiler, 0o755);
    await writeFile(join(project.root, "kit.config.ts"), 'export default { compiler: "swc" };\n');
    const compiling = async (): Promise<boolean> => (await readdir(project.root)).includes("compiling");
    await interrupted(["build"], compiling);
    assert.equal((await project.kit(["build", "--check"])).code, 0);
    await unlink(join(project.root, "kit.config.ts"));
  });

  test("stops npm, and the new project stays complete", async () => {
    const registry = { npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_prefer_online: "true" };
    await interrupted(["scaffold", "init", "shop", "--no-git"], connected(), registry);
    const files = await readdir(join(project.root, "shop"), { recursive: true, withFileTypes: true });
    const made = files.filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"));
    assert.ok(made.length >= 22, `${made.length} files`);
  });

  for (const args of [["doctor"], ["migrate:apply"]]) {
    test(`stops kit ${args.join(" ")} on a database that does not respond`, async () => {
      await interrupted(args, connected(), { DATABASE_URL: `postgres://127.0.0.1:${port}/none` });
    });
  }

  test("stops kit inspect on a sidecar that does not respond", async () => {
    await interrupted(["inspect", "server", "--debug-port", String(port)], connected());
  });
});

test("the output of npm is not lost", async () => {
  // No process listens on this port.
  const env = { npm_config_registry: "http://127.0.0.1:1/", npm_config_fetch_retries: "0" };
  const { code, stdout, stderr } = await project.kit(["scaffold", "init", "shelf", "--json", "--no-git"], {
    env,
  });
  assert.equal(code, 1);
  assert.match(stderr, /npm error .*ECONNREFUSED/);
  assert.equal((JSON.parse(stdout) as { code: string }).code, "SCAFFOLD_ERROR");
});
