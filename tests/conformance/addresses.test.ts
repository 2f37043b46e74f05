// Addresses that servers listen on: all IPv6 and IPv4 addresses of the machine without a host, and otherwise only the given host.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, test } from "node:test";

import { columns } from "./columns.ts";

const hasIPv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ family }) => family === "IPv6"),
);
const skip = hasIPv6 ? false : "this machine has no IPv6";

/** Returns the status line of a response, or the error code if there is no response. */
async function ask(port: number, host: string): Promise<string> {
  const socket = connect({ port, host });
  try {
    await once(socket, "connect");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "error";
  }
  socket.write("GET /a HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  return Buffer.concat(await socket.toArray())
    .toString()
    .slice(0, 12);
}

for (const { name, echo } of columns) {
  describe(name, () => {
    test("listens on both families without a host", { skip }, async () => {
      await using served = await echo({ host: "" });
      for (const host of ["127.0.0.1", "::1", "localhost"]) {
        assert.equal(await ask(served.port, host), "HTTP/1.1 200", host);
      }
    });

    test("listens on both families on `::`", { skip }, async () => {
      await using served = await echo({ host: "::" });
      for (const host of ["127.0.0.1", "::1"]) {
        assert.equal(await ask(served.port, host), "HTTP/1.1 200", host);
      }
    });

    test("listens only on the given host", { skip }, async () => {
      await using served = await echo({ host: "127.0.0.1" });
      assert.equal(await ask(served.port, "127.0.0.1"), "HTTP/1.1 200");
      assert.equal(await ask(served.port, "::1"), "ECONNREFUSED");
    });

    test("listens only on `::1`", { skip }, async () => {
      await using served = await echo({ host: "::1" });
      assert.equal(await ask(served.port, "::1"), "HTTP/1.1 200");
      assert.equal(await ask(served.port, "127.0.0.1"), "ECONNREFUSED");
    });
  });
}
