// Tests of the client's address behind proxies. The Rust server runs the same vectors.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { type AppOptions, createApp, type ForwardingHeader, type TrustProxy } from "@kit/core";

import { compileTrustProxy } from "../src/request/trust-proxy.ts";
import { responseOf, route } from "./support/compiled.ts";
import { growth } from "./support/growth.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { serve } from "./support/serve.ts";

interface Vector {
  readonly why?: string;
  readonly trust: {
    readonly proxies: boolean | number | readonly string[];
    readonly header?: ForwardingHeader;
  };
  readonly peer: string;
  readonly lines: readonly (readonly [name: string, value: string])[];
  readonly ip: string | null;
}

const { cases } = JSON.parse(
  readFileSync(new URL("../../../conformance/trust-proxy.json", import.meta.url), "utf8"),
) as { cases: readonly Vector[] };

/** Reads a header as servers do: the values of repeated lines are joined. */
function headersOf(lines: Vector["lines"]): (name: string) => string | undefined {
  return (name) => {
    const values = lines.filter(([known]) => known === name).map(([, value]) => value);
    return values.length === 0 ? undefined : values.join(", ");
  };
}

describe("ctx.ip", () => {
  it("equals the expected address of every conformance vector", () => {
    for (const vector of cases) {
      const { trust, peer, lines, ip } = vector;
      const isObject = trust.header !== undefined && typeof trust.proxies !== "boolean";
      const forms: TrustProxy[] = isObject ? [trust as TrustProxy] : [trust.proxies];
      if (!isObject && typeof trust.proxies !== "boolean") forms.push({ proxies: trust.proxies });
      for (const form of forms) {
        const found = compileTrustProxy(form)(peer, headersOf(lines));
        assert.equal(found, ip ?? "", JSON.stringify(vector));
      }
    }
    assert.ok(cases.length > 90);
  });

  it("is the client's address in handlers, or an empty string if the address is unknown", async () => {
    const whoami = route("GET /whoami", { response: responseOf("Ip", { ip: "string" }) });
    const { send } = await serve([[whoami, ({ ctx }) => ({ ip: ctx.ip })]], {
      trustProxy: { proxies: 1, header: "forwarded" },
    });
    const ipOf = async (headers: Readonly<Record<string, string>>): Promise<string> => {
      const { text } = await send("GET /whoami", { headers });
      return (JSON.parse(text!) as { ip: string }).ip;
    };
    // The address of the memory server's peer is 192.0.2.7, mapped to IPv6.
    assert.equal(await ipOf({}), "192.0.2.7");
    assert.equal(await ipOf({ "x-forwarded-for": "6.6.6.6" }), "192.0.2.7");
    assert.equal(await ipOf({ forwarded: "for=203.0.113.9", "x-forwarded-for": "6.6.6.6" }), "203.0.113.9");
    assert.equal(await ipOf({ forwarded: "for=_hidden" }), "");
  });

  it("does not depend on entries that a client sends before the entries of trusted proxies", () => {
    let state = 11;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >> 8) % below;
    };
    const pieces = [
      ...'",;=\\ \t:[]_%',
      ...'for=,for=6.6.6.6,for=",x=",10.0.0.1,127.0.0.1,unknown,::1,\u00e9,\u00a0,\u00ff,a'.split(","),
    ];
    const hostile = (): string =>
      Array.from({ length: random(12) }, () =>
        random(8) === 0 ? String.fromCharCode(1 + random(255)) : pieces[random(pieces.length)],
      ).join("");
    const addresses = ["203.0.113.9", "2001:db9::5"];
    for (let round = 0; round < 50_000; round += 1) {
      const header: ForwardingHeader = random(2) === 0 ? "forwarded" : "x-forwarded-for";
      const client = addresses[random(2)]!;
      const quoted = [`"${client}"`, `"[${client}]:4711"`][client.includes(":") ? 1 : 0]!;
      const entries =
        header === "x-forwarded-for"
          ? [client, "10.0.0.2"]
          : [[`for=${quoted};proto=https`, `by="a,\\"b";for=${quoted}`][random(2)]!, "for=10.0.0.2;by=_x"];
      // One or two proxies. Each appends to the last line or writes a line of its own.
      const count = 1 + random(2);
      const lines: [string, string][] = Array.from({ length: random(3) }, () => [header, hostile()]);
      const other = header === "forwarded" ? "x-forwarded-for" : "forwarded";
      if (random(2) === 0) lines.push([other, hostile()]);
      for (const entry of entries.slice(0, count)) {
        const last = lines.findLast(([name]) => name === header);
        if (last === undefined || random(2) === 0) lines.push([header, entry]);
        else last[1] = `${last[1]}${random(2) === 0 ? ", " : ","}${entry}`;
      }
      for (const proxies of [count, ["10.0.0.0/8"]]) {
        const found = compileTrustProxy({ proxies, header })("10.0.0.1", headersOf(lines));
        assert.equal(found, client, JSON.stringify({ proxies, lines }));
      }
    }
  });

  it("does not depend on the client's entries in the inputs of the Rust fuzz corpus", () => {
    const corpus = new URL("../../../fuzz/corpus/trust-proxy/", import.meta.url);
    const files = readdirSync(corpus);
    for (const file of files) {
      const [choice = 0, ...rest] = readFileSync(new URL(file, corpus));
      const sent = Buffer.from(rest.filter((byte) => ![0, 10, 13].includes(byte))).toString("latin1");
      const header: ForwardingHeader = (choice & 1) === 1 ? "forwarded" : "x-forwarded-for";
      for (const entry of ["203.0.113.9", '"203.0.113.9:4711"']) {
        const isQuoted = entry.startsWith('"');
        if (header === "x-forwarded-for" && isQuoted) continue;
        const text = `${sent},${header === "forwarded" ? "for=" : ""}${entry}`;
        for (const proxies of [1, ["10.0.0.0/8"]]) {
          const found = compileTrustProxy({ proxies, header })("10.0.0.1", () => text);
          assert.equal(found, "203.0.113.9", `${file}: ${JSON.stringify(text)}`);
        }
      }
    }
    assert.ok(files.length >= 10);
  });

  it("is determined in a time that is linear in the length of the header", () => {
    for (const header of ["forwarded", "x-forwarded-for"] as const) {
      const find = compileTrustProxy({ proxies: 1_000_000, header });
      const trustsAll = compileTrustProxy({ proxies: ["0.0.0.0/0", "::/0"], header });
      for (const piece of [
        '"',
        "\\",
        '\\"',
        ",",
        ";",
        " ",
        "for=1.1.1.1,",
        'for="1.1.1.1",',
        'x="\\',
        "for=a;",
        "[",
        "1:",
      ]) {
        const make = (size: number): string => piece.repeat(size / piece.length);
        for (const run of [find, trustsAll]) {
          const power = growth(make, (text) => run("10.0.0.1", () => text), 2 * 1024);
          assert.ok(power < 1.5, `${header} of ${piece}: the power of ${power.toFixed(2)}`);
        }
      }
    }
  });

  it("createApp refuses an invalid option trustProxy", () => {
    for (const trustProxy of [
      -1,
      1.5,
      "10.0.0.0/8",
      ["10.0.0.0/33"],
      ["10.0.0/8"],
      ["010.0.0.0/8"],
      ["10.0.0.0/0008"],
      ["10.0.0.0/+8"],
      ["10.0.0.0/8/8"],
      ["fe80::1%eth0/64"],
      ["local"],
      [5],
      {},
      { header: "forwarded" },
      { proxies: true },
      { proxies: "loopback" },
      { proxies: -1 },
      { proxies: ["local"] },
      { proxies: 1, header: "x-real-ip" },
      { proxies: 1, header: "Forwarded" },
      { proxies: 1, hops: 1 },
    ]) {
      assert.throws(
        () => createApp({ server: new MemoryServer(), routes: [], trustProxy } as unknown as AppOptions),
        /createApp: .*`trustProxy/,
        JSON.stringify(trustProxy),
      );
    }
  });
});
