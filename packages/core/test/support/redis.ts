import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

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

  static async start(): Promise<Redis> {
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const { port } = probe.address() as AddressInfo;
    probe.close();
    return new Redis(port, await mkdtemp(join(tmpdir(), "kit-limits-")));
  }

  /** Kills the server. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await once(this.#process, "exit");
  }

  /** Starts the server again, without the counts from before. */
  restart(): void {
    this.#process = this.#spawn();
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await this.kill();
    await rm(this.#directory, { recursive: true, force: true });
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
