/** Peer: `Bun.serve` with `request.formData`, which holds the whole body in memory. Linux only. */
import { readFileSync } from "node:fs";

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  maxRequestBodySize: 2 ** 40,
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === "GET") {
      const { user, system } = process.cpuUsage();
      const peak = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
      return Response.json({ cpuMs: (user + system) / 1000, peakMiB: peak / 1024 });
    }
    const file = (await request.formData()).get("avatar");
    return new Response(null, { status: 204, headers: { "x-bytes": String(file.size) } });
  },
});
console.log(server.port);
