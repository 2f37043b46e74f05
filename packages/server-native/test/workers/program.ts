/** Application with workers that the tests start as a process. `KIT_TEST_FAIL` selects what goes wrong in it. */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { createApp } from "@kit/core";

import { compiled, responseOf, route } from "../../../core/test/support/compiled.ts";
import {
  nativeServer,
  type NativeServerHandle,
  type NativeWorkersHandle,
  workerNumber,
} from "../../src/index.ts";

const { KIT_TEST_WORKERS: workers = "2", KIT_TEST_FAIL: fail = "", PORT = "0" } = process.env;

/** Prints a line with a single write, so that the lines of several processes do not mix. */
function tell(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

tell({ began: process.pid, worker: workerNumber });
if (workerNumber !== undefined && fail === "exit") process.exit(7);

/** Duration of `GET /long` in milliseconds. If it is given, only this route may take longer than a second. */
const longMs = Number(process.env["KIT_TEST_LONG"] ?? 0);

const text = responseOf("Text", { text: "string" });
const server = nativeServer({ workers: workers === "auto" ? "auto" : Number(workers) });
const app = createApp({
  server,
  env: "production",
  health: true,
  shutdownDelayMs: Number(process.env["KIT_TEST_DELAY"] ?? 0),
  ...(longMs > 0 && { requestTimeoutMs: 1_000 }),
  compiled: compiled(
    route("GET /who", { response: text }),
    route("GET /slow", { response: text }),
    route("GET /long", { response: text }),
    route("GET /workers", { response: text }),
  ),
  plugins: [
    {
      name: "probe",
      onStart: async () => {
        tell({ started: process.pid, worker: workerNumber });
        if (fail === `slow ${workerNumber}`) await sleep(60_000);
        if (fail === "start") throw Object.assign(new Error("no database"), { code: "ENODB" });
        // A restarted worker finds the variable that its primary has set after the first start, and fails.
        if (fail === "restart" && process.env["KIT_TEST_MARK"] !== undefined) {
          throw new Error("not again");
        }
      },
      onStop: async () => {
        tell({ stopped: process.pid, worker: workerNumber });
        if (fail === "stop") throw new Error("cannot stop");
        if (fail === "hang") await sleep(60_000);
      },
    },
  ],
  routes: [
    {
      handlers: {
        "GET /who": () => ({ text: `${workerNumber ?? "none"} ${process.pid}` }),
        "GET /slow": async () => {
          await sleep(150);
          return { text: String(process.pid) };
        },
        "GET /long": async () => {
          await sleep(longMs);
          return { text: String(process.pid) };
        },
        "GET /workers": () => ({ text: String(process.env["KIT_WORKER_PLAN"]) }),
      },
      on: { "GET /long": { requestTimeoutMs: 60_000 } },
    },
  ],
});

// SIGUSR2 closes the application. `KIT_TEST_GRACE` is the grace period, which may be very long.
const graceMs = Number(process.env["KIT_TEST_GRACE"] ?? 0);
if (graceMs > 0 && workerNumber === undefined) process.on("SIGUSR2", () => void app.close({ graceMs }));

try {
  const host = process.env["KIT_TEST_HOST"] ?? "127.0.0.1";
  const path = process.env["KIT_TEST_PATH"];
  const directory = process.env["KIT_TEST_TLS"];
  const tls = directory !== undefined && {
    tls: { cert: `${directory}/server.pem`, key: `${directory}/server.key`, redirectFrom: 0 },
  };
  const { url, port, redirect } = await app.listen(
    path === undefined ? { port: Number(PORT), host, ...tls } : { path },
  );
  // Processes that are started after this line inherit the variable.
  process.env["KIT_TEST_MARK"] = "listened";
  const handle = app.getNativeServer() as NativeServerHandle | NativeWorkersHandle | undefined;
  const workersNow = handle !== undefined && "workers" in handle ? handle.workers() : undefined;
  tell({
    listening: process.pid,
    worker: workerNumber,
    url,
    port,
    redirectPort: redirect?.port,
    workers: workersNow,
  });
} catch (error) {
  const { message, code, cause } = error as NodeJS.ErrnoException;
  tell({ rejected: process.pid, worker: workerNumber, message, code, cause: (cause as Error)?.stack });
  process.exitCode = 3;
}
