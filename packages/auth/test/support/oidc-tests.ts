// Tests that every application with a login at an identity provider has to pass.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { freePort } from "../../../core/test/support/free-port.ts";
import { codeOf } from "./application.ts";
import { Browser } from "./browser.ts";

/** Callback of the application, which the provider knows. The tests do not open it. */
export const callback = "http://127.0.0.1:1/callback";

/** Secret of the application at the provider. */
export const secret = "a secret of the client shop, for tests";

/** URL to which the provider redirects the browser after a logout. */
export const afterLogout = "http://127.0.0.1:1/bye";

/** Provider in a process of its own. */
export class Provider implements AsyncDisposable {
  readonly issuer: string;
  readonly #process: ChildProcess;

  constructor(issuer: string, process: ChildProcess) {
    this.issuer = issuer;
    this.#process = process;
  }

  /** Starts a provider whose clock is ahead by these milliseconds. */
  static async start(ahead = 0): Promise<Provider> {
    const port = await freePort();
    const file = join(import.meta.dirname, "provider.ts");
    const child = spawn(process.execPath, [file, String(port), String(ahead)], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    return new Provider(`http://127.0.0.1:${port}`, child);
  }

  async tell(path: string): Promise<void> {
    await fetch(`${this.issuer}/test/${path}`);
  }

  /** Returns the token by which the provider logs Ada out, with other claims if any are given. */
  async logoutToken(changes?: Readonly<Record<string, unknown>>): Promise<string> {
    const path = changes === undefined ? "" : `/${encodeURIComponent(JSON.stringify(changes))}`;
    const response = await fetch(`${this.issuer}/test/logout${path}`);
    const token = await response.text();
    assert.equal(response.status, 200, token);
    return token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await once(this.#process, "exit");
  }
}

/** Settings of an application with a login. */
export interface ShopSettings {
  readonly clockToleranceMs?: number;
  readonly timeoutMs?: number;
}

/** Routes of an application with a login at the provider. Each responds with `text`. */
export interface ShopRoutes extends AsyncDisposable {
  /** Begins a login, with the parameter `prompt=consent`. The text is the URL of the provider. */
  start(returnTo: string): Promise<Response>;
  /** Opens the callback with a query and a cookie. The text is the login as JSON. */
  finish(query: string, cookie: string): Promise<Response>;
  /** Refreshes tokens. The text is the tokens as JSON. */
  refresh(token: string, subject: string): Promise<Response>;
  /** The text is the URL of the logout at the provider. */
  logout(idToken: string): Promise<Response>;
  /** Verifies a logout token. The text is the subject and the id of the session as JSON. */
  loggedOut(logoutToken: string): Promise<Response>;
}

class Shop {
  readonly #routes: ShopRoutes;

  constructor(routes: ShopRoutes) {
    this.#routes = routes;
  }

  start(returnTo: string): Promise<Response> {
    return this.#routes.start(returnTo);
  }

  /** Begins a login. Returns the URL of the provider and the cookie. */
  async begin(returnTo = "/"): Promise<{ url: string; cookie: string }> {
    const response = await this.start(returnTo);
    if (!response.ok) throw new Error(await response.text());
    const [setCookie = ""] = response.headers.getSetCookie();
    assert.match(setCookie, /^__Host-login=\S+; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
    return { url: ((await response.json()) as { text: string }).text, cookie: setCookie.split(";")[0]! };
  }

  /** Opens the callback with a cookie. */
  end(url: URL, cookie: string): Promise<Response> {
    return this.#routes.finish(url.search.slice(1), cookie);
  }

  refresh(token: string, subject: string): Promise<Response> {
    return this.#routes.refresh(token, subject);
  }

  logout(idToken: string): Promise<Response> {
    return this.#routes.logout(idToken);
  }

  loggedOut(logoutToken: string): Promise<Response> {
    return this.#routes.loggedOut(logoutToken);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#routes[Symbol.asyncDispose]();
  }
}

async function textOf<T>(response: Response): Promise<T> {
  const body = (await response.json()) as { text: string };
  assert.equal(response.status, 200, JSON.stringify(body));
  return JSON.parse(body.text) as T;
}

interface Login {
  readonly subject: string;
  readonly returnTo: string;
  readonly idToken: string;
  readonly refreshToken: string;
  readonly accessToken: string;
  readonly expiresAt: string;
}

async function login(from: Shop, user = "ada"): Promise<Login> {
  const { url, cookie } = await from.begin("/orders?page=2");
  return textOf<Login>(await from.end(await new Browser().login(url, user, callback), cookie));
}

/** Makes the tests of one application. */
export function testOidc(
  application: string,
  begin: (issuer: string, settings: ShopSettings) => Promise<ShopRoutes>,
): void {
  const shop = async (issuer: string, settings: ShopSettings = {}): Promise<Shop> =>
    new Shop(await begin(issuer, settings));

  describe(`logins at an identity provider on ${application}`, { timeout: 120_000 }, () => {
    let provider: Provider;
    before(async () => {
      provider = await Provider.start();
    });
    after(() => provider[Symbol.asyncDispose]());

    it("logs a user in with PKCE, state and nonce, and returns to the path", async () => {
      await using from = await shop(provider.issuer);
      const { url, cookie } = await from.begin("/orders?page=2");
      const { searchParams } = new URL(url);
      assert.equal(searchParams.get("code_challenge_method"), "S256");
      for (const name of ["state", "nonce", "code_challenge"])
        assert.ok(searchParams.get(name)!.length >= 43, name);
      const response = await from.end(await new Browser().login(url, "ada", callback), cookie);
      assert.match(response.headers.getSetCookie()[0]!, /^__Host-login=; Max-Age=0/);
      const found = await textOf<Login>(response);
      assert.equal(found.subject, "ada");
      assert.equal(found.returnTo, "/orders?page=2");
      assert.ok(found.accessToken !== "" && found.refreshToken !== "");
      const lifetime = new Date(found.expiresAt).getTime() - Date.now();
      assert.ok(lifetime > 50_000 && lifetime <= 60_000, String(lifetime));
    });

    it("refuses a callback without the login's cookie, or with the cookie of another login", async () => {
      await using from = await shop(provider.issuer);
      const one = await from.begin();
      const two = await from.begin();
      const back = await new Browser().login(one.url, "eve", callback);
      const without = await from.end(back, "");
      assert.equal(without.status, 400);
      assert.equal(await codeOf(without), "LOGIN_EXPIRED");
      const other = await from.end(back, two.cookie);
      assert.equal(other.status, 401);
      assert.equal(await codeOf(other), "LOGIN_REFUSED");
      const forged = await from.end(back, `${one.cookie.slice(0, -2)}AA`);
      assert.equal(await codeOf(forged), "LOGIN_EXPIRED");
    });

    it("refuses a code that was already used, and the code of another login", async () => {
      await using from = await shop(provider.issuer);
      const one = await from.begin();
      const two = await from.begin();
      const back = await new Browser().login(one.url, "ada", callback);
      const other = await new Browser().login(two.url, "eve", callback);
      const injected = new URL(back);
      injected.searchParams.set("code", other.searchParams.get("code")!);
      assert.equal(await codeOf(await from.end(injected, one.cookie)), "LOGIN_REFUSED");
      assert.equal((await from.end(back, one.cookie)).status, 200);
      assert.equal(await codeOf(await from.end(back, one.cookie)), "LOGIN_REFUSED");
    });

    it("refuses the answer of another issuer, and errors of the provider without repeating their text", async () => {
      await using from = await shop(provider.issuer);
      const { url, cookie } = await from.begin();
      const back = await new Browser().login(url, "ada", callback);
      back.searchParams.set("iss", "https://evil.example");
      assert.equal(await codeOf(await from.end(back, cookie)), "LOGIN_REFUSED");
      const refused = new URL(callback);
      refused.searchParams.set("state", new URL(url).searchParams.get("state")!);
      refused.searchParams.set("iss", provider.issuer);
      refused.searchParams.set("error", "access_denied");
      refused.searchParams.set("error_description", "Call 555 for help");
      const response = await from.end(refused, cookie);
      assert.equal(response.status, 401);
      assert.ok(!(await response.text()).includes("555"));
    });

    it("refreshes tokens, and only for the same user", async () => {
      await using from = await shop(provider.issuer);
      const { refreshToken, accessToken } = await login(from);
      const refreshed = await textOf<Login>(await from.refresh(refreshToken, "ada"));
      assert.notEqual(refreshed.accessToken, accessToken);
      assert.notEqual(refreshed.refreshToken, refreshToken);
      const foreign = await from.refresh(refreshed.refreshToken, "eve");
      assert.equal(foreign.status, 401);
      // The provider has replaced this token, so it is refused.
      const old = await from.refresh(refreshToken, "ada");
      assert.equal(old.status, 401);
      assert.equal(await codeOf(old), "LOGIN_REFUSED");
    });

    it("returns the URL of the logout at the provider", async () => {
      await using from = await shop(provider.issuer);
      const { idToken } = await login(from);
      const response = await from.logout(idToken);
      const { text } = (await response.json()) as { text: string };
      const url = new URL(text);
      assert.equal(url.origin, provider.issuer);
      assert.equal(url.searchParams.get("id_token_hint"), idToken);
      const bye = await new Browser().login(text, "ada", "http://127.0.0.1:1/bye");
      assert.equal(bye.pathname, "/bye");
    });

    it("accepts the token by which the provider logs a user out", async () => {
      await using from = await shop(provider.issuer);
      const expected = { subject: "ada", sessionId: "session of ada" };
      assert.deepEqual(await textOf(await from.loggedOut(await provider.logoutToken())), expected);
      const untyped = await provider.logoutToken({ typ: "JWT" });
      assert.deepEqual(await textOf(await from.loggedOut(untyped)), expected);
    });

    it("refuses a token that is no logout token, is forged, or is for another application", async () => {
      await using from = await shop(provider.issuer);
      const { idToken } = await login(from);
      const [head, claims, signature] = (await provider.logoutToken()).split(".");
      const tokens = [
        idToken,
        "a",
        "a.b.c",
        `${head}.${claims}.`,
        `${head}.${claims}.${signature!.slice(0, -4)}AAAA`,
      ];
      for (const changes of [
        { nonce: "a" },
        { events: {} },
        { events: null },
        { events: "http://schemas.openid.net/event/backchannel-logout" },
        { events: { "http://schemas.openid.net/event/backchannel-logout": true } },
        { sub: "" },
        { sid: 7 },
        { aud: "other" },
        { iss: "https://evil.example" },
        { exp: 1 },
        { typ: "id+jwt" },
      ]) {
        // oxlint-disable-next-line no-await-in-loop
        tokens.push(await provider.logoutToken(changes));
      }
      for (const token of tokens) {
        // oxlint-disable-next-line no-await-in-loop
        const response = await from.loggedOut(token);
        // oxlint-disable-next-line no-await-in-loop
        assert.deepEqual([response.status, await codeOf(response)], [400, "LOGOUT_REFUSED"], token);
      }
    });

    it("accepts tokens after the provider has replaced its key", async () => {
      await using rotating = await Provider.start();
      await using from = await shop(rotating.issuer);
      assert.equal((await login(from)).subject, "ada");
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await rotating.tell("rotate");
      assert.equal((await login(from)).subject, "ada");
    });

    it("refuses an ID token that is signed with a key that the provider does not publish", async () => {
      await using hacked = await Provider.start();
      await using from = await shop(hacked.issuer);
      assert.equal((await login(from)).subject, "ada");
      await hacked.tell("foreign");
      await assert.rejects(login(from), /LOGIN_REFUSED/);
    });

    it("accepts tokens of a provider whose clock differs by less than the tolerance, and refuses others", async () => {
      // ID tokens of the provider live for 60 seconds, so by this clock they have ended 3 seconds ago.
      await using behind = await Provider.start(-63_000);
      await using tolerant = await shop(behind.issuer, { clockToleranceMs: 10_000 });
      assert.equal((await login(tolerant)).subject, "ada");
      await using strict = await shop(behind.issuer, { clockToleranceMs: 0 });
      await assert.rejects(login(strict), /LOGIN_REFUSED/);
      await using ahead = await Provider.start(3000);
      await using exact = await shop(ahead.issuer);
      assert.equal((await login(exact)).subject, "ada");
    });

    it("gives 503 with Retry-After while the provider does not answer, and works afterwards", async () => {
      await using failing = await Provider.start();
      await using from = await shop(failing.issuer, { timeoutMs: 500 });
      await failing.tell("broken/500");
      const down = await from.start("/");
      assert.equal(down.status, 503);
      assert.equal(down.headers.get("retry-after"), "5");
      await failing.tell("broken/0");
      const { url, cookie } = await from.begin();
      const back = await new Browser().login(url, "ada", callback);
      await failing.tell("broken/502");
      const ended = await from.end(back, cookie);
      assert.equal(ended.status, 503);
      assert.equal(await codeOf(ended), "SERVICE_UNAVAILABLE");
      await failing.tell("broken/0");
      assert.equal((await from.end(back, cookie)).status, 200);
      await using nowhere = await shop("http://127.0.0.1:1/");
      assert.equal((await nowhere.start("/")).status, 503);
    });

    it("gives 503 if the response of the token endpoint was cut", async () => {
      await using cutting = await Provider.start();
      await using from = await shop(cutting.issuer);
      const { url, cookie } = await from.begin();
      const back = await new Browser().login(url, "ada", callback);
      await cutting.tell("cut");
      const ended = await from.end(back, cookie);
      assert.deepEqual([ended.status, ended.headers.get("retry-after")], [503, "5"]);
      assert.equal(await codeOf(ended), "SERVICE_UNAVAILABLE");
    });

    it("refuses ID tokens of another login, for other applications, or without claims, and a response without one", async () => {
      await using wrong = await Provider.start();
      await using from = await shop(wrong.issuer);
      for (const claims of [
        { nonce: "another" },
        { nonce: null },
        { aud: "other" },
        { aud: ["shop", "other"] },
        { aud: ["shop", "other"], azp: "other" },
        { azp: "other" },
        { iss: "https://evil.example" },
        { iat: "now" },
        { sub: "" },
        null,
      ]) {
        // oxlint-disable no-await-in-loop -- the provider changes the tokens of one login after the other
        const { url, cookie } = await from.begin();
        const back = await new Browser().login(url, "ada", callback);
        await wrong.tell(`claims/${encodeURIComponent(JSON.stringify(claims))}`);
        const ended = await from.end(back, cookie);
        assert.deepEqual([ended.status, await codeOf(ended)], [401, "LOGIN_REFUSED"], JSON.stringify(claims));
        // oxlint-enable no-await-in-loop
      }
      await wrong.tell(`claims/${encodeURIComponent('{"aud":["shop","other"],"azp":"shop"}')}`);
      assert.equal((await login(from)).subject, "ada");
    });

    it("refuses a response that names no issuer, because the provider always names itself", async () => {
      await using from = await shop(provider.issuer);
      const { url, cookie } = await from.begin();
      const back = await new Browser().login(url, "ada", callback);
      back.searchParams.delete("iss");
      assert.equal(await codeOf(await from.end(back, cookie)), "LOGIN_REFUSED");
    });

    it("remembers the longest path that is accepted", async () => {
      await using from = await shop(provider.issuer);
      const { cookie } = await from.begin(`/${"%".repeat(1023)}`);
      assert.ok(cookie.length < 4096, String(cookie.length));
    });

    it("redirects to no other origin after a login", async () => {
      await using from = await shop(provider.issuer);
      for (const path of [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "orders",
        "/a\tb",
        "/a\nb",
        '/a"b',
        `/${'"'.repeat(1023)}`,
        "",
        `/${"a".repeat(1024)}`,
      ]) {
        // oxlint-disable-next-line no-await-in-loop
        const response = await from.start(path);
        assert.ok(
          response.status === 400 || response.status === 404,
          `${JSON.stringify(path)} ${response.status}`,
        );
      }
    });
  });
}
