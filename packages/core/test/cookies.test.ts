import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type AppOptions, type CookieOptions, createApp } from "@kit/core";
import { responseOf, route } from "./support/compiled.ts";
import type { MemoryResponse } from "./support/memory-server.ts";
import { errorOf, serve, type Served, type TestHandler } from "./support/serve.ts";

const get = route("GET /session", { response: responseOf("Session", { user: "string?" }) });
const oldKey = "old-key-old-key-old-key-old-key-old";
const newKey = "new-key-new-key-new-key-new-key-new";

function answering(handler: TestHandler, options: Partial<AppOptions> = {}): Promise<Served> {
  return serve([[get, handler]], { logLevel: "info", ...options });
}

/** Returns the values of `set-cookie` in a response. */
function cookiesIn({ headers }: MemoryResponse): string[] {
  return headers.filter((_, index) => headers[index - 1] === "set-cookie");
}

async function setCookie(
  name: string,
  value: string | null,
  options?: CookieOptions,
  appOptions?: Partial<AppOptions>,
): Promise<string> {
  const handler: TestHandler = ({ ctx }) => {
    ctx.cookie(name, value, options);
    return {};
  };
  const { send } = await answering(handler, appOptions);
  const answer = await send("GET /session");
  assert.equal(answer.status, 200, answer.text ?? "");
  return cookiesIn(answer).join("\n");
}

function keys(...list: string[]): Partial<AppOptions> {
  return { cookies: { keys: list } };
}

const read: TestHandler = ({ ctx }) => ({ user: ctx.signedCookie("user") });

function create(cookies: unknown): unknown {
  return createApp({ routes: [], cookies } as AppOptions);
}

/** Returns a signed cookie as a client sends it. */
async function signed(value: string, key: string, name = "user"): Promise<string> {
  return (await setCookie(name, value, { signed: true }, keys(key))).split(";")[0]!;
}

async function readFrom(cookie: string, ...list: string[]): Promise<unknown> {
  const { send } = await answering(read, keys(...list));
  return JSON.parse((await send("GET /session", { headers: { cookie } })).text!);
}

describe("ctx.cookie", () => {
  it("has safe defaults", async () => {
    assert.equal(await setCookie("sid", "1"), "sid=1; Path=/; Secure; HttpOnly; SameSite=Lax");
  });

  it("sets no Secure in development, unless the prefix or another option requires it", async () => {
    const development = { env: "development" } as const;
    assert.equal(await setCookie("sid", "1", {}, development), "sid=1; Path=/; HttpOnly; SameSite=Lax");
    assert.equal(
      await setCookie("__Host-sid", "1", {}, development),
      "__Host-sid=1; Path=/; Secure; HttpOnly; SameSite=Lax",
    );
    assert.match(await setCookie("a", "1", { sameSite: "none" }, development), /; Secure; .*SameSite=None/);
    assert.match(await setCookie("a", "1", { partitioned: true }, development), /; Secure; .*; Partitioned/);
    assert.match(await setCookie("a", "1", { secure: true }, development), /; Secure/);
  });

  it("writes every option", async () => {
    const options: CookieOptions = {
      maxAge: 60,
      expires: new Date(0),
      path: "/a",
      domain: "example.com",
      secure: false,
      httpOnly: false,
      sameSite: "strict",
    };
    assert.equal(
      await setCookie("a", "b", options),
      "a=b; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/a; Domain=example.com; SameSite=Strict",
    );
  });

  it("percent-encodes the characters that RFC 6265 does not allow, and the percent sign", async () => {
    const value = 'a b";,\\%é😀\u0000\r\n=~!';
    const line = await setCookie("a", value);
    const text = line.slice(2, line.indexOf(";"));
    assert.equal(text, "a%20b%22%3B%2C%5C%25%C3%A9%F0%9F%98%80%00%0D%0A=~!");
    assert.equal(decodeURIComponent(text), value);
  });

  it("deletes a cookie with the same path and domain if the value is null", async () => {
    assert.equal(
      await setCookie("sid", null, { path: "/a", domain: "example.com", maxAge: 60 }),
      "sid=; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/a; Domain=example.com; Secure; HttpOnly; SameSite=Lax",
    );
  });

  it("replaces a cookie with the same name, path and domain, and keeps other cookies and cookies of ctx.header", async () => {
    const { send } = await answering(({ ctx }) => {
      ctx.header("set-cookie", "own=1").cookie("a", "1").cookie("a", "2", { path: "/x" }).cookie("b", "1");
      ctx.cookie("a", "3");
      return {};
    });
    const lines = cookiesIn(await send("GET /session")).map((line) => line.split("; Secure")[0]);
    assert.deepEqual(lines, ["own=1", "a=2; Path=/x", "b=1; Path=/", "a=3; Path=/"]);
  });

  it("is kept in error responses", async () => {
    const { send } = await answering(({ ctx }) => ctx.cookie("a", "1").fail(401, "WHO", "Who?"));
    assert.equal(cookiesIn(await send("GET /session")).length, 1);
  });

  const mistakes: readonly [what: string, name: string, value: string, options: object, message: RegExp][] = [
    ["a name that is not a token", "a b", "1", {}, /the name may hold only letters/],
    ["an unknown option", "a", "1", { httponly: true }, /no option `httponly`/],
    ["a path without a slash", "a", "1", { path: "a" }, /`path` must begin with a slash/],
    ["a path with a semicolon", "a", "1", { path: "/;a" }, /`path` must begin with a slash/],
    ["a domain with a line break", "a", "1", { domain: "a\r\nb" }, /`domain` must be a host name/],
    ["an unknown sameSite", "a", "1", { sameSite: "None" }, /`sameSite` must be/],
    ["a fraction of a second", "a", "1", { maxAge: 0.5 }, /`maxAge` must be a whole number/],
    ["an invalid date", "a", "1", { expires: new Date(Number.NaN) }, /`expires` must be a valid Date/],
    ["an unpaired surrogate", "a", "\ud800", {}, /without unpaired surrogates/],
    ["a cookie above 4,096 bytes", "a", "é".repeat(700), {}, /have 4201 bytes/],
    ["the prefix __Host- with a domain", "__Host-a", "1", { domain: "a.b" }, /prefix __Host-/],
    ["the prefix __host- with a path", "__host-a", "1", { path: "/a" }, /prefix __Host-/],
    ["the prefix __Secure- without Secure", "__Secure-a", "1", { secure: false }, /not secure/],
    ["SameSite=None without Secure", "a", "1", { sameSite: "none", secure: false }, /`sameSite: none`/],
    ["a signature without a key", "a", "1", { signed: true }, /needs a key: .*KIT_COOKIE_KEYS/],
  ];
  for (const [what, name, value, options, message] of mistakes) {
    it(`refuses ${what} with 500, and logs no value`, async () => {
      const { send, log } = await answering(({ ctx }) => ctx.cookie(name, value, options));
      assert.equal((await send("GET /session")).status, 500);
      assert.match(log[0]!.message, message);
    });
  }

  it("does nothing after the response, except for a warning", async () => {
    const { send, log } = await answering(async ({ ctx }) => {
      setTimeout(() => ctx.cookie("a", "1"), 1);
      return {};
    });
    await send("GET /session");
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.match(log[0]!.message, /ctx\.cookie was called after the response/);
  });
});

describe("signed cookies", () => {
  it("are read as they were written, even with characters that a cookie cannot contain", async () => {
    const cookie = await signed("a=b; é.", newKey);
    assert.match(cookie, /^user=a=b%3B%20%C3%A9\.\.[\w-]{43}$/);
    assert.deepEqual(await readFrom(`x=1; ${cookie}; y=2`, newKey), { user: "a=b; é." });
  });

  it("have the HMAC-SHA-256 of their name and value as signature", async () => {
    // printf 'user=u1' | openssl dgst -sha256 -hmac "$key" -binary | basenc --base64url
    assert.equal(await signed("u1", newKey), "user=u1.LOXjZzPzgPirmpEPQtr9D8A2AXmcmVd-UKrWV3El4HY");
  });

  it("are absent if the request has no such cookie, or if value, name, key or signature differ", async () => {
    const cookie = await signed("u1", newKey);
    assert.deepEqual(await readFrom(cookie, newKey), { user: "u1" });
    const other = await signed("u1", newKey, "other");
    const forged = [
      "",
      "user=u1",
      "user=",
      "user=.",
      cookie.replace("u1", "u2"),
      cookie.replace("user", "users"),
      other.replace("other", "user"),
      cookie.slice(0, -1),
      `${cookie}A`,
      await signed("u1", oldKey),
    ];
    for (const text of forged) assert.deepEqual(await readFrom(text, newKey), {}, text);
  });

  it("have the right value with every request, also if thousands of other cookies are read in between", async () => {
    const { send } = await answering(read, keys(newKey));
    const userOf = async (cookie: string): Promise<unknown> =>
      (JSON.parse((await send("GET /session", { headers: { cookie } })).text ?? "") as { user?: string })
        .user;
    const cookies = await Promise.all(
      Array.from({ length: 1200 }, (_, index) => signed(`u${index}`, newKey)),
    );
    const expected = cookies.map((_, index) => `u${index}`);
    for (const round of [1, 2]) {
      // oxlint-disable-next-line no-await-in-loop -- the second round begins after the first one
      assert.deepEqual(await Promise.all(cookies.map(userOf)), expected, `round ${round}`);
    }
    // A verified value is known now. Its signature, another name and another value must still be checked.
    const last = cookies.at(-1)!;
    assert.equal(await userOf(last.slice(0, -1)), undefined);
    assert.equal(await userOf(`${last}A`), undefined);
    assert.equal(await userOf(last.replace("u1199", "u1198")), undefined);
    assert.equal(await userOf(last.replace("user=", "other=")), undefined);
  });

  it("are valid if any key of the list has signed them, and new cookies are signed with the first key", async () => {
    const cookie = await signed("u1", oldKey);
    assert.deepEqual(await readFrom(cookie, newKey, oldKey), { user: "u1" });
    assert.deepEqual(await readFrom(cookie, newKey), {});
    const renewed = await setCookie("user", "u1", { signed: true }, keys(newKey, oldKey));
    assert.equal(renewed.split(";")[0], await signed("u1", newKey));
  });

  it("cannot be read without a key", async () => {
    const { send, log } = await answering(read);
    const answer = await send("GET /session");
    assert.equal(errorOf(answer)["code"], "INTERNAL_SERVER_ERROR");
    assert.match(log[0]!.message, /ctx\.signedCookie needs a key/);
  });

  it("are read from the first cookie with the name", async () => {
    const first = await signed("u1", newKey);
    const second = await signed("u2", newKey);
    assert.deepEqual(await readFrom(`${first}; ${second}`, newKey), { user: "u1" });
  });
});

describe("the keys of signed cookies", () => {
  it("are refused at the start if they are missing, short or of another type, without being shown", () => {
    assert.throws(() => create({ keys: [] }), /`cookies\.keys` must be a list with at least one key/);
    assert.throws(() => create({ keys: oldKey }), /must be a list/);
    assert.throws(
      () => create({ keys: [oldKey, "hunter2"] }),
      /^(?!.*hunter2).*key 2 .*at least 32 characters/,
    );
    assert.throws(() => create({ key: oldKey }), /no option `cookies\.key`; did you mean `keys`/);
    assert.throws(() => create(null), /`cookies` must be an object/);
  });

  it("come from KIT_COOKIE_KEYS if the option is absent", async (test) => {
    test.after(() => delete process.env["KIT_COOKIE_KEYS"]);
    process.env["KIT_COOKIE_KEYS"] = `${newKey}, ${oldKey}`;
    const { send } = await answering(({ ctx }) => ({ user: ctx.signedCookie("user") }));
    process.env["KIT_COOKIE_KEYS"] = "short";
    assert.throws(() => create(undefined), /KIT_COOKIE_KEYS: key 1 must be a string of at least 32/);
    delete process.env["KIT_COOKIE_KEYS"];
    const cookie = (await setCookie("user", "u1", { signed: true }, { cookies: { keys: [oldKey] } })).split(
      ";",
    )[0]!;
    assert.equal((await send("GET /session", { headers: { cookie } })).text, '{"user":"u1"}');
  });
});
