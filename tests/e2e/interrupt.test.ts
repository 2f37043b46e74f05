// Tests Ctrl-C in a command that waits forever: the command exits immediately with all processes that it has started, and its parent
// process sees the signal.

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

/** Time in milliseconds that counts as immediate, even on a busy machine. The command itself would wait forever. */
const AT_ONCE_MS = 20_000;

let project: Project;
/** Server that accepts connections and never responds. */
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

/** Runs a command in its own process group, as a terminal does, and sends the signal of Ctrl-C when the command waits. */
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
  // `migrate:apply` handles the signal itself: it prints its progress and exits with 1.
  const expected = args[0] === "migrate:apply" ? 1 : 130;
  assert.ok(signal === "SIGINT" || code === expected, `code ${code}, signal ${signal}: ${printed}`);
  while (await runs(child.pid!)) {
    assert.ok(Date.now() - pressed < AT_ONCE_MS, "it left something running");
    await sleep(50);
  }
}

/** Returns true if a process of the group runs. Exited processes whose parent has not noticed that do not count. */
async function runs(group: number): Promise<boolean> {
  const { stdout } = await run("ps", ["-A", "-o", "pgid=,stat="], { cwd: project.root });
  return stdout.split("\n").some((line) => {
    const [id, state = "Z"] = line.trim().split(/ +/);
    return id === String(group) && !state.startsWith("Z");
  });
}

/** Returns a function that resolves to true after the server has got another connection. */
function connected(): () => Promise<boolean> {
  const earlier = connections.size;
  return () => Promise.resolve(connections.size > earlier);
}

describe("Ctrl-C", { skip: process.platform === "win32" }, () => {
  test("stops a build whose compiler never exits", async () => {
    const bin = join(project.root, "node_modules");
    // Replaces the compiler of the project by a program that takes very long.
    await unlink(bin);
    await mkdir(join(bin, ".bin"), { recursive: true });
    const compiler = join(bin, ".bin/swc");
    // The process that creates the file is the one that waits. A shell would start another process to wait, and this process
    // loses a signal that arrives between fork and exec, because the shell handles the signal there.
    const waiting =
      'require("node:fs").writeFileSync("compiling", ""); setTimeout(() => undefined, 600_000);';
    await writeFile(compiler, `#!${process.execPath}\n${waiting}\n`);
    await chmod(compiler, 0o755);
    await writeFile(join(project.root, "kit.config.ts"), 'export default { compiler: "swc" };\n');
    const compiling = async (): Promise<boolean> => (await readdir(project.root)).includes("compiling");
    await interrupted(["build"], compiling);
    assert.equal((await project.kit(["build", "--check"])).code, 0);
    await unlink(join(project.root, "kit.config.ts"));
  });

  test("stops npm, and the new project still has all of its files", async () => {
    const registry = { npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_prefer_online: "true" };
    await interrupted(["scaffold", "init", "shop", "--no-git"], connected(), registry);
    const files = await readdir(join(project.root, "shop"), { recursive: true, withFileTypes: true });
    const made = files.filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"));
    assert.ok(made.length >= 22, `${made.length} files`);
  });

  for (const args of [["doctor"], ["migrate:apply"]]) {
    test(`stops kit ${args.join(" ")} if the database never responds`, async () => {
      await interrupted(args, connected(), { DATABASE_URL: `postgres://127.0.0.1:${port}/none` });
    });
  }

  test("stops kit inspect if the sidecar never responds", async () => {
    await interrupted(["inspect", "server", "--debug-port", String(port)], connected());
  });
});

test("kit scaffold shows the output of npm", async () => {
  // No process listens on this port, so npm fails.
  const env = { npm_config_registry: "http://127.0.0.1:1/", npm_config_fetch_retries: "0" };
  const { code, stdout, stderr } = await project.kit(["scaffold", "init", "shelf", "--json", "--no-git"], {
    env,
  });
  assert.equal(code, 1);
  assert.match(stderr, /npm error .*ECONNREFUSED/);
  assert.equal((JSON.parse(stdout) as { code: string }).code, "SCAFFOLD_ERROR");
});
