// Origin of the application behind proxies, on every server over real connections.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { type AppOptions, createApp } from "@kit/core";

import { compiled, objectOf, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { ask, handshake } from "./socket-client.ts";

quietStdout();

/** Application that runs on a server. */
interface Started {
  readonly port: number;
  close(): Promise<void>;
}

const messages = { in: objectOf("In", { text: "string" }), out: responseOf("Out", { text: "string" }) };

function options(trustProxy: AppOptions["trustProxy"]): Omit<AppOptions, "server"> {
  return {
    compiled: compiled(route("WS /unnamed", { status: 101, socket: messages } as never)),
    routes: [{ handlers: { "WS /unnamed": () => undefined } }],
    trustProxy,
    env: "development",
    logging: { level: "fatal" },
  } as unknown as Omit<AppOptions, "server">;
}

async function startOnRust(variables: Readonly<Record<string, string>>): Promise<Started> {
  const settings = { bodyBytes: 64 * 1024 };
  const program = await startRust("rust-server", settings, "development", {
    LOG_LEVEL: "fatal",
    ...variables,
  });
  return {
    port: program.port,
    close: async () => {
      await program.stop!();
    },
  };
}

type Start = (
  trustProxy: NonNullable<AppOptions["trustProxy"]>,
  variables: Record<string, string>,
) => Promise<Started>;

const targets: readonly [name: string, start: Start][] = isRust
  ? [["rust", (_option, variables) => startOnRust(variables)]]
  : servers.map(([name, make]) => [
      name,
      async (trustProxy) => {
        const app = createApp({ ...options(trustProxy), server: make() } as AppOptions);
        const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
        return { port, close: () => app.close({ graceMs: 1000 }) };
      },
    ]);

const reported = {
  ...handshake,
  host: "internal:3000",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "shop.example",
};
const standard = {
  ...handshake,
  host: "internal:3000",
  forwarded: "for=203.0.113.9;proto=https;host=shop.example",
};

for (const [server, start] of targets) {
  describe(server, () => {
    describe("with trusted X-Forwarded-Proto and X-Forwarded-Host", () => {
      let app: Started;
      before(async () => {
        app = await start(
          { proxies: 1, scheme: true, host: true },
          { TRUST_PROXY: "1", TRUST_PROXY_SCHEME: "true", TRUST_PROXY_HOST: "true" },
        );
      });
      after(() => app.close());

      test("accepts WebSockets of pages of the reported origin only", async () => {
        for (const [origin, status] of [
          ["https://shop.example", 101],
          ["http://shop.example", 403],
          ["https://internal:3000", 403],
          ["http://internal:3000", 403],
          ["null", 403],
        ] as const) {
          assert.equal((await ask(app.port, "/unnamed", { ...reported, origin })).status, status, origin);
        }
      });

      test("refuses pages if the report is malformed", async () => {
        for (const changed of [{ "x-forwarded-proto": "gopher" }, { "x-forwarded-host": "shop.example/" }]) {
          const headers = { ...reported, ...changed, origin: "https://shop.example" };
          assert.equal((await ask(app.port, "/unnamed", headers)).status, 403, JSON.stringify(changed));
        }
      });

      test("accepts programs, which send no origin", async () => {
        assert.equal((await ask(app.port, "/unnamed", reported)).status, 101);
      });
    });

    test("reads Forwarded if this header is trusted", async () => {
      const app = await start(
        { proxies: ["loopback"], header: "forwarded", scheme: true, host: true },
        {
          TRUST_PROXY: "loopback",
          TRUST_PROXY_HEADER: "forwarded",
          TRUST_PROXY_SCHEME: "true",
          TRUST_PROXY_HOST: "true",
        },
      );
      const own = { ...standard, origin: "https://shop.example" };
      assert.equal((await ask(app.port, "/unnamed", own)).status, 101);
      const foreign = { ...reported, origin: "https://shop.example" };
      assert.equal((await ask(app.port, "/unnamed", foreign)).status, 403);
      await app.close();
    });

    test("ignores reports unless they are trusted", async () => {
      const app = await start({ proxies: 1 }, { TRUST_PROXY: "1" });
      const foreign = { ...reported, origin: "https://shop.example" };
      assert.equal((await ask(app.port, "/unnamed", foreign)).status, 403);
      const own = { ...reported, origin: "https://internal:3000" };
      assert.equal((await ask(app.port, "/unnamed", own)).status, 101);
      await app.close();
    });
  });
}
