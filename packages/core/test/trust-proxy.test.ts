import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type AppOptions, createApp, type TrustProxy } from "@kit/core";
import { responseOf, route } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { serve } from "./support/serve.ts";

const whoami = route("GET /whoami", { response: responseOf("Ip", { ip: "string" }) });

/** The memory server's peer is 192.0.2.7, mapped to IPv6. */
async function ipOf(trustProxy: TrustProxy | undefined, headers: Readonly<Record<string, string>>) {
  const { send } = await serve(
    [[whoami, ({ ctx }) => ({ ip: ctx.ip })]],
    trustProxy === undefined ? {} : { trustProxy },
  );
  const { text } = await send("GET /whoami", { headers });
  return (JSON.parse(text!) as { ip: string }).ip;
}

const xff = (value: string): Record<string, string> => ({ "x-forwarded-for": value });
const forwarded = (value: string): Record<string, string> => ({ forwarded: value });

describe("ctx.ip", () => {
  it("is the peer where no proxy is trusted, whatever is sent", async () => {
    for (const trust of [undefined, false, 0, [], ["10.0.0.0/8"]] as const) {
      assert.equal(await ipOf(trust, xff("203.0.113.9")), "192.0.2.7");
      assert.equal(await ipOf(trust, forwarded("for=203.0.113.9")), "192.0.2.7");
    }
  });

  const cases: [trust: TrustProxy, headers: Record<string, string>, ip: string][] = [
    // What the client made up stands left of what the proxy saw.
    [1, xff("127.0.0.1, 203.0.113.9"), "203.0.113.9"],
    [2, xff("127.0.0.1, 203.0.113.9, 10.0.0.2"), "203.0.113.9"],
    [2, xff("203.0.113.9"), "203.0.113.9"],
    [1, {}, "192.0.2.7"],
    [true, xff("203.0.113.9, 10.0.0.2"), "203.0.113.9"],
    [["192.0.2.0/24"], xff("6.6.6.6, 203.0.113.9"), "203.0.113.9"],
    [["192.0.2.7", "10.0.0.0/8"], xff("6.6.6.6,203.0.113.9 ,10.1.2.3"), "203.0.113.9"],
    [["192.0.2.7", "uniquelocal"], xff("10.0.0.9, 10.1.2.3"), "10.0.0.9"],
    [["192.0.2.7", "2001:db8::/32"], xff("2001:db9::5, 2001:db8::1"), "2001:db9::5"],
    // Mapped addresses are the same addresses.
    [["192.0.2.7", "10.0.0.0/8"], xff("203.0.113.9, ::ffff:10.0.0.1"), "203.0.113.9"],
    // Ports, as some proxies write them.
    [1, xff("203.0.113.9:4711"), "203.0.113.9"],
    [1, xff("[2001:db9::5]:4711"), "2001:db9::5"],
    [1, xff("2001:db9::5"), "2001:db9::5"],
    // What is no address is not passed on, and nothing beyond it is believed.
    [true, xff("203.0.113.9, unknown"), "192.0.2.7"],
    [true, xff("1.2.3.4, <script>, 203.0.113.9"), "203.0.113.9"],
    [true, xff(""), "192.0.2.7"],
    [true, xff("fe80::1%eth0"), "192.0.2.7"],
    [1, forwarded("for=6.6.6.6;proto=https, For=203.0.113.9;by=10.0.0.1"), "203.0.113.9"],
    [1, forwarded('for="[2001:db9::5]:4711"'), "2001:db9::5"],
    [1, forwarded('for="a,for=1.1.1.1", by="x;for=2.2.2.2";for=203.0.113.9'), "203.0.113.9"],
    [1, forwarded("for=203.0.113.9, proto=https"), "192.0.2.7"],
    [1, forwarded("for=_hidden"), "192.0.2.7"],
    // A client that sends the header which its proxy does not write.
    [1, { ...xff("6.6.6.6"), ...forwarded("for=203.0.113.9") }, "192.0.2.7"],
    [1, { ...xff("203.0.113.9"), ...forwarded("for=203.0.113.9") }, "203.0.113.9"],
  ];
  it("is what trusted proxies say, read from the right", async () => {
    for (const [trust, headers, ip] of cases) {
      assert.equal(await ipOf(trust, headers), ip, `${JSON.stringify(trust)} ${JSON.stringify(headers)}`);
    }
  });

  it("refuses an option that would trust something else than it says", () => {
    for (const trustProxy of [-1, 1.5, "10.0.0.0/8", ["10.0.0.0/33"], ["10.0.0/8"], ["local"], [5]]) {
      assert.throws(
        () => createApp({ server: new MemoryServer(), routes: [], trustProxy } as unknown as AppOptions),
        /createApp: `trustProxy`/,
      );
    }
  });
});
