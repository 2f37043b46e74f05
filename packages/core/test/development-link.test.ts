// Tests of the service that `kit dev` wraps around an application: adapters find the same methods as in production.

import assert from "node:assert/strict";
import { test } from "node:test";

import { type App, type AppOptions, createApp } from "@kit/core";
import type { DevelopmentLink } from "@kit/types";

import { watchedService } from "../src/app/development-link.ts";
import { compiled, responseOf, route } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { quietStdout } from "./support/quiet-stdout.ts";

quietStdout();

const link: DevelopmentLink = {
  version: 1,
  resolveAddress: (options) => options,
  listening: () => {},
  onResponse: null,
  build: () => ({ status: "built", text: "" }),
  acceptsHost: (host) => host !== "evil.example",
};

function appOf(): App {
  return createApp({
    server: new MemoryServer(),
    compiled: compiled(route("GET /things", { response: responseOf("Thing", { id: "string" }) })),
    env: "development",
    signals: false,
    logging: { level: "fatal" },
    routes: [{ handlers: { "GET /things": () => ({ id: "1" }) } }],
  } as unknown as AppOptions);
}

test("the service that kit dev wraps has every method of the original service", async () => {
  const service = await appOf().service();
  const watched = watchedService(service, link);
  for (const name of ["handle", "fail", "refuseUnseen", "logRefusal", "hasRoute", "serves"] as const)
    assert.equal(typeof watched[name], typeof service[name], name);
  assert.deepEqual([watched.hasRoute?.("/things"), watched.hasRoute?.("/other")], [true, false]);
  const serves = (method: string, target: string): unknown => watched.serves?.(method, target);
  assert.deepEqual(
    [serves("GET", "/things?a=1"), serves("HEAD", "/things/"), serves("GET", "/openapi.json")],
    [true, true, true],
  );
  assert.deepEqual(
    [serves("POST", "/things"), serves("GET", "/other"), serves("POST", "/openapi.json")],
    [false, false, false],
  );
});

test("kit dev refuses a request with an unknown Host, even if no middleware has seen the request", async () => {
  const service = watchedService(await appOf().service(), link);
  for (const way of ["handle", "fail", "refuseUnseen"] as const) {
    let status = 0;
    const exchange = {
      method: "GET",
      target: "/things",
      bodyTooLarge: false,
      bodyLength: 0,
      bodyText: () => "",
      bodyBytes: () => new Uint8Array(),
      header: (name: string) => (name === "host" ? "evil.example" : undefined),
      headers: () => ({}),
      remoteAddress: "127.0.0.1",
      onAbort: () => {},
      respond: (answered: number) => void (status = answered),
    };
    service[way]?.(exchange, new Error("not let through"));
    assert.equal(status, 403, way);
  }
});
