import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

import { freePort } from "../../packages/core/test/support/free-port.ts";
import { bodyOf } from "./response-body.ts";
import type { Scenario } from "./scenarios.ts";

/** Time in milliseconds within which a subject must listen. */
const patience = 20_000;

/** Options of a new process. */
export interface Start {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Server that is measured. The server runs in a child process, which exits no later than the process of the benchmark. */
export class Subject {
  readonly name: string;
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(name: string, port: number, child: ChildProcess) {
    this.name = name;
    this.port = port;
    this.#child = child;
  }

  /** Starts the server on a free port. Resolves when it accepts connections. */
  static async start(
    name: string,
    { file, arguments: parameters, cwd, environment }: Start,
  ): Promise<Subject> {
    const port = await freePort();
    const child = spawn(file, parameters, {
      cwd,
      env: { ...process.env, ...environment, NODE_ENV: "production", PORT: `${port}` },
      // The process exits when its standard input closes.
      stdio: ["pipe", "ignore", "inherit"],
    });
    const ended = once(child, "exit").then(([code, signal]) => {
      throw new Error(`${name} exited with ${String(code ?? signal)} before it listened`);
    });
    const subject = new Subject(name, port, child);
    try {
      await Promise.race([ended, listening(name, port)]);
    } catch (error) {
      subject.stop();
      throw error;
    }
    ended.catch(() => undefined);
    return subject;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Process id of the server. */
  get pid(): number {
    return this.#child.pid!;
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }

  /**
   * Checks that the server responds to the scenario correctly, and returns the request to measure. Called before the speed is measured.
   */
  async check(scenario: Scenario): Promise<string> {
    let { request } = scenario;
    if (scenario.isRevalidation === true) {
      const { head } = await this.#respondTo(request.replace("{etag}", '"none"'));
      const tag = /^etag: *(\S.*)$/im.exec(head)?.[1];
      if (tag === undefined)
        throw new Error(`${this.name}: the response to ${scenario.name} has no ETag:\n${head}`);
      request = request.replace("{etag}", tag.trim());
    }
    if (scenario.login !== undefined) {
      const { head } = await this.#respondTo(scenario.login);
      const cookie = /^set-cookie: *([^;\r\n]+)/im.exec(head)?.[1];
      if (cookie === undefined) throw new Error(`${this.name}: the login has no cookie:\n${head}`);
      request = request.replace("{cookie}", () => cookie);
    }
    const { head, body } = await this.#respondTo(request);
    if (!isRight(scenario, head, body)) {
      throw new Error(`${this.name}: wrong response to ${scenario.name}:\n${head}\n\n${body}`);
    }
    return request;
  }

  async #respondTo(request: string): Promise<{ readonly head: string; readonly body: string }> {
    const socket = connect(this.port, "127.0.0.1");
    // Does not call `end`: some servers treat a client that closes its side of the connection as gone.
    socket.write(request.replace("\r\n", "\r\nconnection: close\r\n"));
    const bytes = Buffer.concat(await socket.toArray());
    const end = bytes.indexOf("\r\n\r\n");
    const head = bytes.subarray(0, end).toString("latin1");
    return { head, body: bodyOf(head, bytes.subarray(end + 4)) };
  }

  /** Returns the CPU time that the process has used, in microseconds: of all threads, in user and kernel mode. */
  cpuMicroseconds(): number {
    if (process.platform === "linux") {
      const text = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return ((Number(fields[11]) + Number(fields[12])) / clockTicks()) * 1e6;
    }
    const [minutes = "0", seconds = "0"] = execFileSync("ps", ["-o", "time=", "-p", `${this.#child.pid}`], {
      encoding: "utf8",
    })
      .trim()
      .split(":");
    return (Number(minutes) * 60 + Number(seconds)) * 1e6;
  }

  rssMebibytes(): number {
    const text = execFileSync("ps", ["-o", "rss=", "-p", `${this.#child.pid}`], { encoding: "utf8" });
    return Number(text) / 1024;
  }
}

/** Returns true if a response fits the scenario: its status, its headers and the properties of its JSON. Every error must have a code. */
export function isRight(scenario: Scenario, head: string, body: string): boolean {
  if (!head.startsWith(`HTTP/1.1 ${scenario.status} `)) return false;
  const lines = head.toLowerCase().split("\r\n");
  if (scenario.status === 304) return body === "" && lines.some((line) => line.startsWith("etag:"));
  if (!lines.some((line) => line.startsWith("content-type: application/json"))) return false;
  for (const [name, value] of Object.entries(scenario.headers ?? {})) {
    if (!lines.includes(`${name}: ${value}`)) return false;
  }
  let found: Record<string, unknown>;
  try {
    found = JSON.parse(body) as Record<string, unknown>;
  } catch {
    return false;
  }
  if (scenario.items !== undefined) return Array.isArray(found) && found.length === scenario.items;
  const keys = scenario.keys ?? Object.keys(found);
  return (
    Object.entries(scenario.body).every(([key, value]) => found[key] === value) &&
    keys.length === Object.keys(found).length &&
    keys.every((key) => key in found) &&
    (scenario.status < 400 || typeof (found["error"] as { code?: unknown } | undefined)?.code === "string")
  );
}

async function listening(name: string, port: number): Promise<void> {
  const deadline = Date.now() + patience;
  while (Date.now() < deadline) {
    const socket = connect(port, "127.0.0.1");
    if (await isConnected(socket)) return;
    await setTimeout(20);
  }
  throw new Error(`${name} did not listen within ${patience / 1000} s`);
}

async function isConnected(socket: Socket): Promise<boolean> {
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

let ticks: number | undefined;

function clockTicks(): number {
  ticks ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return ticks;
}
