// Tests of the connection limit on servers that let further connections wait: the native server and the Rust server. Servers on node:http
// close further connections at once.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { columns } from "./columns.ts";

const request = "GET /a HTTP/1.1\r\nhost: a\r\n\r\n";

interface Client {
  readonly socket: Socket;
  text(): string;
}

async function ask(port: number): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  await once(socket, "connect");
  socket.write(request);
  return { socket, text: () => text };
}

async function answered({ text }: Client): Promise<void> {
  const end = performance.now() + 5000;
  while (!text().startsWith("HTTP/1.1 200 ")) {
    assert.ok(performance.now() < end, `no answer: ${text()}`);
    await sleep(5);
  }
}

for (const { name, echo } of columns.filter((one) => one.name === "native" || one.name === "rust")) {
  describe(name, () => {
    test("further connections wait until another one closes", async () => {
      await using served = await echo({ maxConnections: 2 });
      const first = await ask(served.port);
      const second = await ask(served.port);
      await Promise.all([answered(first), answered(second)]);
      const third = await ask(served.port);
      await sleep(300);
      assert.equal(third.text(), "");
      // The other connections are served meanwhile.
      second.socket.write(request);
      while (second.text().split("HTTP/1.1 200 ").length < 3) await sleep(5);
      first.socket.destroy();
      await answered(third);
      for (const { socket } of [second, third]) socket.destroy();
      // A closed connection makes room for another one, however it was closed.
      for (let count = 0; count < 5; count += 1) {
        const next = await ask(served.port);
        await answered(next);
        next.socket.resetAndDestroy();
      }
    });
  });
}
