// Every case of conformance/http.json on every server that kit runs on, over real sockets.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { expressServer } from "@kit/server-express";
import { fastifyServer } from "@kit/server-fastify";
import { honoServer } from "@kit/server-hono";
import { nativeServer } from "@kit/server-native";
import type { ServerAdapter } from "@kit/types";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { check, send } from "./answer.ts";
import { serve, type Served } from "./application.ts";
import { readCases } from "./case.ts";

/** Where a server differs, by case and server, with the reason. May only become shorter. */
type Exceptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

const exceptions = JSON.parse(
  readFileSync(new URL("exceptions.json", import.meta.url), "utf8"),
) as Exceptions;

const servers: readonly [name: string, make: () => ServerAdapter][] = [
  ["native", () => nativeServer()],
  ["express", () => expressServer()],
  ["fastify", () => fastifyServer()],
  ["hono", () => honoServer()],
];

quietStdout();
const { bodyLimit, cases } = readCases();
const table = new Map<string, { passed: number; excepted: number; failed: number }>();

for (const [name, make] of servers) {
  describe(name, { concurrency: 8 }, () => {
    const row = { passed: 0, excepted: 0, failed: 0 };
    table.set(name, row);
    let app: Served;
    before(async () => {
      app = await serve(make(), bodyLimit);
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) {
      test(one.name, async () => {
        const answer = await send(app.port, one);
        const reason = exceptions[one.name]?.[name];
        try {
          check(one, answer);
        } catch (error) {
          if (reason === undefined) {
            row.failed += 1;
            throw error;
          }
          row.excepted += 1;
          return;
        }
        row.passed += 1;
        assert.equal(reason, undefined, `it is as it must be now: take it out of exceptions.json`);
      });
    }
  });
}

test("exceptions name cases and servers that there are", () => {
  const names = new Set(cases.map((one) => one.name));
  const known = new Set(servers.map(([name]) => name));
  for (const [name, by] of Object.entries(exceptions)) {
    assert.ok(names.has(name), name);
    for (const [server, reason] of Object.entries(by)) assert.ok(known.has(server) && reason !== "", server);
  }
});

after(() => {
  const lines = [...table].map(
    ([name, row]) =>
      `${name.padEnd(10)}${[row.passed, row.excepted, row.failed].map((count) => `${count}`.padStart(10)).join("")}`,
  );
  process.stderr.write(
    `\n${"server".padEnd(10)}    passed  excepted    failed   (of ${cases.length})\n${lines.join("\n")}\n`,
  );
});
