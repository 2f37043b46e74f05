import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { createSessions, memorySessions, sessionAuth, type SessionStore } from "@kit/auth";
import type { BaseContext, MiddlewareInput } from "@kit/core";

import { overlay } from "../../core/src/pg/overlay.ts";
import { servers } from "../../../tests/conformance/servers.ts";
import { codeOf } from "./support/application.ts";
import { application, keys } from "./support/session-application.ts";
import { testStore } from "./support/store-tests.ts";

testStore("memory", memorySessions);

describe("sessions on servers", () => {
  for (const [name, make] of servers) {
    it(`work on the server ${name}`, async () => {
      await using browser = await application({ store: memorySessions() }, make());
      await browser.text("POST /login/ada");
      assert.equal(await browser.text("GET /private"), "ada");
      await browser.text("POST /logout");
      const refused = await browser.send("GET /private");
      assert.equal(refused.status, 401);
      assert.equal(await codeOf(refused), "UNAUTHORIZED");
    });
  }
});

describe("sessionAuth", () => {
  it("calls a function `read` that a test has replaced", async (t) => {
    const sessions = createSessions<{ name: string }>({ store: memorySessions() });
    const middleware = sessionAuth(sessions);
    const now = new Date();
    t.mock.method(sessions, "read", async () => ({
      subject: "ada",
      data: { name: "Ada" },
      createdAt: now,
      expiresAt: now,
    }));
    const input = { ctx: {}, headers: {} } as unknown as MiddlewareInput;
    const added = (await middleware(input)) as { auth: { subject: string } };
    assert.equal(added.auth.subject, "ada");
  });
});

describe("scopesOf", () => {
  it("may return a promise, so that a role that changes applies to the next request", async () => {
    let role: readonly string[] = ["read", "unknown"];
    const scopesOf = async ({ subject }: { subject: string }) => {
      await Promise.resolve();
      return subject === "ada" ? role : [];
    };
    await using browser = await application({ store: memorySessions(), scopesOf });
    await browser.text("POST /login/ada");
    assert.equal(await browser.text("GET /me"), "ada name of ada read");
    role = [];
    assert.equal(await browser.text("GET /me"), "ada name of ada ");
  });

  it("fails the request if its promise rejects", async () => {
    await using browser = await application({
      store: memorySessions(),
      scopesOf: () => Promise.reject(new Error("no database")),
    });
    await browser.text("POST /login/ada");
    assert.equal(await browser.text("GET /me"), "500");
  });
});

describe("sessions in transactions", () => {
  it("are the same for the context of a transaction and for that of the request", async () => {
    const store = memorySessions();
    const sessions = createSessions<{ name: string }>({ store });
    const cookies = new Map<string, string | null>();
    const ctx = {
      cookie: (name: string, value: string | null) => cookies.set(name, value),
      signedCookie: () => undefined,
    } as unknown as BaseContext;
    // The view that `transaction` of @kit/core/pg passes on.
    const tx = overlay(ctx, {});
    await sessions.start(ctx, "ada", { name: "Ada" });
    assert.equal(await sessions.rotate(tx), true);
    assert.equal((await sessions.read(ctx))?.subject, "ada");
    await sessions.endAll("ada", ctx);
    assert.equal((await sessions.read(tx))?.subject, "ada");
    await sessions.end(tx);
    assert.equal(await sessions.read(ctx), null);
  });
});

describe("cookies of sessions", () => {
  it("remain valid while the key of cookies is replaced", async () => {
    const store = memorySessions();
    await using old = await application({ store });
    await old.text("POST /login/ada");
    const rotated = { keys: ["a new key of at least 32 characters for tests", ...keys.keys] };
    await using now = await application({ store }, undefined, rotated);
    assert.equal(await now.other(old.cookie).text("GET /private"), "ada");
  });

  it("are refused in requests from pages of other sites if the option csrf is set", async () => {
    await using browser = await application({ store: memorySessions() });
    await browser.text("POST /login/ada");
    const refused = await browser.send("POST /rename", {
      "sec-fetch-site": "cross-site",
      origin: "https://evil.example",
    });
    assert.equal(refused.status, 403);
    assert.match(await browser.text("GET /me"), /name of ada/);
  });

  it("cannot be created from the session ids in the store", async () => {
    const ids: string[] = [];
    const store = memorySessions();
    const create: SessionStore["create"] = (session, idleMs) => {
      ids.push(session.id);
      return store.create(session, idleMs);
    };
    await using browser = await application({ store: { ...store, create } });
    await browser.text("POST /login/ada");
    assert.equal(ids.length, 1);
    assert.ok(!browser.cookie.includes(ids[0]!));
    assert.equal(await browser.other(`__Host-session=${ids[0]}`).text("GET /me"), "nobody");
  });
});

describe("createSessions", () => {
  it("refuses options that are unknown or not safe", () => {
    const store = memorySessions();
    for (const [options, message] of [
      [{}, /`store` must be a store/],
      [{ store, ttl: 1 }, /no option `ttl`/],
      [{ store, cookie: "session" }, /must begin with __Host-/],
      [{ store, idleMs: 999 }, /idleMs must be an integer from 1000/],
      [{ store, absoluteMs: Infinity }, /absoluteMs must be an integer/],
    ] as const) {
      assert.throws(() => createSessions(options as never), message);
    }
  });

  it("refuses data that is too large", async () => {
    const sessions = createSessions({ store: memorySessions() });
    const ctx = { signedCookie: () => undefined } as never;
    await assert.rejects(sessions.start(ctx, "ada", "x".repeat(70_000)), /at most 65536 characters/);
    await assert.rejects(sessions.start(ctx, "", {}), /1 to 255 characters/);
  });
});
