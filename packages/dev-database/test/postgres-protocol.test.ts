// Tests that a login reveals nothing if another program has taken the port of PostgreSQL.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, test } from "node:test";
import { open } from "../src/postgres-protocol.ts";

const PASSWORD = "the password of the embedded database";

/** Returns the message with which PostgreSQL requests a kind of login. */
function request(kind: number, more: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.write("R");
  head.writeInt32BE(8 + more.length, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, more]);
}

const CLEARTEXT = request(3);
const MD5 = request(5, Buffer.from([1, 2, 3, 4]));
const SCRAM = request(10, Buffer.from("SCRAM-SHA-256\0\0"));
const OK = request(0);

/** Returns the first message of a server in SCRAM, which contains its nonce. */
function challenge(nonce: string): Buffer {
  return request(11, Buffer.from(`r=${nonce},s=${Buffer.from("salt").toString("base64")},i=4096`));
}

/** Logs in to a program that sends one of the `replies` for each message that it receives. Returns the error and the received bytes. */
async function login(...replies: readonly Buffer[]): Promise<{ error: string; received: string }> {
  const rest = [...replies];
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      received.push(data);
      socket.write(rest.shift() ?? OK);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const connection = await open({ port, user: "kit", password: PASSWORD, database: "kit" }, 5_000);
    connection.end();
    return { error: "none", received: Buffer.concat(received).toString("latin1") };
  } catch (error) {
    return { error: (error as Error).message, received: Buffer.concat(received).toString("latin1") };
  } finally {
    server.close();
  }
}

describe("a login to another program on the port", () => {
  for (const [name, reply] of [
    ["the password in clear text", CLEARTEXT],
    ["an MD5 hash of the password", MD5],
    ["no login", OK],
  ] as const) {
    test(`is refused and reveals nothing if the program requests ${name}`, async () => {
      const { error, received } = await login(reply);
      assert.equal(error, "PostgreSQL does not request a login with SCRAM");
      // The program has received only the startup message, which contains the role and the database.
      assert.equal(received.length, received.charCodeAt(3));
      assert.ok(!received.includes(PASSWORD));
    });
  }

  test("is refused if the program does not know the password", async () => {
    const rejected = await login(SCRAM, challenge("another nonce"));
    assert.equal(rejected.error, "The response of PostgreSQL belongs to another login");

    // This program copies the client's nonce and then claims success.
    const server = createServer((socket) => {
      let step = 0;
      socket.on("error", () => {});
      socket.on("data", (data) => {
        step += 1;
        const nonce = /r=([^,]+)/.exec(data.toString("latin1"))?.[1] ?? "";
        if (step === 1) socket.write(SCRAM);
        else if (step === 2) socket.write(challenge(`${nonce}more`));
        else socket.write(request(12, Buffer.from(`v=${Buffer.alloc(32).toString("base64")}`)));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      await assert.rejects(
        open({ port, user: "kit", password: PASSWORD, database: "kit" }, 5_000),
        /the server on this port does not accept the password of the embedded database/,
      );
    } finally {
      server.close();
    }
  });
});
