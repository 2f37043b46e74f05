// Subprotocols of WebSockets, and options of the WebSockets of single routes, on every server over real connections.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { type AppOptions, createApp, type OpenSocket } from "@kit/core";
import { WebSocket } from "ws";

import { compiled, objectOf, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { ask, handshake, SocketClient } from "./socket-client.ts";

quietStdout();

interface Vectors {
  readonly supported: readonly string[];
  readonly cases: readonly {
    readonly name: string;
    readonly offer: string;
    readonly chosen?: string | null;
  }[];
}

const file = new URL("../../conformance/subprotocols.json", import.meta.url);
const { supported, cases } = JSON.parse(readFileSync(file, "utf8")) as Vectors;

interface Message {
  readonly text: string;
}

/** Sends the subprotocol to the client, then each message back. */
async function tell({ socket }: { socket: OpenSocket<Message, Message> }): Promise<void> {
  await socket.send({ text: String(socket.protocol) });
  for await (const { text } of socket) await socket.send({ text });
}

function options(): Omit<AppOptions, "server"> {
  const messages = { in: objectOf("In", { text: "string" }), out: responseOf("Out", { text: "string" }) };
  const ws = (ref: string, protocols?: object): ReturnType<typeof route> =>
    route(ref, { status: 101, socket: { ...messages, ...(protocols && { protocols }) } } as never);
  return {
    compiled: compiled(
      ws("WS /versions", { names: supported, optional: false }),
      ws("WS /maybe", { names: supported, optional: true }),
      ws("WS /unnamed"),
      ws("WS /tuned"),
    ),
    routes: [
      {
        handlers: { "WS /versions": tell, "WS /maybe": tell, "WS /unnamed": tell, "WS /tuned": tell },
        on: { "WS /tuned": { sockets: { pingMs: 50, compression: true }, limits: { bodyBytes: 2000 } } },
      },
    ],
    env: "development",
    logging: { level: "fatal" },
  } as unknown as Omit<AppOptions, "server">;
}

/** Application that runs on a server. */
interface Started {
  readonly port: number;
  close(): Promise<void>;
}

const targets: readonly [name: string, start: () => Promise<Started>][] = isRust
  ? [["rust", startOnRust]]
  : servers.map(([name, make]) => [
      name,
      async () => {
        const app = createApp({ ...options(), server: make() } as AppOptions);
        const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
        return { port, close: () => app.close({ graceMs: 1000 }) };
      },
    ]);

async function startOnRust(): Promise<Started> {
  const program = await startRust("rust-server", { bodyBytes: 64 * 1024 }, "development", {
    LOG_LEVEL: "fatal",
  });
  return {
    port: program.port,
    close: async () => {
      await program.stop!();
    },
  };
}

const header = "sec-websocket-protocol";

for (const [server, start] of targets) {
  describe(server, { concurrency: 8 }, () => {
    let app: Started;
    let port: number;
    before(async () => {
      app = await start();
      ({ port } = app);
    });
    after(() => app.close());

    for (const path of ["/versions", "/maybe"]) {
      for (const { name, offer, chosen } of cases) {
        test(`${path}: answers an offer as the vector demands: ${name}`, async () => {
          const answer = await ask(port, path, { ...handshake, [header]: offer });
          const expected = {
            status: typeof chosen === "string" ? 101 : 400,
            code:
              chosen === undefined ? "BAD_REQUEST" : chosen === null ? "UNSUPPORTED_SUBPROTOCOL" : undefined,
            chosen: chosen ?? undefined,
          };
          const { status, code, headers } = answer;
          assert.deepEqual({ status, code, chosen: headers[header] }, expected);
        });
      }
    }

    test("reads an offer in several headers as one list", async () => {
      const answer = await ask(port, "/versions", { ...handshake, [header]: ["chat.v3", "chat.v2"] });
      assert.equal(answer.headers[header], "chat.v2");
    });

    test("refuses a client without an offer only if the contract demands a subprotocol", async () => {
      const refused = await ask(port, "/versions", handshake);
      assert.deepEqual([refused.status, refused.code], [400, "UNSUPPORTED_SUBPROTOCOL"]);
      const accepted = await ask(port, "/maybe", handshake);
      assert.deepEqual([accepted.status, accepted.headers[header]], [101, undefined]);
    });

    test("ignores an offer if the contract names no subprotocols, unless the offer is malformed", async () => {
      const answer = await ask(port, "/unnamed", { ...handshake, [header]: "chat.v1" });
      assert.deepEqual([answer.status, answer.headers[header]], [101, undefined]);
      const refused = await ask(port, "/unnamed", { ...handshake, [header]: "a b" });
      assert.deepEqual([refused.status, refused.code], [400, "BAD_REQUEST"]);
    });

    test("gives the handler the chosen subprotocol", async () => {
      for (const [path, offered, expected] of [
        ["/versions", ["chat.v2", "chat.v1"], "chat.v2"],
        ["/maybe", ["chat.v1"], "chat.v1"],
        ["/maybe", [], "undefined"],
        ["/unnamed", [], "undefined"],
      ] as const) {
        const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...offered]);
        const [data] = await once(client, "message");
        assert.deepEqual(JSON.parse(String(data)), { text: expected });
        assert.equal(client.protocol, expected === "undefined" ? "" : expected);
        client.terminate();
      }
    });

    test("pings and compresses as the options of the route demand", async () => {
      const tuned = new WebSocket(`ws://127.0.0.1:${port}/tuned`);
      const other = new WebSocket(`ws://127.0.0.1:${port}/unnamed`);
      let pings = 0;
      other.on("ping", () => (pings += 1));
      await Promise.all([once(tuned, "open"), once(other, "open")]);
      assert.equal(tuned.extensions.includes("permessage-deflate"), true);
      assert.equal(other.extensions, "");
      await once(tuned, "ping");
      assert.equal(pings, 0);
      tuned.terminate();
      other.terminate();
    });

    test("closes with 1009 after a message above the limit of the route", async () => {
      const tuned = await SocketClient.open(port, "/tuned");
      tuned.send({ text: "x".repeat(1900) });
      await tuned.receive(2);
      tuned.send({ text: "x".repeat(2000) });
      assert.equal((await tuned.closed).code, 1009);
      const other = await SocketClient.open(port, "/unnamed");
      other.send({ text: "x".repeat(2000) });
      await other.receive(2);
      other.socket.terminate();
    });
  });
}

/** Creates an application whose only route, which accepts no WebSockets, has the given options. */
function create(on: object): unknown {
  return createApp({
    compiled: compiled(route("GET /plain", { response: responseOf("Plain", { text: "string" }) })),
    routes: [{ handlers: { "GET /plain": () => ({ text: "" }) }, on: { "GET /plain": on } }],
  } as unknown as AppOptions);
}

test("createApp refuses options of WebSockets for a route without WebSockets", { skip: isRust }, () => {
  assert.throws(() => create({ sockets: { pingMs: 50 } }), /sockets needs a route that accepts WebSockets/);
  assert.throws(() => create({ sockets: { pingms: 50 } }), /did you mean `pingMs`/);
  assert.throws(() => create({ sockets: { pingMs: 0 } }), /sockets\.pingMs` must be a whole number/);
  assert.throws(() => create({ sockets: { compression: 1 } }), /compression` must be true or false/);
});
