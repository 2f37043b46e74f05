// Tests the whole way of a new user: kit's packages in a registry on this machine, `npm create @kit`, `npm run dev`, the first
// response, `npm test`. Also with pnpm, Yarn and Bun.

import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type IPty, spawn } from "@lydell/node-pty";

import { baseEnvironment, type CommandResult, run } from "../e2e/support/command.ts";
import { freePort } from "../../packages/core/test/support/free-port.ts";
import { onlyLong } from "../e2e/support/long.ts";
import { repository } from "../e2e/support/project.ts";
import { databaseStopped } from "../scaffold/database.ts";
import { missing, Registry, tools } from "./support/registry.ts";

/** Maximum time from `npm create` to the first response, if the machine is idle. */
const FIRST_RESPONSE_WITHIN_MS = 60_000;
const GIVE_UP_AFTER_MS = 300_000;

/** Package manager with the commands that a user types. */
interface Manager {
  readonly name: string;
  readonly create: string;
  readonly dev: string;
  readonly test: string;
}

const MANAGERS: readonly Manager[] = [
  { name: "npm", create: "npm create @kit@latest", dev: "npm run dev", test: "npm test" },
  { name: "pnpm", create: "pnpm create @kit@latest", dev: "pnpm run dev", test: "pnpm test" },
  { name: "yarn", create: "yarn create @kit", dev: "yarn run dev", test: "yarn test" },
  { name: "bun", create: "bun create @kit@latest", dev: "bun run dev", test: "bun run test" },
];

describe("a registry with kit's packages", { skip: missing ?? onlyLong, timeout: 1_800_000 }, () => {
  let home: string;
  let registry: Registry;

  before(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), "kit-registry-"));
    // If the tests run as root, PostgreSQL runs as another account.
    await chmod(home, 0o755);
    const packages = process.env["KIT_PACKED"] ?? join(home, "packages");
    if (process.env["KIT_PACKED"] === undefined) {
      const pack = ["xtask", "pack", "--no-build", "--out", packages];
      succeeded(await run("cargo", pack, { cwd: repository, timeout: 600_000 }));
    }
    registry = await Registry.start(join(home, "registry"));
    await registry.publish(packages, await environment("publisher"));
  });

  after(async () => {
    await registry?.[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  });

  /** Returns the environment of a user with an empty home directory and empty caches. */
  async function environment(user: string): Promise<Record<string, string>> {
    const directory = join(home, user);
    await mkdir(join(directory, "bin"), { recursive: true });
    const { host } = new URL(registry.url);
    await writeFile(
      join(directory, ".npmrc"),
      `registry=${registry.url}\n//${host}/:_authToken=anybody\nupdate-notifier=false\n`,
    );
    for (const [name, path] of [
      ["pnpm", join(tools, "node_modules/pnpm/bin/pnpm.mjs")],
      ["yarn", join(tools, "node_modules/@yarnpkg/cli-dist/bin/yarn.js")],
    ] as const) {
      const program = join(directory, "bin", name);
      // oxlint-disable-next-line no-await-in-loop
      await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${path}' "$@"\n`);
      // oxlint-disable-next-line no-await-in-loop
      await chmod(program, 0o755);
    }
    // Hides the programs of this repository, but for Bun, which needs no installation.
    const own = (process.env["PATH"] ?? "").split(delimiter).filter((path) => !path.startsWith(repository));
    const bun = join(directory, "bin/bun");
    await writeFile(bun, `#!/bin/sh\nexec '${join(repository, "node_modules/.bin/bun")}' "$@"\n`);
    await chmod(bun, 0o755);
    return {
      HOME: directory,
      PATH: [join(directory, "bin"), dirname(process.execPath), ...own].join(delimiter),
      XDG_CACHE_HOME: join(directory, "cache"),
      XDG_DATA_HOME: join(directory, "data"),
      npm_config_cache: join(directory, "cache/npm"),
      npm_config_registry: registry.url,
      npm_config_userconfig: join(directory, ".npmrc"),
      BUN_CONFIG_REGISTRY: registry.url,
      BUN_INSTALL_CACHE_DIR: join(directory, "cache/bun"),
      YARN_NPM_REGISTRY_SERVER: registry.url,
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      YARN_GLOBAL_FOLDER: join(directory, "cache/yarn"),
      YARN_ENABLE_TELEMETRY: "0",
      // Yarn installs no version that is younger than a day, and the packages of this test are.
      YARN_NPM_MINIMAL_AGE_GATE: "0",
    };
  }

  for (const manager of MANAGERS) {
    test(`serves the first response of a new project with ${manager.name}, whose tests pass`, async (t) => {
      const env = await environment(manager.name);
      const directory = join(home, `work-${manager.name}`);
      await mkdir(directory);
      const root = join(directory, "shop");
      const port = await freePort();
      const wasIdle = isIdle();
      const begun = performance.now();
      const terminal = new Typed(directory, { ...env, PORT: `${port}`, HOST: "127.0.0.1" });
      try {
        await terminal.shows(/\$ $/);
        terminal.type(`${manager.create} shop`);
        // npm asks before it runs a package that is not installed.
        if (manager.name === "npm") await terminal.answer("Ok to proceed?", "y\r");
        await terminal.answer("What kind of project?", "\r");
        await terminal.answer("What does it run on?", "\r");
        await terminal.answer("Which database library?", "\r");
        await terminal.shows(/next:\r?\n/);
        terminal.type(`cd shop && ${manager.dev}`);
        await terminal.shows(/Listening on \S+/);
        assert.equal((await fetch(`http://127.0.0.1:${port}/docs`)).status, 200);
        const ms = performance.now() - begun;
        const staysIdle = wasIdle && isIdle();
        t.diagnostic(`${manager.name}: first response after ${Math.round(ms)} ms, idle: ${staysIdle}`);
        if (staysIdle) assert.ok(ms < FIRST_RESPONSE_WITHIN_MS, `the first response took ${ms} ms`);
        await terminal.interrupt();
        const tested = await run("sh", ["-c", manager.test], { cwd: root, env, timeout: GIVE_UP_AFTER_MS });
        succeeded(tested);
      } finally {
        terminal.end();
        await databaseStopped(root);
      }
    });
  }

  test("creates a project without a terminal and without questions", async () => {
    const env = await environment("script");
    const options = { cwd: join(home, "script"), env, timeout: GIVE_UP_AFTER_MS };
    const args = ["create", "--yes", "@kit@latest", "tiny", "--", "--yes", "--template", "minimal"];
    const made = await run("npm", args, options);
    succeeded(made);
    const root = join(home, "script/tiny");
    succeeded(await run("npm", ["test"], { ...options, cwd: root }));
    // The directory is not empty now, so the command refuses it and changes nothing.
    const kept = await readFile(join(root, "package.json"), "utf8");
    const again = await run("npm", args, options);
    assert.notEqual(again.code, 0);
    assert.match(again.stderr, /tiny\/ exists and is not empty/);
    assert.equal(await readFile(join(root, "package.json"), "utf8"), kept);
    const help = await run("npm", ["create", "--yes", "@kit@latest", "--", "--help"], options);
    assert.match(help.stdout, /Usage: npm create @kit@latest \[NAME\] -- \[OPTIONS\]/);
  });
});

/** Shell in a pseudoterminal, into which a test types as a user does. */
class Typed {
  readonly #terminal: IPty;
  #text = "";
  /** Number of characters of the output that have been read. */
  #readTo = 0;
  #ended = false;

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    const { NO_COLOR: _, ...inherited } = baseEnvironment();
    this.#terminal = spawn("sh", ["-i"], {
      cols: 100,
      rows: 30,
      cwd,
      env: { ...inherited, ...env, PS1: "$ ", ENV: "" },
    });
    this.#terminal.onData((more) => (this.#text += more));
    this.#terminal.onExit(() => (this.#ended = true));
  }

  /** Types a command. */
  type(command: string): void {
    this.#terminal.write(`${command}\r`);
  }

  /** Waits for a question, and presses keys. */
  async answer(question: string, keys: string): Promise<void> {
    await this.#comes((text) => text.includes(question) || text.endsWith("\n$ "), question);
    // The shell shows its prompt again if the command has failed.
    assert.ok(this.#text.includes(question), this.#text);
    this.#terminal.write(keys);
  }

  /** Waits for text. */
  async shows(text: RegExp): Promise<void> {
    await this.#comes((unread) => text.test(unread), String(text));
  }

  /** Presses Ctrl-C, and waits for the prompt of the shell. */
  async interrupt(): Promise<void> {
    this.#readTo = this.#text.length;
    this.#terminal.write("\u0003");
    await this.#comes((text) => text.endsWith("$ "), "the prompt");
  }

  end(): void {
    if (!this.#ended) this.#terminal.kill("SIGKILL");
  }

  async #comes(passes: (unread: string) => boolean, what: string): Promise<void> {
    const deadline = performance.now() + GIVE_UP_AFTER_MS;
    while (!passes(this.#text.slice(this.#readTo))) {
      if (this.#ended || performance.now() > deadline) assert.fail(`${what} did not appear:\n${this.#text}`);
      // oxlint-disable-next-line no-await-in-loop
      await setTimeout(20);
    }
    this.#readTo = this.#text.length;
  }
}

/** Returns true if other programs leave at least half of the processors free. */
function isIdle(): boolean {
  return loadavg()[0]! < availableParallelism() / 2;
}

function succeeded(result: CommandResult): void {
  assert.equal(result.code, 0, `${result.stdout}\n${result.stderr}`);
}
