import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";

import type { Scenario } from "./scenarios.ts";

/** A server that is measured, in a process of its own. */
export class Subject {
  readonly name: string;
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(name: string, port: number, child: ChildProcess) {
    this.name = name;
    this.port = port;
    this.#child = child;
  }

  /** Starts a module that listens on a free port and sends `{ port }`. */
  static async start(name: string, module: string): Promise<Subject> {
    const child = fork(module, {
      env: { ...process.env, NODE_ENV: "production" },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const [message] = (await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => Promise.reject(new Error(`${name} did not start`))),
    ])) as [{ port: number }];
    return new Subject(name, message.port, child);
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }

  /** Makes sure that the subject answers as it must before its speed means anything. */
  async check(scenario: Scenario): Promise<void> {
    const socket = connect(this.port, "127.0.0.1");
    // Not `end`: a client that closes its side is taken for one that left.
    socket.write(scenario.request.replace("\r\n", "\r\nconnection: close\r\n"));
    const text = Buffer.concat(await socket.toArray()).toString();
    const [head = "", body = ""] = text.split("\r\n\r\n");
    const found = JSON.parse(body) as Record<string, unknown>;
    const isRight =
      head.startsWith(`HTTP/1.1 ${scenario.status} `) &&
      Object.entries(scenario.body).every(([key, value]) => found[key] === value) &&
      (scenario.status < 400 || typeof (found["error"] as { code?: unknown } | undefined)?.code === "string");
    if (!isRight) throw new Error(`${this.name} answers ${scenario.name} wrongly:\n${text}`);
  }

  /** Time that the process has run on processors, all its threads, in user and kernel. */
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

let ticks: number | undefined;

function clockTicks(): number {
  ticks ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return ticks;
}
