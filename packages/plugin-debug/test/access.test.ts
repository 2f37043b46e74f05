// Tests that only permitted clients get data from the sidecar, in development and in production, including
// attacks.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";

import { readAllowlist } from "../src/access/allowlist.ts";
import { Guard } from "../src/access/guard.ts";
import { RateLimiter } from "../src/access/rate-limit.ts";
import { readDebugOptions } from "../src/options.ts";
import {
  sendRequest,
  type RequestOptions,
  errorOf,
  json,
  rawStatus,
  start,
  type WithSidecar,
} from "./support/sidecar.ts";

const apiKey = "correct-horse-battery-staple";
const right = { "X-Debug-Key": apiKey };

describe("the sidecar in development", () => {
  let app: WithSidecar;
  before(async () => {
    app = await start({ mode: "dev" });
  });
  after(() => app.close());

  it("requires no key and limits no rate by default", async () => {
    for (let count = 0; count < 300; count += 1) await app.ok("/_debug/server");
  });

  it("shows headers and bodies of requests, without credentials", async () => {
    const { headers, ...sent } = json({ name: "a", password: "hunter2" });
    await app.send("POST /things", { ...sent, headers: { ...headers, authorization: "Bearer s3cr3t" } });
    const { requests } = await app.ok<{
      requests: { received: { body: string; headers: Record<string, string> } }[];
    }>("/_debug/requests");
    const { received } = requests[0]!;
    assert.deepEqual(JSON.parse(received.body), { name: "a", password: "[redacted]" });
    assert.equal(received.headers["authorization"], "[redacted]");
    assert.equal(received.headers["content-type"], "application/json");
    await app.send("GET /things/7?token=abc");
    const { logs } = await app.ok<{ logs: { message: string; data: unknown }[] }>("/_debug/logs");
    const entry = logs.find(({ message }) => message === "Thing read");
    assert.deepEqual(entry!.data, { id: "7", password: "[redacted]", apiSecret: "s3cr3t" });
  });

  it("hides sensitive properties", async () => {
    await app.send("POST /things", json({ name: "a", pin: "secret-pin" }));
    await app.send("POST /things", json({ name: "a", pin: 47_114_711_471_147 }));
    await app.send("POST /things", json('{"name":"a","pin":"secret-pin"'));
    for (const path of ["/_debug/requests", "/_debug/errors", "/_debug/logs", "/_debug/spans"])
      assert.doesNotMatch((await app.get(path)).text, /secret-pin|47114711471147/, path);
  });
});

describe("the sidecar in production", () => {
  let app: WithSidecar;
  before(async () => {
    app = await start({
      mode: "production",
      apiKey,
      allowedIPs: ["127.0.0.0/8", "::1"],
      redactFields: ["apiSecret", "*.id"],
      rateLimit: { windowMs: 3_600_000, max: 100_000 },
    });
  });
  after(() => app.close());

  it("listens on the address 127.0.0.1 only", async () => {
    assert.equal(readDebugOptions({ mode: "production", apiKey }).access.hostname, "127.0.0.1");
    // No program listens on this port at another address of this machine.
    const other = connect(app.port, "127.0.0.2");
    const code = await new Promise((resolve) => {
      other.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      other.on("connect", () => resolve("connected"));
    });
    other.destroy();
    assert.equal(code, "ECONNREFUSED");
  });

  it("requires a key for every path, including paths that do not exist", async () => {
    for (const path of [
      "/",
      "/_debug/health",
      "/_debug/requests",
      "/_debug/schema/Thing",
      "/nowhere",
      "/../etc",
    ]) {
      const answer = await app.get(path);
      assert.equal(answer.status, 401, path);
      assert.deepEqual(errorOf(answer), {
        code: "UNAUTHORIZED",
        message: "the header X-Debug-Key is missing",
      });
      assert.notEqual((await app.get(path, right)).status, 401, path);
    }
  });

  for (const key of [
    "",
    "x",
    apiKey.slice(1),
    apiKey.slice(0, -1),
    `${apiKey}x`,
    apiKey.toUpperCase(),
    `"${apiKey}"`,
    `Bearer ${apiKey}`,
    "k".repeat(8_000),
    "\xe9\xff",
  ]) {
    it(`refuses a wrong key of ${key.length} characters`, async () => {
      const answer = await app.get("/_debug/health", { "x-debug-key": key });
      assert.equal(answer.status, 401);
      assert.equal(
        errorOf(answer).message,
        "the header X-Debug-Key must contain the `apiKey` of the debug plugin",
      );
      assert.ok(key === "" || !answer.text.includes(key));
    });
  }

  it("refuses a request with two keys, and a key in the query or in another header", async () => {
    const twice = await sendRequest(app.port, "/_debug/health", {
      headers: { "x-debug-key": [apiKey, apiKey] },
    });
    assert.equal(twice.status, 401);
    assert.equal((await app.get(`/_debug/health?X-Debug-Key=${apiKey}`)).status, 401);
    assert.equal((await app.get("/_debug/health", { authorization: `Bearer ${apiKey}` })).status, 401);
  });

  it("refuses all methods except GET and HEAD", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const answer = await sendRequest(app.port, "/_debug/errors", {
        method,
        headers: right,
        body: "x".repeat(100_000),
      });
      assert.equal(answer.status, 405, method);
      assert.equal(answer.headers["allow"], "GET, HEAD");
    }
    const head = await sendRequest(app.port, "/_debug/health", { method: "HEAD", headers: right });
    assert.deepEqual([head.status, head.text], [200, ""]);
  });

  it("shows no secret in any of its responses", async () => {
    const secrets = {
      authorization: "Bearer secret-authorization",
      cookie: "session=secret-cookie",
      "x-api-key": "secret-api-key",
    };
    await app.send("GET /things/secret-id?token=secret-query", { headers: secrets });
    const body = json({ name: "n", password: "secret-password", pin: "secret-pin" });
    await app.send("POST /things", { ...body, headers: { ...body.headers, ...secrets } });
    await app.send(
      "POST /things",
      json({ name: 1, password: ["secret-failed"], pin: ["secret-failed-pin"] }),
    );
    // The message of a validation error contains the received value.
    await app.send(
      "POST /things",
      json({ name: "n", password: 47_114_711_471_147, pin: 47_114_711_471_147 }),
    );
    await app.send("GET /things/broken?token=secret-query");
    for (const path of ["requests?limit=50", "errors", "logs?level=trace", "spans", "traces"]) {
      const { text, status } = await app.get(`/_debug/${path}`, right);
      assert.equal(status, 200);
      assert.doesNotMatch(text, /secret-|hunter2|s3cr3t|47114711471147/, path);
    }
    const { requests } = (await app.get("/_debug/requests?limit=1", right)).body as {
      requests: { received: unknown; requestId: string; target: string }[];
    };
    assert.equal(requests[0]!.received, null);
    assert.match(requests[0]!.target, /token=\[redacted\]/);
    const one = await app.get(`/_debug/requests/${requests[0]!.requestId}`, right);
    assert.doesNotMatch(one.text, /secret-/);
  });

  it("does not believe headers in which a client claims another address", async () => {
    const strict = await start({ production: true, security: { apiKey, allowlist: ["203.0.113.7"] } });
    for (const header of [
      "X-Forwarded-For",
      "X-Real-IP",
      "Forwarded",
      "True-Client-IP",
      "CF-Connecting-IP",
    ]) {
      const value = header === "Forwarded" ? "for=203.0.113.7" : "203.0.113.7";
      const answer = await strict.get("/_debug/health", { ...right, [header]: value });
      assert.equal(answer.status, 403, header);
      assert.match(errorOf(answer).message, /not in the allowlist/);
    }
    await strict.close();
  });

  it("limits the requests of each address before it checks the key", async () => {
    const limited = await start({ production: true, apiKey, rateLimit: { max: 3, windowMs: 3_600_000 } });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const headers = { "x-forwarded-for": `192.0.2.${count}`, ...(count === 2 ? {} : right) };
      const answer = await limited.get("/_debug/health", headers);
      statuses.push(answer.status);
      if (answer.status !== 429) continue;
      const seconds = Number(answer.headers["retry-after"]);
      assert.ok(seconds > 3_000 && seconds <= 3_600, String(seconds));
      assert.equal(errorOf(answer).code, "TOO_MANY_REQUESTS");
    }
    assert.deepEqual(statuses, [200, 200, 401, 429, 429]);
    await limited.close();
  });
});

describe("pages of other sites", () => {
  let app: WithSidecar;
  before(async () => {
    app = await start({ security: { hostname: "localhost" } });
  });
  after(() => app.close());
  /** Returns the status of a request that has exactly these header lines. */
  const asHost = (...lines: string[]): Promise<number> => rawStatus(app.port, lines);
  const statusWith = (headers: RequestOptions["headers"]): Promise<number> =>
    sendRequest(app.port, "/_debug/health", { headers: headers! }).then(({ status }) => status);

  it("are refused if their host name resolves to this machine", async () => {
    for (const host of [
      "attacker.example",
      `attacker.example:${app.port}`,
      "127.0.0.1.attacker.example",
      "localhost.attacker.example",
      "localhost@attacker.example",
      "127.0.0.1:80:80",
      "[::1]attacker.example",
      "2130706433",
      "0x7f.1",
      "",
    ])
      assert.equal(await asHost(`Host: ${host}`), 403, host);
    assert.equal(await asHost(), 403);
    assert.equal(await asHost("Host: localhost", "Host: localhost"), 403);
    for (const host of ["127.0.0.1", `127.0.0.1:${app.port}`, "LOCALHOST:1", "[::1]:9800", "10.1.2.3"])
      assert.equal(await asHost(`Host: ${host}`), 200, host);
  });

  it("may use the configured host name but no other name", async () => {
    const access = readDebugOptions({
      security: { hostname: "debug.internal", apiKey },
    }).access;
    const guard = new Guard(access);
    const from = (host: string): number =>
      guard.refuse(
        {
          method: "GET",
          remoteAddress: "10.0.0.1",
          rawHeaders: ["Host", host, "X-Debug-Key", apiKey],
        },
        0,
      )?.status ?? 200;
    assert.deepEqual(
      ["debug.internal:9800", "Debug.Internal", "x.debug.internal"].map(from),
      [200, 200, 403],
    );
  });

  it("are refused if their origin differs, and no CORS header lets them read responses", async () => {
    const host = `localhost:${app.port}`;
    for (const origin of [
      "http://attacker.example",
      "null",
      "https://localhost",
      "http://localhost:1",
      "file://",
    ]) {
      assert.equal(await statusWith({ host, origin }), 403, origin);
    }
    assert.equal(await statusWith({ host, origin: `http://${host}` }), 200);
    assert.equal(
      await statusWith({ host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }),
      403,
    );
    assert.equal(await statusWith({ host, "sec-fetch-site": "same-origin" }), 200);
    const { headers } = await app.get("/_debug/health");
    const names = Object.keys(headers).filter((name) => name.startsWith("access-control"));
    assert.deepEqual(names, []);
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    assert.equal(headers["cache-control"], "no-store");
  });

  it("cannot use the sidecar as a proxy, and cannot open a WebSocket", async () => {
    assert.equal((await app.get("http://attacker.example/_debug/health")).status, 400);
    assert.equal((await app.get("//attacker.example/_debug/health")).status, 404);
    await assert.rejects(app.get("/", { connection: "upgrade", upgrade: "websocket" }));
  });
});

describe("the allowlist", () => {
  const cases: [entry: string, inside: string[], outside: string[]][] = [
    [
      "10.0.0.0/8",
      ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3", "::ffff:a01:203", "0:0:0:0:0:ffff:10.1.2.3"],
      ["11.0.0.0", "9.255.255.255", "::ffff:11.0.0.1", "::10.1.2.3", "64:ff9b::10.1.2.3", "", "nonsense"],
    ],
    ["192.0.2.7", ["192.0.2.7", "::ffff:192.0.2.7"], ["192.0.2.8", "::192.0.2.7"]],
    ["0.0.0.0/0", ["1.2.3.4", "::ffff:255.255.255.255"], ["::1", "fd00::1"]],
    ["::/0", ["::1", "fe80::1%eth0"], ["nonsense"]],
    ["fd00::/8", ["fd00::1", "FDFF::1", "fd12:3456::"], ["fe80::1", "fc00::1"]],
    ["::1", ["::1", "0:0:0:0:0:0:0:1"], ["::2", "127.0.0.1"]],
    ["::ffff:10.0.0.0/104", ["10.9.9.9", "::ffff:10.9.9.9"], ["11.0.0.1"]],
    ["::ffff:192.0.2.7", ["192.0.2.7"], ["192.0.2.8"]],
    ["10.1.2.3/31", ["10.1.2.2", "10.1.2.3"], ["10.1.2.4", "10.1.2.1"]],
  ];
  for (const [entry, inside, outside] of cases) {
    it(entry, () => {
      const list = readAllowlist([entry], "allowedIPs");
      for (const address of inside) assert.ok(list.has(address), `${address} is in ${entry}`);
      for (const address of outside) assert.ok(!list.has(address), `${address} is not in ${entry}`);
    });
  }
});

describe("the rate limit", () => {
  it("counts requests by IPv4 address or IPv6 network, and starts again after its window", () => {
    const limiter = new RateLimiter({ windowMs: 1_000, max: 2 });
    const at = (address: string, now: number): boolean => limiter.count(address, now) === 0;
    assert.deepEqual([at("10.0.0.1", 0), at("10.0.0.1", 1), at("10.0.0.1", 2)], [true, true, false]);
    assert.ok(at("10.0.0.2", 2));
    assert.equal(limiter.count("10.0.0.1", 400), 600);
    assert.ok(at("10.0.0.1", 1_000));
    assert.deepEqual(
      ["2001:db8:0:1::1", "2001:db8:0:1:ffff::", "2001:0db8:0000:0001::3", "2001:db8:0:2::1"].map((address) =>
        at(address, 0),
      ),
      [true, true, false, true],
    );
    assert.deepEqual(
      ["::1", "::2", "0:0:0:0:1::"].map((address) => at(address, 0)),
      [true, true, false],
    );
  });

  it("needs no more memory for a million addresses than for ten thousand", () => {
    const limiter = new RateLimiter({ windowMs: 3_600_000, max: 2 });
    for (let number = 0; number < 1_000_000; number += 1) {
      limiter.count([10, (number >> 16) & 255, (number >> 8) & 255, number & 255].join("."), number / 1_000);
      if (number % 100_000 === 0) assert.ok(limiter.size <= 10_000);
    }
    assert.ok(limiter.size <= 10_000, String(limiter.size));
    // A client that continues to send requests is still limited.
    for (const expected of [true, true, false])
      assert.equal(limiter.count("192.0.2.1", 2_000) === 0, expected);
    // Clients that send no more requests are dropped.
    for (const now of [9_000_000, 18_000_000]) limiter.count("192.0.2.2", now);
    assert.ok(limiter.size <= 2, String(limiter.size));
  });
});
