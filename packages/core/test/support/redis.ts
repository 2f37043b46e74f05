import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { freePort } from "./free-port.ts";

/** Path of a server with the protocol of Redis; `undefined` if none is installed. */
export const redisProgram: string | undefined = ["valkey-server", "redis-server"]
  .flatMap((name) => (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, name)))
  .find((path) => existsSync(path));

/** Reason to skip tests; `false` if a server is installed. */
export const withoutRedis: string | false =
  redisProgram === undefined && "valkey-server and redis-server are not installed";

/** Server with the protocol of Redis on a port of its own. */
export class Redis {
  readonly port: number;
  readonly #directory: string;
  #process: ChildProcess;

  private constructor(port: number, directory: string) {
    this.port = port;
    this.#directory = directory;
    this.#process = this.#spawn();
  }

  /** Starts a server, and waits until it accepts connections. */
  static async start(): Promise<Redis> {
    const redis = new Redis(await freePort(), await mkdtemp(join(tmpdir(), "kit-limits-")));
    try {
      while (!(await redis.#isListening())) await sleep(10);
      return redis;
    } catch (error) {
      await redis.stop();
      throw error;
    }
  }

  /** Kills the server. Rejects if the server has ended before, for example because its port is in use. */
  async kill(): Promise<void> {
    this.#checkRunning();
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }

  /** Starts the server again, without the counts from before. */
  restart(): void {
    this.#process = this.#spawn();
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await this.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #isListening(): Promise<boolean> {
    this.#checkRunning();
    const socket = connect(this.port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  #checkRunning(): void {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`${redisProgram} on port ${this.port} has ended: ${exitCode ?? signalCode}`);
  }

  #spawn(): ChildProcess {
    const options = [
      "--port",
      String(this.port),
      "--bind",
      "127.0.0.1",
      "--save",
      "",
      "--dir",
      this.#directory,
    ];
    return spawn(redisProgram!, options, { stdio: "ignore" });
  }
}
