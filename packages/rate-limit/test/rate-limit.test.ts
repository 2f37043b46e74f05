import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { rateLimit, type LimitStore, memoryLimits, type RateLimitOptions } from "@kit/rate-limit";
import type { MiddlewareInput } from "@kit/core";

import { codeOf, start, type Running } from "../../auth/test/support/application.ts";

/** Starts an application with limits of its only route. */
function limited(...limits: readonly RateLimitOptions[]): Promise<Running> {
  return start(
    { "GET /": () => ({ text: "ok" }) },
    {
      trustProxy: 1,
      middleware: limits.map((options, index) => ({
        name: `limit${index}`,
        middleware: rateLimit(options),
        priority: index,
      })),
    },
  );
}

/** Returns the bytes of all objects that are in use. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Sends a request as a client with an address. Returns the status. */
async function statusFrom(app: Running, ip: string, headers: Record<string, string> = {}): Promise<number> {
  return (await app.send("/", { headers: { "x-forwarded-for": ip, ...headers } })).status;
}

describe("rateLimit", () => {
  it("answers 429 with Retry-After above the limit, and counts each address separately", async () => {
    await using app = await limited({ limit: "2/min" });
    assert.deepEqual([await statusFrom(app, "192.0.2.1"), await statusFrom(app, "192.0.2.1")], [200, 200]);
    const refused = await app.send("/", { headers: { "x-forwarded-for": "192.0.2.1" } });
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get("retry-after") ?? "", /^(59|60)$/);
    assert.equal(await codeOf(refused), "RATE_LIMITED");
    assert.equal(await statusFrom(app, "192.0.2.2"), 200);
  });

  it("sends the headers of the draft with each response", async () => {
    await using app = await limited({ limit: "5/10s", name: "burst" }, { limit: "100/hour" });
    const { headers } = await app.send("/", { headers: { "x-forwarded-for": "192.0.2.1" } });
    assert.equal(headers.get("ratelimit-policy"), '"burst";q=5;w=10, "100/hour";q=100;w=3600');
    assert.match(headers.get("ratelimit") ?? "", /^"burst";r=4;t=10, "100\/hour";r=99;t=3600$/);
  });

  it("begins a new window after the end of the old one", async () => {
    await using app = await limited({ limit: "1/1s" });
    assert.deepEqual([await statusFrom(app, "192.0.2.1"), await statusFrom(app, "192.0.2.1")], [200, 429]);
    await new Promise((resolve) => setTimeout(resolve, 1050));
    assert.equal(await statusFrom(app, "192.0.2.1"), 200);
  });

  it("counts an IPv6 network of 64 bits as one client", async () => {
    await using app = await limited({ limit: "1/min" });
    assert.equal(await statusFrom(app, "2001:db8:0:1::1"), 200);
    assert.equal(await statusFrom(app, "2001:db8:0:1:ffff:ffff:ffff:ffff"), 429);
    assert.equal(await statusFrom(app, "2001:db8::1:0:0:192.0.2.1"), 429);
    assert.equal(await statusFrom(app, "2001:db8:0:2::1"), 200);
    assert.equal(await statusFrom(app, "2001:0db8:0000:0002::2"), 429);
  });

  it("lets all clients without a known address share one limit, and logs this once", async () => {
    await using app = await limited({ limit: "2/min" });
    assert.deepEqual([await statusFrom(app, "unknown"), await statusFrom(app, "unknown")], [200, 200]);
    assert.equal(await statusFrom(app, "_hidden"), 429);
    assert.equal(app.log.filter(({ message }) => message.includes("addresses of some clients")).length, 1);
  });

  it("counts by a header, and by the address if a request has no such header", async () => {
    await using app = await limited({ limit: "1/min", by: "header X-Api-Key" });
    assert.equal(await statusFrom(app, "192.0.2.1", { "x-api-key": "a" }), 200);
    assert.equal(await statusFrom(app, "192.0.2.2", { "x-api-key": "a" }), 429);
    assert.equal(await statusFrom(app, "192.0.2.1", { "x-api-key": "b" }), 200);
    assert.equal(await statusFrom(app, "192.0.2.1"), 200);
    assert.equal(await statusFrom(app, "192.0.2.1", { "x-api-key": "" }), 429);
  });

  it("counts by the authenticated caller, and by the result of a function", async () => {
    const auth = {
      name: "auth",
      middleware: ({ headers }: MiddlewareInput) => ({ auth: { subject: headers["x-user"] } }),
      priority: -1,
    };
    for (const by of ["auth.subject", ({ headers }: MiddlewareInput) => headers["x-user"]] as const) {
      // oxlint-disable-next-line no-await-in-loop -- each application is tested for itself
      await using app = await start(
        { "GET /": () => ({ text: "ok" }) },
        {
          trustProxy: 1,
          middleware: [auth, { name: "limit", middleware: rateLimit({ limit: "1/min", by }), priority: 0 }],
        },
      );
      const from = (ip: string, user: string): Promise<number> => statusFrom(app, ip, { "x-user": user });
      // oxlint-disable-next-line no-await-in-loop
      const statuses = [
        await from("192.0.2.1", "ada"),
        await from("192.0.2.2", "ada"),
        await from("192.0.2.1", "bob"),
      ];
      assert.deepEqual(statuses, [200, 429, 200]);
    }
  });

  it("refuses invalid options with a message that shows a valid one", () => {
    const invalid: readonly (readonly [unknown, RegExp])[] = [
      [{ limit: "100" }, /such as "100\/min"/],
      [{ limit: "0/min" }, /not "0\/min"/],
      [{ limit: "1/32day" }, /up to 31 days/],
      [{ limit: "1.5/min" }, /not "1.5\/min"/],
      [{ limit: "1/min", by: "user" }, /such as "auth\.subject"/],
      [{ limit: "1/min", by: "header a b" }, /not "header a b"/],
      [{ limit: "1/min", by: "auth." }, /not "auth\."/],
      [{ limit: "1/min", name: 'a"b' }, /`name` must have/],
      [{ limit: "1/min", ifStoreFails: "ignore" }, /memory, refuse or allow/],
      [{ limit: "1/min", bye: "ip" }, /no option `bye`; the options are limit, by/],
    ];
    for (const [options, message] of invalid) {
      assert.throws(() => rateLimit(options as RateLimitOptions), { name: "TypeError", message });
    }
  });
});

describe("memoryLimits", () => {
  it("removes the client with the oldest window if there are too many clients", () => {
    const store = memoryLimits({ maxClients: 1000 });
    const count = (client: string): number => {
      const found = store.count(client, 60_000);
      assert.ok(!(found instanceof Promise));
      return found.count;
    };
    for (let client = 0; client < 1000; client += 1) count(`client ${client}`);
    assert.equal(count("client 0"), 2);
    count("one more");
    assert.equal(count("client 0"), 1);
    assert.equal(count("client 999"), 2);
  });

  it("needs at most 40 MiB for a million clients", () => {
    const store = memoryLimits();
    const before = heapBytes();
    for (let client = 0; client < 1_000_000; client += 1) void store.count(`client ${client}`, 60_000);
    const grown = (heapBytes() - before) / 2 ** 20;
    assert.ok(grown < 40, `${grown} MiB`);
    // The store is still in use.
    const found = store.count("client 0", 60_000);
    assert.ok(!(found instanceof Promise) && found.count === 1);
  });

  it("refuses to run in one of several workers unless each worker may have its own count", () => {
    Reflect.set(globalThis, Symbol.for("kit.worker"), 1);
    try {
      assert.throws(() => rateLimit({ limit: "1/min" }), /one of several workers/);
      rateLimit({ limit: "1/min", store: memoryLimits({ perProcess: true }) });
    } finally {
      Reflect.deleteProperty(globalThis, Symbol.for("kit.worker"));
    }
  });
});

describe("a store that fails", () => {
  const broken: LimitStore = { count: () => Promise.reject(new Error("connection refused")) };

  it("is replaced by counts in the memory of the process, which is logged once", async () => {
    await using app = await limited({ limit: "2/min", store: broken });
    const statuses = [];
    // oxlint-disable-next-line no-await-in-loop -- the requests are counted one after the other
    for (let index = 0; index < 4; index += 1) statuses.push(await statusFrom(app, "192.0.2.1"));
    assert.deepEqual(statuses, [200, 200, 429, 429]);
    assert.equal(app.log.filter(({ level }) => level === "error" || level === "warn").length, 3);
  });

  it("leads to 503 with Retry-After if `ifStoreFails` is refuse", async () => {
    await using app = await limited({ limit: "2/min", store: broken, ifStoreFails: "refuse" });
    for (let index = 0; index < 2; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- the second request does not ask the store
      const refused = await app.send("/");
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
    }
  });

  it("lets all requests through if `ifStoreFails` is allow", async () => {
    await using app = await limited({ limit: "1/min", store: broken, ifStoreFails: "allow" });
    assert.deepEqual([await statusFrom(app, "192.0.2.1"), await statusFrom(app, "192.0.2.1")], [200, 200]);
  });
});
