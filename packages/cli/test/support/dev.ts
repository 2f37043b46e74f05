import { type ChildProcess, spawn } from "node:child_process";
import { get, type IncomingHttpHeaders } from "node:http";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

import { NOTES, Project } from "./project.ts";

const KIT = fileURLToPath(new URL("../../bin/kit.js", import.meta.url));
const installed = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const timeoutMs = 20_000;

/** Returns the source of an application that responds with a title and with its process id. */
export const app = (text: string, server = "nativeServer", from = "server-native"): string => `
import { createApp, defineHandlers } from "@kit/core";
import { ${server} } from "@kit/${from}";
import type { NoteRoutes } from "./notes.routes.ts";

const title = ${JSON.stringify(text)};
const handlers = defineHandlers<NoteRoutes>({
  "GET /notes/:id": () => ({ id: String(process.pid), title }),
});
const app = createApp({ server: ${server}(), routes: [{ handlers }] });
await app.listen({ port: 0, host: "127.0.0.1" });
`;

/** Response to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request on its own connection. */
export function sendRequest(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers, timeout: timeoutMs }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    })
      .on("error", reject)
      .on("timeout", () => reject(new Error(`${url} was not answered`)));
  });
}

/** Running `kit dev` of a project. */
export class Dev {
  readonly project: Project;
  readonly child: ChildProcess;
  /** Resolves with the exit code and signal. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  output = "";

  private constructor(project: Project, child: ChildProcess) {
    this.project = project;
    this.child = child;
    const collect = (chunk: string): void => {
      this.output += stripVTControlCharacters(chunk);
    };
    child.stdout!.setEncoding("utf8").on("data", collect);
    child.stderr!.setEncoding("utf8").on("data", collect);
    this.ended = new Promise((resolve) => {
      child.on("close", (code, signal) => resolve({ code, signal }));
    });
  }

  /**
   * Starts `kit dev`. If `command` is given, it returns the command line to run instead of starting Node directly. `files` are further
   * files of the project.
   */
  static async start(
    t: TestContext,
    main: string,
    args: readonly string[] = ["--no-db"],
    command: (line: readonly string[]) => readonly string[] = (line) => line,
    files: Readonly<Record<string, string>> = {},
  ): Promise<Dev> {
    let dev: Dev | undefined;
    const project = await Project.create(t, { ...NOTES, "src/main.ts": main, ...files }, async () => {
      // If the process hangs, the test must still end.
      const killer = setTimeout(() => dev?.child.kill("SIGKILL"), 10_000);
      dev?.child.kill();
      await dev?.ended;
      clearTimeout(killer);
    });
    await symlink(installed, join(project.root, "node_modules"), "junction");
    const { DATABASE_URL: _, PORT: __, HOST: ___, NODE_ENV: ____, ...env } = process.env;
    const [program, ...rest] = command([process.execPath, KIT, "dev", ...args]);
    dev = new Dev(project, spawn(program!, rest, { cwd: project.root, env }));
    return dev;
  }

  /** Resolves to the URL of the application as soon as `kit dev` has printed it. */
  async url(): Promise<string> {
    await this.until(() => /serving .*http/.test(this.output), "it did not serve");
    return /serving \S*?(http:\/\/[\w.:]+)/.exec(this.output)![1]!;
  }

  /** Waits until the application responds with this title. */
  async serves(url: string, title: string): Promise<{ id: string; title: string }> {
    let note = { id: "", title: "" };
    await this.until(async () => {
      const { status, text } = await sendRequest(`${url}/notes/1`);
      if (status === 200) note = JSON.parse(text) as typeof note;
      return status === 200 && note.title === title;
    }, `it did not serve ${title}`);
    return note;
  }

  async until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const end = performance.now() + timeoutMs;
    // oxlint-disable-next-line no-await-in-loop
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`${what}; so far:\n${this.output}`);
      // oxlint-disable-next-line no-await-in-loop
      await sleep(20);
    }
  }
}

/** Returns true if a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
