import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const limit = 64;

test(
  "a server without free file descriptors uses no CPU, and serves the waiting clients later",
  { timeout: 30_000 },
  async () => {
    const script = `
    import { serve, json } from ${JSON.stringify(new URL("./support.ts", import.meta.url).href)};
    const app = await serve((exchange) => json(exchange, process.cpuUsage()));
    process.stdout.write(app.address.port + "\\n");
  `;
    const command = `ulimit -n ${limit}; exec "$0" --input-type=module -e "$1"`;
    const child = spawn("sh", ["-c", command, process.execPath, script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      const port = Number(chunk.toString());
      const sockets = await Promise.all(Array.from({ length: limit * 2 }, () => open(port)));
      for (const socket of sockets) socket.write("GET /notes HTTP/1.1\r\nHost: a\r\n\r\n");
      const first = await answered(sockets[0]!);
      await sleep(500);
      assert.equal(sockets.at(-1)!.bytesRead, 0, "the limit is not reached; the test shows nothing");
      for (const socket of sockets.slice(0, -1)) socket.destroy();
      const last = await answered(sockets.at(-1)!);
      const milliseconds = (last.user + last.system - first.user - first.system) / 1000;
      assert.ok(milliseconds < 250, `the server ran for ${milliseconds} of about 500 ms`);
      sockets.at(-1)!.destroy();
    } finally {
      child.kill("SIGKILL");
    }
  },
);

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

async function answered(socket: Socket): Promise<NodeJS.CpuUsage> {
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return JSON.parse(chunk.toString().split("\r\n\r\n")[1]!) as NodeJS.CpuUsage;
}
