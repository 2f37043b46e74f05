import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import type { SessionStore } from "@kit/auth";

import { application } from "./session-application.ts";

/** Tests that every store has to pass. */
export function testStore(name: string, make: () => SessionStore): void {
  describe(`sessions in ${name}`, () => {
    const user = `u${randomUUID()}`;

    it("log a user in and out", async () => {
      await using browser = await application({ store: make(), scopesOf: () => ["read", "x"] });
      assert.equal(await browser.text("GET /me"), "nobody");
      assert.equal(await browser.text("GET /private"), "401");
      assert.equal(await browser.text(`POST /login/${user}`), user);
      assert.match(
        browser.setCookie,
        /^__Host-session=[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}; Max-Age=43200; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
      );
      assert.equal(await browser.text("GET /me"), `${user} name of ${user} read`);
      assert.equal(await browser.text("GET /private"), user);
      assert.equal(await browser.text("POST /rename"), "true");
      assert.equal(await browser.text("GET /me"), `${user} new name read`);
      const { cookie } = browser;
      await browser.text("POST /logout");
      assert.equal(browser.cookie, "");
      assert.equal(await browser.other(cookie).text("GET /me"), "nobody");
      assert.equal(await browser.other(cookie).text("POST /rename"), "false");
    });

    it("get another token at login, so that nobody can prepare the session of another", async () => {
      await using attacker = await application({ store: make() });
      await attacker.text("POST /login/eve");
      const prepared = attacker.cookie;
      const victim = attacker.other(prepared);
      await victim.text(`POST /login/${user}`);
      assert.notEqual(victim.cookie, prepared);
      assert.equal(await victim.text("GET /private"), user);
      assert.equal(await attacker.other(prepared).text("GET /me"), "nobody");
    });

    it("get another token by rotate", async () => {
      await using browser = await application({ store: make() });
      assert.equal(await browser.text("POST /rotate"), "false");
      await browser.text(`POST /login/${user}`);
      const { cookie } = browser;
      assert.equal(await browser.text("POST /rotate"), "true");
      assert.notEqual(browser.cookie, cookie);
      assert.equal(await browser.text("GET /private"), user);
      assert.equal(await browser.other(cookie).text("GET /private"), "401");
    });

    it("end everywhere, or everywhere else", async () => {
      await using browser = await application({ store: make() });
      const [one, two, three] = [browser, browser.other(), browser.other()];
      for (const each of [one, two, three]) {
        // oxlint-disable-next-line no-await-in-loop
        await each.text(`POST /login/${user}`);
      }
      const bystander = browser.other();
      await bystander.text("POST /login/bob");
      await one.text(`POST /others/${user}`);
      assert.deepEqual(await Promise.all([one, two, three].map((each) => each.text("GET /private"))), [
        user,
        "401",
        "401",
      ]);
      await two.text(`POST /login/${user}`);
      await one.text(`POST /everywhere/${user}`);
      assert.deepEqual(await Promise.all([one, two].map((each) => each.text("GET /private"))), [
        "401",
        "401",
      ]);
      assert.equal(await bystander.text("GET /private"), "bob");
    });

    it("end if they are not used, and at the latest after the absolute time", async () => {
      await using browser = await application({ store: make(), idleMs: 1000, absoluteMs: 2000 });
      await browser.text(`POST /login/${user}`);
      const idle = browser.other(browser.cookie);
      await browser.text(`POST /login/${user}`);
      const used = browser.other(browser.cookie);
      await idle.text(`POST /login/${user}`);
      for (let round = 0; round < 3; round += 1) {
        // oxlint-disable-next-line no-await-in-loop
        await wait(450);
        // oxlint-disable-next-line no-await-in-loop
        assert.equal(await used.text("GET /private"), user, `after ${round + 1} * 450 ms`);
      }
      assert.equal(await idle.text("GET /private"), "401");
      await wait(800);
      assert.equal(await used.text("GET /private"), "401");
    });

    it("do not come back if a request ends after the logout", async () => {
      const store = make();
      const now = new Date();
      const session = {
        id: randomUUID(),
        subject: user,
        data: "{}",
        createdAt: now,
        seenAt: now,
        expiresAt: new Date(now.getTime() + 60_000),
      };
      await store.create(session, 1000);
      assert.deepEqual(await store.read(session.id), session);
      await store.delete(session.id);
      await store.touch(session.id, new Date(), 1000);
      await store.update(session.id, `{"a":1}`);
      assert.equal(await store.read(session.id), null);
      await store.delete(session.id);
    });

    it("keep data with every character", async () => {
      const store = make();
      const now = new Date();
      const data = JSON.stringify({
        text: "ü\u0000\u2028😀\"'\\$1",
        big: 9_007_199_254_740_991,
        list: [],
      });
      const expiresAt = new Date(now.getTime() + 60_000);
      const session = {
        id: randomUUID(),
        subject: `${user} ü'"`,
        data,
        createdAt: now,
        seenAt: now,
        expiresAt,
      };
      await store.create(session, 1000);
      assert.equal((await store.read(session.id))?.data, data);
      await store.update(session.id, `[${data}]`);
      assert.deepEqual(await store.read(session.id), { ...session, data: `[${data}]` });
      await store.deleteAll(session.subject);
      assert.equal(await store.read(session.id), null);
    });
  });
}
