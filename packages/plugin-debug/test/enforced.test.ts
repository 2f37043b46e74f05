// Tests that each option of access applies for each value of NODE_ENV, and that the defaults are safe for
// each value.

import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { afterEach, describe, it } from "node:test";

import type { DebugOptions } from "@kit/plugin-debug";
import { Guard } from "../src/access/guard.ts";
import { readDebugOptions } from "../src/options.ts";
import { errorOf, json, rawStatus, start, type WithSidecar } from "./support/sidecar.ts";

const apiKey = "a-key-of-more-than-16-characters";
const right = { "x-debug-key": apiKey };
const environments = [undefined, "", "development", "test", "production", "staging", "Production"] as const;
const modes: readonly (readonly [name: string, mode: DebugOptions])[] = [
  ["no mode", {}],
  ["mode dev", { mode: "dev" }],
  ["mode production", { mode: "production" }],
  ["production: false", { production: false }],
  ["production: true", { production: true }],
];

const before = process.env["NODE_ENV"];
const setEnvironment = (value: string | undefined): void => {
  if (value === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = value;
};

let app: WithSidecar | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
  setEnvironment(before);
});
async function startIn(environment: string | undefined, options: DebugOptions): Promise<WithSidecar> {
  setEnvironment(environment);
  app = await start(options);
  return app;
}

for (const environment of environments) {
  for (const [name, mode] of modes) {
    describe(`the sidecar with NODE_ENV ${environment === undefined ? "unset" : JSON.stringify(environment)} and ${name}`, () => {
      it("requires the key of the option apiKey, under both names of the option", async () => {
        for (const given of [{ apiKey }, { security: { apiKey } }]) {
          const { get, close } = await startIn(environment, { ...mode, ...given });
          assert.equal((await get("/_debug/health")).status, 401);
          assert.equal((await get("/_debug/health", { "x-debug-key": `${apiKey}x` })).status, 401);
          assert.equal((await get("/_debug/health", right)).status, 200);
          await close();
        }
      });

      it("refuses addresses outside of the option allowlist, under both names of the option", async () => {
        for (const given of [
          { apiKey, allowedIPs: ["203.0.113.7"] },
          { security: { apiKey, allowlist: ["203.0.113.7"] } },
        ]) {
          const { get, close } = await startIn(environment, { ...mode, ...given });
          const answer = await get("/_debug/health", right);
          assert.equal(answer.status, 403);
          assert.match(errorOf(answer).message, /not in the allowlist/);
          await close();
        }
      });

      it("enforces the option rateLimit, under both names of the option", async () => {
        for (const given of [
          { apiKey, rateLimit: { max: 2, windowMs: 3_600_000 } },
          { security: { apiKey, rateLimit: 2, rateLimitWindow: 3_600_000 } },
        ]) {
          const { get, close } = await startIn(environment, { ...mode, ...given });
          const statuses: number[] = [];
          for (let count = 0; count < 3; count += 1)
            statuses.push((await get("/_debug/health", right)).status);
          assert.deepEqual(statuses, [200, 200, 429]);
          await close();
        }
      });

      it("hides credentials and the properties of the option redact, under both names of the option", async () => {
        for (const given of [
          { apiKey, redactFields: ["name"] },
          { security: { apiKey, redact: ["name"] } },
        ]) {
          const { get, send, close } = await startIn(environment, { ...mode, ...given });
          const body = json({ name: "hidden-name", password: "hidden-password", pin: "hidden-pin" });
          const headers = {
            ...body.headers,
            authorization: "Bearer hidden-authorization",
            cookie: "session=hidden-cookie",
            "x-api-key": "hidden-api-key",
          };
          await send("POST /things?token=hidden-query", { ...body, headers });
          for (const path of ["requests", "errors", "logs?level=trace", "spans", "traces", "feed"]) {
            const answer = await get(`/_debug/${path}`, right);
            assert.equal(answer.status, 200);
            assert.doesNotMatch(answer.text, /hidden-/, path);
          }
          await close();
        }
      });

      it("does not start without a key of 16 characters on an address that other machines can reach", () => {
        setEnvironment(environment);
        for (const hostname of ["0.0.0.0", "::", "192.0.2.1", "debug.internal", "127.1.example", "0"]) {
          for (const key of [undefined, "k".repeat(15)]) {
            const security = { hostname, ...(key !== undefined && { apiKey: key }) };
            assert.throws(
              () => readDebugOptions({ ...mode, security }),
              /needs a key|at least 16 characters/,
              `${hostname} ${key}`,
            );
          }
          const { access } = readDebugOptions({ ...mode, security: { hostname, apiKey: "k".repeat(16) } });
          assert.equal(access.hostname, hostname);
        }
      });

      it("listens on 127.0.0.1 by default", async () => {
        const { plugin } = await startIn(environment, { ...mode, apiKey });
        assert.equal(plugin.address?.host, "127.0.0.1");
      });
    });
  }

  it(`serves only this machine if no key is set: NODE_ENV ${environment}`, () => {
    setEnvironment(environment);
    if (environment === "production") {
      assert.throws(() => readDebugOptions({}), /production needs a key/);
      return;
    }
    const guard = new Guard(readDebugOptions({}).access);
    const status = (remoteAddress: string, ...more: string[]): number =>
      guard.refuse({ method: "GET", remoteAddress, rawHeaders: ["Host", "localhost:9800", ...more] }, 0)
        ?.status ?? 200;
    for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
      assert.equal(status(address), 200, address);
    for (const address of ["10.0.0.1", "192.0.2.1", "fd00::1", "::ffff:10.0.0.1", "fe80::1%lo", ""])
      assert.equal(status(address), 403, address);
    // A proxy on this machine forwards requests of other clients.
    assert.equal(status("127.0.0.1", "X-Forwarded-For", "127.0.0.1"), 403);
    assert.equal(status("127.0.0.1", "Forwarded", "for=127.0.0.1"), 403);
    assert.equal(status("127.0.0.1", "Via", "1.1 proxy"), 403);
  });

  it(`shows locations in source files in development only: NODE_ENV ${environment}`, () => {
    setEnvironment(environment);
    const { isProduction, errorFields } = readDebugOptions({ apiKey });
    assert.deepEqual(
      [isProduction, errorFields],
      environment === "development" ? [false, "all"] : [true, "public"],
    );
  });
}

describe("the sidecar in the network of this machine", () => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4")?.address;

  it("listens at no other address of this machine by default", async (t) => {
    if (outside === undefined) return t.skip("this machine has no address but loopback");
    const { port } = await startIn(undefined, {});
    await assert.rejects(fetch(`http://${outside}:${port}/_debug/health`));
  });

  it("serves clients at another address if the hostname option permits it and the key is right", async (t) => {
    if (outside === undefined) return t.skip("this machine has no address but loopback");
    const { port } = await startIn("development", { security: { hostname: "0.0.0.0", apiKey } });
    const url = `http://${outside}:${port}/_debug/health`;
    assert.equal((await fetch(url)).status, 401);
    assert.equal((await fetch(url, { headers: right })).status, 200);
  });

  it("refuses a request whose host name resolves to loopback", async () => {
    const { port } = await startIn("development", {});
    assert.equal(await rawStatus(port, [`Host: rebound.example:${port}`]), 403);
    assert.equal(await rawStatus(port, [`Host: localhost:${port}`]), 200);
    assert.equal(await rawStatus(port, [`Host: localhost:${port}`, "Origin: http://rebound.example"]), 403);
  });
});
