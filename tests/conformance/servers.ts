import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { expressServer } from "@kit/server-express";
import { fastifyServer } from "@kit/server-fastify";
import { honoServer } from "@kit/server-hono";
import { nativeServer } from "@kit/server-native";
import type { ServerAdapter } from "@kit/types";
import { Hono } from "hono";

import { isBuiltFor, platformTriple } from "../../packages/server-native/src/addon.ts";
import { isRust } from "./rust.ts";

/** Options that every server has. */
export interface CommonOptions {
  readonly headersTimeoutMs?: number;
  readonly keepAliveTimeoutMs?: number;
  readonly writeTimeoutMs?: number;
  /** Option `bodyTimeoutMs` of the native server, `requestTimeoutMs` of the other servers. */
  readonly bodyTimeoutMs?: number;
  /** Maximum number of connections. The native server and the Rust server let further ones wait, the other servers close them. */
  readonly maxConnections?: number;
}

/** Options of every server on Node. */
export interface NodeOptions extends CommonOptions {
  readonly bodyIdleTimeoutMs?: number;
  readonly bodyMinBytesPerSecond?: number;
}

const adapters: readonly [name: string, make: (options?: NodeOptions) => ServerAdapter][] = [
  ["native", (options = {}) => withKitServer("native", () => nativeServer(options))],
  ["fallback", (options = {}) => withKitServer("node", () => nativeServer(options))],
  ["express", (options) => expressServer(ofFramework(options))],
  ["fastify", (options) => fastifyServer(ofFramework(options))],
  ["hono", (options) => honoServer({ ...ofFramework(options), app: throughHono() })],
];

/** Adapters of kit that this run tests. Empty if it tests the Rust server. The native server exists only on platforms that have its addon. */
export const servers: typeof adapters = isRust
  ? []
  : adapters.filter(([name]) => name !== "native" || isBuiltFor(platformTriple()));

/** Creates a Hono application with middleware. Without middleware, the adapter would not use the application at all. */
function throughHono(): Hono {
  return new Hono().use((_context, next) => next());
}

function ofFramework({ bodyTimeoutMs, ...others }: NodeOptions = {}): object {
  return { ...others, ...(bodyTimeoutMs !== undefined && { requestTimeoutMs: bodyTimeoutMs }) };
}

/** Creates a server while the environment variable `KIT_SERVER` has this value. */
export function withKitServer(value: string, make: () => ServerAdapter): ServerAdapter {
  const before = process.env["KIT_SERVER"];
  process.env["KIT_SERVER"] = value;
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env["KIT_SERVER"];
    else process.env["KIT_SERVER"] = before;
  }
}

/** Cases in which a server behaves differently, with the reason, by file, case and server. The list may only become shorter. */
const exceptions = JSON.parse(readFileSync(new URL("exceptions.json", import.meta.url), "utf8")) as Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
>;

/** Returns the exceptions for one file of cases. Registers a test that the named cases and servers exist. */
export function exceptionsOf(
  file: string,
  cases: readonly { readonly name: string }[],
): { get(name: string, server: string): string | undefined } {
  const own = exceptions[file] ?? {};
  test("every exception names an existing case and server", () => {
    const names = new Set(cases.map((one) => one.name));
    const known = new Set([...adapters.map(([name]) => name), "rust"]);
    for (const [name, by] of Object.entries(own)) {
      assert.ok(names.has(name), name);
      for (const [server, reason] of Object.entries(by))
        assert.ok(known.has(server) && reason !== "", server);
    }
  });
  return { get: (name, server) => own[name]?.[server] };
}

/** Counts the checks that passed, and prints them as a table. */
export class Tally {
  readonly #cases: number;
  readonly #rows = new Map<string, { passed: number; excepted: number; failed: number }>();

  constructor(cases: number, names: readonly string[]) {
    this.#cases = cases;
    for (const name of names) this.#rows.set(name, { passed: 0, excepted: 0, failed: 0 });
  }

  /** Runs a check. With a reason for an exception the check must fail, otherwise it must pass. */
  async hold(server: string, reason: string | undefined, check: () => unknown): Promise<void> {
    const row = this.#rows.get(server)!;
    try {
      await check();
    } catch (error) {
      if (reason === undefined) {
        row.failed += 1;
        throw error;
      }
      row.excepted += 1;
      return;
    }
    row.passed += 1;
    assert.equal(reason, undefined, "it is as it must be now: take it out of exceptions.json");
  }

  print(title: string): void {
    const lines = [...this.#rows].map(
      ([name, row]) =>
        `${name.padEnd(10)}${[row.passed, row.excepted, row.failed].map((count) => `${count}`.padStart(10)).join("")}`,
    );
    process.stderr.write(
      `\n${"server".padEnd(10)}    passed  excepted    failed   (of ${this.#cases} in ${title})\n${lines.join("\n")}\n`,
    );
  }
}
