// Program of prometheus.test.ts: an application with two workers, whose metrics Prometheus can read.

import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";

import { createApp } from "@kit/core";
import { nativeServer, workerNumber } from "@kit/server-native";

import { compiled, responseOf, route } from "../../../core/test/support/compiled.ts";

// All processes need the same port, so the first process chooses one for the others, which inherit its environment.
if (process.env["METRICS_PORT"] === undefined) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  process.env["METRICS_PORT"] = String((server.address() as AddressInfo).port);
  server.close();
}
const pid = route("GET /pid", { response: responseOf("Pid", { pid: "string", worker: "string" }) });
const app = createApp({
  server: nativeServer({ workers: 2 }),
  routes: [{ handlers: { "GET /pid": () => ({ pid: String(process.pid), worker: String(workerNumber) }) } }],
  compiled: compiled(pid),
  telemetry: { prometheus: { port: Number(process.env["METRICS_PORT"]) } },
} as Parameters<typeof createApp>[0]);
const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
if (workerNumber === undefined) console.log(`Listening on ${port}`);
