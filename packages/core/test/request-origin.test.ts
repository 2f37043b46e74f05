// Tests of the application's origin behind proxies. The Rust server runs the same vectors.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import type { TrustProxy } from "@kit/core";
import type { ServerExchange } from "@kit/types";

import { RequestOrigin } from "../src/request/request-origin.ts";
import { compileTrustedOrigin } from "../src/request/trust-proxy.ts";
import { responseOf, route } from "./support/compiled.ts";
import { serve } from "./support/serve.ts";

interface Vector {
  readonly why: string;
  readonly trust: { readonly proxies: false | number | readonly string[] };
  readonly peer: string;
  readonly lines: readonly (readonly [name: string, value: string])[];
  readonly origin: string | null;
  readonly own: readonly string[];
  readonly foreign: readonly string[];
}

const file = new URL("../../../conformance/trusted-origin.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly Vector[] };

/** Returns a request with these parts. Servers join the values of repeated lines. */
function exchangeOf({ peer, lines }: Pick<Vector, "peer" | "lines">): ServerExchange {
  const header = (name: string): string | undefined => {
    const values = lines.filter(([known]) => known === name).map(([, value]) => value);
    return values.length === 0 ? undefined : values.join(", ");
  };
  return { remoteAddress: peer, header } as unknown as ServerExchange;
}

describe("ctx.origin", () => {
  for (const vector of cases) {
    it(`equals the origin of the vector: ${vector.why}`, () => {
      const { trust, origin, own, foreign } = vector;
      const option = trust.proxies === false ? false : (trust as TrustProxy);
      const found = new RequestOrigin(compileTrustedOrigin(option));
      const exchange = exchangeOf(vector);
      assert.equal(found.of(exchange), origin ?? "");
      for (const page of own) assert.equal(found.isOwn(page, exchange), true, page);
      for (const page of foreign) assert.equal(found.isOwn(page, exchange), false, page);
    });
  }

  it("has the scheme https if the connection has", () => {
    const exchange = { ...exchangeOf({ peer: "", lines: [["host", "a.example:443"]] }), scheme: "https" };
    assert.equal(new RequestOrigin(null).of(exchange as ServerExchange), "https://a.example");
  });

  it("is the reported origin in handlers, which the check of cross-site requests uses too", async () => {
    const origin = route("POST /origin", { response: responseOf("Origin", { origin: "string" }) });
    const { send } = await serve([[origin, ({ ctx }) => ({ origin: ctx.origin })]], {
      trustProxy: { proxies: 1, scheme: true, host: true },
      csrf: true,
    });
    const headers = {
      host: "internal:3000",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "shop.example",
    };
    const own = await send("POST /origin", { headers: { ...headers, origin: "https://shop.example" } });
    assert.deepEqual(JSON.parse(own.text!), { origin: "https://shop.example" });
    for (const foreign of ["http://shop.example", "http://internal:3000", "https://evil.example"]) {
      const { status } = await send("POST /origin", { headers: { ...headers, origin: foreign } });
      assert.equal(status, 403, foreign);
    }
  });
});
