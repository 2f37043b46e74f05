// Ctrl-C while a command waits for something that does not come: it ends at once, with all that it started, and whoever
// started it sees the signal.

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

/** Ample for a machine with much to do; what is waited for would take forever. */
const AT_ONCE_MS = 20_000;

let project: Project;
/** Takes connections and never says a word. */
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

/** Runs a command in a group of its own, as a terminal does, and presses Ctrl-C when it waits. */
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
  // `migrate:apply` hears of it, tells how far it came, and has failed.
  const expected = args[0] === "migrate:apply" ? 1 : 130;
  assert.ok(signal === "SIGINT" || code === expected, `code ${code}, signal ${signal}: ${printed}`);
  while (await runs(child.pid!)) {
    assert.ok(Date.now() - pressed < AT_ONCE_MS, "it left something running");
    await sleep(50);
  }
}

/** Whether a group has a process that is more than a remembered end. */
async function runs(group: number): Promise<boolean> {
  const { stdout } = await run("ps", ["-A", "-o", "pgid=,stat="], { cwd: project.root });
  return stdout.split("\n").some((line) => {
    const [id, state = "Z"] = line.trim().split(/ +/);
    return id === String(group) && !state.startsWith("Z");
  });
}

/** Whether somebody has connected since. */
function connected(): () => Promise<boolean> {
  const earlier = connections.size;
  return () => Promise.resolve(connections.size > earlier);
}

describe("Ctrl-C", { skip: process.platform === "win32" }, () => {
  test("ends a build whose compiler does not end", async () => {
    const bin = join(project.root, "node_modules");
    // A compiler of the project's own, which takes its time.
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

  test("ends npm, and the new project stays whole", async () => {
    const registry = { npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_prefer_online: "true" };
    await interrupted(["scaffold", "init", "shop", "--no-git"], connected(), registry);
    const files = await readdir(join(project.root, "shop"), { recursive: true, withFileTypes: true });
    const made = files.filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"));
    assert.ok(made.length >= 22, `${made.length} files`);
  });

  for (const args of [["doctor"], ["migrate:apply"]]) {
    test(`ends kit ${args.join(" ")} on a database that says nothing`, async () => {
      await interrupted(args, connected(), { DATABASE_URL: `postgres://127.0.0.1:${port}/none` });
    });
  }

  test("ends kit inspect on a sidecar that says nothing", async () => {
    await interrupted(["inspect", "server", "--debug-port", String(port)], connected());
  });
});

test("what npm says is not lost", async () => {
  // Nobody listens there.
  const env = { npm_config_registry: "http://127.0.0.1:1/", npm_config_fetch_retries: "0" };
  const { code, stdout, stderr } = await project.kit(["scaffold", "init", "shelf", "--json", "--no-git"], {
    env,
  });
  assert.equal(code, 1);
  assert.match(stderr, /npm error .*ECONNREFUSED/);
  assert.equal((JSON.parse(stdout) as { code: string }).code, "SCAFFOLD_ERROR");
});
