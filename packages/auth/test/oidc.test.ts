import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { createOidc, type OidcOptions } from "@kit/auth/oidc";

import { Browser } from "./support/browser.ts";
import { codeOf, type Running, start } from "./support/application.ts";

const callback = "http://127.0.0.1:1/callback";

/** Provider in a process of its own. */
class Provider implements AsyncDisposable {
  readonly issuer: string;
  readonly #process: ChildProcess;

  constructor(issuer: string, process: ChildProcess) {
    this.issuer = issuer;
    this.#process = process;
  }

  /** Starts a provider whose clock is ahead by these milliseconds. */
  static async start(ahead = 0): Promise<Provider> {
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const { port } = probe.address() as AddressInfo;
    probe.close();
    const file = join(import.meta.dirname, "support/provider.ts");
    const child = spawn(process.execPath, [file, String(port), String(ahead)], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    return new Provider(`http://127.0.0.1:${port}`, child);
  }

  async tell(path: string): Promise<void> {
    await fetch(`${this.issuer}/test/${path}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await once(this.#process, "exit");
  }
}

/** Application with a login at the provider. The last login is in `logins`. */
interface Shop extends AsyncDisposable {
  readonly app: Running;
  /** Begins a login. Returns the URL of the provider and the cookie. */
  begin(query?: string): Promise<{ url: string; cookie: string }>;
  /** Opens the callback with a cookie. */
  end(url: URL, cookie: string): Promise<Response>;
}

async function shop(issuer: string, options: Partial<OidcOptions> = {}): Promise<Shop> {
  const oidc = createOidc({
    issuer,
    clientId: "shop",
    clientSecret: "a secret of the client shop, for tests",
    redirectUri: callback,
    scope: "openid offline_access",
    ...options,
  });
  const app = await start(
    {
      "GET /login/*to": async ({ ctx }) => ({
        text: await oidc.start(ctx, {
          returnTo: decodeURIComponent(ctx.rawWildcard!),
          parameters: { prompt: "consent" },
        }),
      }),
      "GET /callback/*query": async ({ ctx }) => {
        const query = Object.fromEntries(new URLSearchParams(decodeURIComponent(ctx.rawWildcard!)));
        return { text: JSON.stringify(await oidc.finish(ctx, query)) };
      },
      "GET /refresh/:token/:subject": async ({ ctx }) => {
        const [token = "", subject = ""] = ctx.path.split("/").slice(2);
        return { text: JSON.stringify(await oidc.refresh(ctx, token, subject)) };
      },
      "GET /logout/:token": async ({ ctx }) => ({
        text: String(await oidc.logoutUrl(ctx, ctx.path.split("/").at(-1)!, "http://127.0.0.1:1/bye")),
      }),
    },
    { cookies: { keys: ["a key of at least 32 characters for tests"] } },
  );
  return {
    app,
    begin: async (to = "/") => {
      const response = await app.send(`/login/${encodeURIComponent(to)}`);
      if (!response.ok) throw new Error(await response.text());
      const [setCookie = ""] = response.headers.getSetCookie();
      assert.match(setCookie, /^__Host-login=\S+; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
      return { url: ((await response.json()) as { text: string }).text, cookie: setCookie.split(";")[0]! };
    },
    end: (url, cookie) =>
      app.send(`/callback/${encodeURIComponent(url.search.slice(1))}`, { headers: { cookie } }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
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

describe("createOidc", () => {
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
    const refreshed = await textOf<Login>(await from.app.send(`/refresh/${refreshToken}/ada`));
    assert.notEqual(refreshed.accessToken, accessToken);
    assert.notEqual(refreshed.refreshToken, refreshToken);
    const foreign = await from.app.send(`/refresh/${refreshed.refreshToken}/eve`);
    assert.equal(foreign.status, 401);
    // The provider has replaced this token, so it is refused.
    const old = await from.app.send(`/refresh/${refreshToken}/ada`);
    assert.equal(old.status, 401);
    assert.equal(await codeOf(old), "LOGIN_REFUSED");
  });

  it("returns the URL of the logout at the provider", async () => {
    await using from = await shop(provider.issuer);
    const { idToken } = await login(from);
    const response = await from.app.send(`/logout/${idToken}`);
    const { text } = (await response.json()) as { text: string };
    const url = new URL(text);
    assert.equal(url.origin, provider.issuer);
    assert.equal(url.searchParams.get("id_token_hint"), idToken);
    const bye = await new Browser().login(text, "ada", "http://127.0.0.1:1/bye");
    assert.equal(bye.pathname, "/bye");
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
    const down = await from.app.send("/login/%2F");
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
    assert.equal((await nowhere.app.send("/login/%2F")).status, 503);
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
      "",
      `/${"a".repeat(1024)}`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await from.app.send(`/login/${encodeURIComponent(path)}`);
      assert.ok(
        response.status === 400 || response.status === 404,
        `${JSON.stringify(path)} ${response.status}`,
      );
    }
  });

  it("refuses options that are unknown or not safe when it is created", () => {
    const given = {
      issuer: "https://id.example",
      clientId: "shop",
      redirectUri: "https://shop.example/callback",
    };
    for (const [options, message] of [
      [{ issuer: "http://id.example" }, /`issuer` must be a URL with https:/],
      [{ redirectUri: "/callback" }, /`redirectUri` must be a URL/],
      [{ redirectUri: "https://shop.example/callback?x=1" }, /without a query/],
      [{ clientId: "" }, /`clientId` must be/],
      [{ scope: "email" }, /`scope` must have openid/],
      [{ cookie: "login" }, /must begin with __Host-/],
      [{ secret: "x" }, /no option `secret`/],
      [{ loginMs: 1 }, /loginMs must be an integer from 10000/],
    ] as const) {
      assert.throws(() => createOidc({ ...given, ...options } as OidcOptions), message);
    }
  });
});
