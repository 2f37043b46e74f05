import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { run } from "../../e2e/support/command.ts";
import { freePort } from "../../../packages/core/test/support/free-port.ts";
import { repository } from "../../e2e/support/project.ts";

/** Directory in which `install.ts` installs the registry and the package managers. */
export const tools: string = join(repository, "target/registry");

/** Reason why the tests cannot run, or `undefined`. */
export const missing: string | undefined = existsSync(join(tools, "node_modules/verdaccio/package.json"))
  ? undefined
  : "verdaccio is not installed; run `node tests/registry/install.ts`";

const START_WITHIN_MS = 60_000;

/** Registry on this machine with kit's packages. It fetches packages of others from the registry that npm is configured for. */
export class Registry implements AsyncDisposable {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#process = child;
  }

  /** Starts an empty registry whose files are in a directory. */
  static async start(directory: string): Promise<Registry> {
    const port = await freePort();
    const config = join(directory, "verdaccio.yaml");
    const uplink = (await run("npm", ["config", "get", "registry"], { cwd: repository })).stdout.trim();
    await mkdir(directory, { recursive: true });
    await writeFile(
      config,
      JSON.stringify({
        storage: join(directory, "storage"),
        uplinks: { public: { url: uplink, timeout: "60s" } },
        packages: {
          "@kit/*": { access: "$all", publish: "$all" },
          "**": { access: "$all", proxy: "public" },
        },
        max_body_size: "500mb",
        log: { type: "stdout", level: "warn" },
      }),
    );
    const program = join(tools, "node_modules/verdaccio/bin/verdaccio");
    const child = spawn(process.execPath, [program, "--config", config, "--listen", `127.0.0.1:${port}`], {
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const registry = new Registry(`http://127.0.0.1:${port}/`, child);
    const end = performance.now() + START_WITHIN_MS;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const answer = await fetch(`${registry.url}-/ping`).catch(() => undefined);
      if (answer?.ok) return registry;
      if (child.exitCode !== null || performance.now() > end) {
        child.kill();
        throw new Error(`the registry does not answer:\n${output}`);
      }
      // oxlint-disable-next-line no-await-in-loop
      await setTimeout(50);
    }
  }

  /** Publishes all archives in a directory. */
  async publish(directory: string, env: Readonly<Record<string, string>>): Promise<void> {
    const names = (await readdir(directory)).filter((name) => name.endsWith(".tgz"));
    for (const name of names) {
      // Without `./`, npm would take the name for a repository on GitHub.
      // oxlint-disable-next-line no-await-in-loop
      const published = await run("npm", ["publish", `./${name}`, "--provenance=false"], {
        cwd: directory,
        env,
        timeout: 120_000,
      });
      if (published.code !== 0) throw new Error(published.stderr);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill();
    await ended;
  }
}
