import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import type { Browser } from "./session-application.ts";

/** Settings of an application that has the routes of `session-application.ts`. */
export interface SessionSettings {
  readonly idleMs?: number;
  readonly absoluteMs?: number;
  /** Keys of cookies. */
  readonly keys?: readonly string[];
}

/** Tests that every application with sessions has to pass. Its sessions have the scopes `read`, which it knows, and `x`. */
export function testSessions(name: string, begin: (settings?: SessionSettings) => Promise<Browser>): void {
  describe(`sessions in ${name}`, () => {
    const user = `u${randomUUID()}`;

    it("log a user in and out", async () => {
      await using browser = await begin();
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
      await using attacker = await begin();
      await attacker.text("POST /login/eve");
      const prepared = attacker.cookie;
      const victim = attacker.other(prepared);
      await victim.text(`POST /login/${user}`);
      assert.notEqual(victim.cookie, prepared);
      assert.equal(await victim.text("GET /private"), user);
      assert.equal(await attacker.other(prepared).text("GET /me"), "nobody");
    });

    it("get another token by rotate", async () => {
      await using browser = await begin();
      assert.equal(await browser.text("POST /rotate"), "false");
      await browser.text(`POST /login/${user}`);
      const { cookie } = browser;
      assert.equal(await browser.text("POST /rotate"), "true");
      assert.notEqual(browser.cookie, cookie);
      assert.equal(await browser.text("GET /private"), user);
      assert.equal(await browser.other(cookie).text("GET /private"), "401");
    });

    it("end everywhere else after the session of the request got a new token", async () => {
      await using browser = await begin();
      const other = browser.other();
      await browser.text(`POST /login/${user}`);
      await other.text(`POST /login/${user}`);
      assert.equal(await browser.text(`POST /renewed-and-others/${user}`), user);
      assert.equal(await browser.text("GET /private"), user);
      assert.equal(await other.text("GET /private"), "401");
    });

    it("end everywhere, or everywhere else", async () => {
      await using browser = await begin();
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
      await using browser = await begin({ idleMs: 1000, absoluteMs: 2000 });
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

    it("are not found by cookies that are changed, unsigned, of another name or of another application", async () => {
      await using browser = await begin();
      await browser.text("POST /login/ada");
      const [token = "", signature = ""] = browser.cookie.slice("__Host-session=".length).split(".");
      await browser.text("POST /login/eve");
      const [otherToken = "", otherSignature = ""] = browser.cookie
        .slice("__Host-session=".length)
        .split(".");
      for (const value of [
        token,
        `${token}.`,
        `${token}.${otherSignature}`,
        `${otherToken}.${signature}`,
        `.${signature}`,
        "",
        "null",
      ])
        // oxlint-disable-next-line no-await-in-loop
        assert.equal(await browser.other(`__Host-session=${value}`).text("GET /me"), "nobody", value);
      assert.equal(await browser.other(`session=${otherToken}.${otherSignature}`).text("GET /me"), "nobody");
      await using other = await begin({ keys: ["another key of at least 32 characters!"] });
      await other.text("POST /login/ada");
      assert.equal(await browser.other(other.cookie).text("GET /me"), "nobody");
    });
  });
}
