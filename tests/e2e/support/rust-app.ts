// Application for the contract tests of RealWorld that run against its Rust server: starts the program in `RUST_PROGRAM` on the database of the
// test. `tests/e2e/servers/realworld.test.ts` copies this file to `src/app.ts` of a project.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

let child: ChildProcess | undefined;

export const app = {
  async listen(): Promise<{ port: number }> {
    const env = { ...process.env, NODE_ENV: "test", PORT: "0", HOST: "127.0.0.1" };
    child = spawn(process.env["RUST_PROGRAM"]!, [], { env, stdio: ["ignore", "pipe", "inherit"] });
    const stdout = child.stdout!.setEncoding("utf8");
    let output = "";
    for await (const text of stdout.iterator({ destroyOnReturn: false })) {
      output += text;
      const port = /^Listening on http:\S+:(\d+)$/m.exec(output)?.[1];
      if (port === undefined) continue;
      // The log of the program must have a reader.
      stdout.resume();
      return { port: Number(port) };
    }
    throw new Error(`the program did not start:\n${output}`);
  },
  async close(): Promise<void> {
    const exit = once(child!, "exit");
    child!.kill("SIGTERM");
    await exit;
  },
  service: async (): Promise<object> => ({ limits: { bodyBytes: 1024 * 1024 } }),
};
