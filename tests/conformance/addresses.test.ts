// Tests the addresses that servers listen on: without a host all IPv4 and IPv6 addresses of the machine, otherwise only the host.

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

/** Sends a request. Returns the status line of the response, or the code of the error if there is none. */
async function statusLineOf(port: number, host: string): Promise<string> {
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
    test("listens on IPv4 and IPv6 addresses if no host is given", { skip }, async () => {
      await using served = await echo({ host: "" });
      for (const host of ["127.0.0.1", "::1", "localhost"]) {
        assert.equal(await statusLineOf(served.port, host), "HTTP/1.1 200", host);
      }
    });

    test("listens on IPv4 and IPv6 addresses if the host is `::`", { skip }, async () => {
      await using served = await echo({ host: "::" });
      for (const host of ["127.0.0.1", "::1"]) {
        assert.equal(await statusLineOf(served.port, host), "HTTP/1.1 200", host);
      }
    });

    test("listens only on the address of the host", { skip }, async () => {
      await using served = await echo({ host: "127.0.0.1" });
      assert.equal(await statusLineOf(served.port, "127.0.0.1"), "HTTP/1.1 200");
      assert.equal(await statusLineOf(served.port, "::1"), "ECONNREFUSED");
    });

    test("listens only on IPv6 if the host is `::1`", { skip }, async () => {
      await using served = await echo({ host: "::1" });
      assert.equal(await statusLineOf(served.port, "::1"), "HTTP/1.1 200");
      assert.equal(await statusLineOf(served.port, "127.0.0.1"), "ECONNREFUSED");
    });
  });
}
