// Tests the sidecar's guard with random requests, which are mutations of requests that were allowed or refused before. `KIT_SEED` is
// the seed, and `KIT_RUNS` the number of requests. Requests that failed once are stored in `guard-corpus.json` and tested in every
// run.

import assert from "node:assert/strict";
import { isIP } from "node:net";
import { describe, it } from "node:test";

import { isLoopback } from "../src/access/allowlist.ts";
import { type GuardedRequest, Guard } from "../src/access/guard.ts";
import { type DebugOptions, readDebugOptions } from "../src/options.ts";
import corpus from "./guard-corpus.json" with { type: "json" };

const apiKey = "the-key-of-the-fuzzer";
const token = "the-token-of-the-page";

/** Options of the sidecars that the requests are sent to. */
const configurations: readonly DebugOptions[] = [
  { mode: "dev" },
  {},
  { mode: "dev", apiKey },
  { mode: "production", apiKey },
  { mode: "dev", apiKey, allowedIPs: ["10.0.0.0/8", "::1"] },
  { mode: "production", security: { apiKey, hostname: "debug.internal", allowlist: ["192.0.2.7"] } },
];
const addresses = [
  "127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "::ffff:10.1.2.3", "192.0.2.7", "203.0.113.9",
  "fe80::1%lo", "0.0.0.0", "::", "", "127.0.0.1.example", "localhost", "::ffff:7f00:1",
]; // prettier-ignore
const names = [
  "host", "Host", "origin", "x-debug-key", "X-Debug-Key", "x-debug-token", "content-type", "sec-fetch-site",
  "sec-fetch-mode", "x-forwarded-for", "forwarded", "via", "accept",
]; // prettier-ignore
const values = [
  "localhost:9800", "127.0.0.1", "[::1]:9800", "debug.internal", "attacker.example", "localhost.attacker.example",
  "http://localhost:9800", "http://attacker.example", "null", apiKey, apiKey.slice(1), `${apiKey} `, "", token,
  "application/json", "text/plain", "same-origin", "cross-site", "same-site", "navigate", "127.0.0.1:1:1", "0x7f.1",
]; // prettier-ignore

/**
 * Returns a generator of pseudorandom integers below a limit. It gives the same integers for the same seed on every machine (mulberry32).
 */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Request, with the index of the options of its sidecar. */
interface GuardCase {
  readonly configuration: number;
  readonly request: GuardedRequest;
}

function spoil(text: string, below: (most: number) => number): string {
  const at = below(text.length + 1);
  const signs = ["\0", " ", ",", "%", ".", ":", "[", "]", "@", "é", "A"];
  return below(2) === 0
    ? text.slice(0, at) + text.slice(at + 1)
    : text.slice(0, at) + signs[below(11)] + text.slice(at);
}

/** Returns a copy of a request with a few random changes. */
function changed({ configuration, request }: GuardCase, below: (most: number) => number): GuardCase {
  const rawHeaders = [...request.rawHeaders];
  let { remoteAddress, method, purpose = "read" } = request;
  let chosen = configuration;
  for (let count = 1 + below(3); count > 0; count -= 1) {
    const pair = below(rawHeaders.length / 2 + 1) * 2;
    switch (below(7)) {
      case 0:
        chosen = below(configurations.length);
        break;
      case 1:
        remoteAddress = below(4) === 0 ? spoil(remoteAddress, below) : addresses[below(addresses.length)]!;
        break;
      case 2:
        rawHeaders.splice(pair, 2);
        break;
      case 3:
        if (pair < rawHeaders.length) rawHeaders[pair + 1] = spoil(rawHeaders[pair + 1]!, below);
        break;
      case 4:
        method = ["GET", "HEAD", "POST", "DELETE", "get"][below(5)]!;
        break;
      case 5:
        purpose = (["read", "file", "action"] as const)[below(3)]!;
        break;
      default:
        rawHeaders.splice(pair, 0, names[below(names.length)]!, values[below(values.length)]!);
    }
  }
  return { configuration: chosen, request: { method, remoteAddress, rawHeaders, purpose } };
}

/**
 * Returns an address without its zone in the shortest form, and IPv4-mapped IPv6 as IPv4: `0::1%lo` gives `::1`. Does not use the code
 * under test.
 */
function shortest(address: string): string {
  const bare = address.split("%", 1)[0]!;
  if (isIP(bare) !== 6) return bare;
  const text = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(text);
  if (mapped === null) return text;
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Gives a request to a new guard and checks the decision against the rules of the guide. Returns true if the request was allowed. */
function check({ configuration, request }: GuardCase): boolean {
  const options = configurations[configuration]!;
  const { access } = readDebugOptions(options);
  const hasToken = options.mode === "dev";
  const refused = new Guard(access, hasToken ? token : null).refuse(request, 0);
  if (refused !== null) {
    assert.ok([401, 403, 405, 415, 429].includes(refused.status));
    assert.ok(!JSON.stringify(refused).includes(apiKey), "a refusal shows the key");
    return false;
  }
  const of = (name: string): string[] =>
    request.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1]!.toLowerCase() === name);
  const address = shortest(request.remoteAddress);
  if (access.apiKey === null) {
    assert.ok(isLoopback(address), "without a key somebody else is let in");
    for (const name of ["forwarded", "x-forwarded-for", "x-real-ip", "via"]) assert.deepEqual(of(name), []);
  } else if (request.purpose !== "file") {
    assert.deepEqual(of("x-debug-key"), [access.apiKey]);
  }
  if (access.allowlist !== null) {
    assert.ok(
      (isIP(address) === 4 && address.startsWith("10.")) || address === "::1" || address === "192.0.2.7",
      "past the allowlist",
    );
  }
  const hosts = of("host");
  assert.equal(hosts.length, 1);
  const host = new URL(`http://${hosts[0]}`).hostname.replace(/^\[|\]$/g, "");
  assert.ok(isIP(host) !== 0 || host === "localhost" || host === access.hostname, `the host ${hosts[0]}`);
  for (const origin of of("origin")) assert.equal(origin.toLowerCase(), `http://${hosts[0]!.toLowerCase()}`);
  if (request.purpose === "action" && hasToken) {
    assert.deepEqual(of("x-debug-token"), [token]);
    assert.equal(of("origin").length, 1);
  } else {
    assert.ok(request.method === "GET" || request.method === "HEAD");
  }
  return true;
}

describe("the guard", () => {
  it("accepts or refuses each stored request according to the rules of the guide", () => {
    for (const { guardCase, isAnswered } of corpus as { guardCase: GuardCase; isAnswered: boolean }[])
      assert.equal(check(guardCase), isAnswered, JSON.stringify(guardCase));
  });

  it("allows a random request only if the rules of the guide permit it", () => {
    const runs = Number(process.env["KIT_RUNS"] ?? 60_000);
    const below = numbers(Number(process.env["KIT_SEED"] ?? 1));
    const pool = corpus.map(({ guardCase }) => guardCase as GuardCase);
    let answered = 0;
    for (let run = 0; run < runs; run += 1) {
      const guardCase = changed(pool[below(pool.length)]!, below);
      try {
        if (!check(guardCase)) continue;
      } catch (error) {
        throw new Error(`put this into guard-corpus.json: ${JSON.stringify(guardCase)}`, { cause: error });
      }
      answered += 1;
      // An allowed request is a good start for further mutations.
      if (pool.length < 500) pool.push(guardCase);
      else pool[corpus.length + below(500 - corpus.length)] = guardCase;
    }
    assert.ok(answered > runs / 50, `${answered} of ${runs} were answered`);
  });
});
