import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";

import {
  createSessions,
  memorySessions,
  optionalSession,
  postgresSessions,
  type PostgresSessionStore,
  sessionAuth,
  type SessionOptions,
  sessionTableSql,
  type SessionStore,
  valkeySessions,
} from "@kit/auth";
import type { MiddlewareInput } from "@kit/core";
import { createTestDatabase, type TestDatabase } from "@kit/dev-database";
import { Valkey } from "iovalkey";
import { Pool } from "pg";
import { createClient } from "redis";

import { servers } from "../../../tests/conformance/servers.ts";
import type { TestHandler } from "../../core/test/support/serve.ts";
import { codeOf, type Running, start } from "./support/application.ts";

const keys = { keys: ["a key of at least 32 characters for tests"] };

interface Data {
  readonly name: string;
}

/** Application with a login. Its middleware reads the session, if there is one. */
async function application(
  options: Omit<SessionOptions<"read", Data>, "scopes">,
  server?: Parameters<typeof start>[2],
  cookieKeys: { readonly keys: string[] } = keys,
): Promise<Browser> {
  const sessions = createSessions<Data, "read">({ ...options, scopes: ["read"] });
  const required = sessionAuth(sessions);
  const handlers: Record<string, TestHandler> = {
    "GET /me": ({ ctx }) => {
      const auth = ctx["auth"] as { subject: string; data: Data; scopes: readonly string[] } | null;
      return { text: auth === null ? "nobody" : `${auth.subject} ${auth.data.name} ${auth.scopes.join()}` };
    },
    "GET /private": async ({ ctx }) => {
      const { auth } = await required({ ctx } as unknown as MiddlewareInput);
      return { text: auth.subject };
    },
    "POST /login/:user": async ({ ctx }) => {
      const user = ctx.path.split("/").at(-1)!;
      await sessions.start(ctx, user, { name: `name of ${user}` });
      return { text: user };
    },
    "POST /rename": async ({ ctx }) => ({ text: String(await sessions.update(ctx, { name: "new name" })) }),
    "POST /rotate": async ({ ctx }) => ({ text: String(await sessions.rotate(ctx)) }),
    "POST /logout": async ({ ctx }) => {
      await sessions.end(ctx);
      return { text: "" };
    },
    "POST /everywhere/:user": async ({ ctx }) => {
      await sessions.endAll(ctx.path.split("/").at(-1)!);
      return { text: "" };
    },
    "POST /others/:user": async ({ ctx }) => {
      await sessions.endAll(ctx.path.split("/").at(-1)!, ctx);
      return { text: "" };
    },
  };
  const middleware = [optionalSession(sessions)];
  const app = await start(handlers, { middleware, cookies: cookieKeys, csrf: true }, server);
  return new Browser(app);
}

/** Client that keeps its cookie. */
class Browser implements AsyncDisposable {
  readonly app: Running;
  cookie = "";
  /** Last header `set-cookie`. */
  setCookie = "";

  constructor(app: Running) {
    this.app = app;
  }

  /** Returns another client of the same application. */
  other(cookie = ""): Browser {
    const browser = new Browser(this.app);
    browser.cookie = cookie;
    return browser;
  }

  async send(line: string, headers: Record<string, string> = {}): Promise<Response> {
    const [method = "", path = ""] = line.split(" ");
    const response = await this.app.send(path, {
      method,
      headers: { ...(this.cookie !== "" && { cookie: this.cookie }), ...headers },
    });
    for (const text of response.headers.getSetCookie()) {
      this.setCookie = text;
      this.cookie = text.includes("Max-Age=0;") ? "" : text.split(";")[0]!;
    }
    return response;
  }

  async text(line: string): Promise<string> {
    const response = await this.send(line);
    const body = (await response.json()) as { text?: string };
    return response.ok ? body.text! : String(response.status);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
  }
}

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Tests that every store has to pass. */
function testStore(name: string, make: () => SessionStore): void {
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

describe("cookies of sessions", () => {
  it("are refused if they are changed, unsigned, of another cookie or of another application", async () => {
    await using browser = await application({ store: memorySessions() });
    await browser.text("POST /login/ada");
    const [token = "", signature = ""] = browser.cookie.slice("__Host-session=".length).split(".");
    await browser.text("POST /login/eve");
    const [otherToken = "", otherSignature = ""] = browser.cookie.slice("__Host-session=".length).split(".");
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
    const foreign = { keys: ["another key of at least 32 characters!"] };
    await using other = await application({ store: memorySessions() }, undefined, foreign);
    await other.text("POST /login/ada");
    assert.equal(await browser.other(other.cookie).text("GET /me"), "nobody");
  });

  it("stay valid while the key of cookies is replaced", async () => {
    const store = memorySessions();
    await using old = await application({ store });
    await old.text("POST /login/ada");
    const rotated = { keys: ["a new key of at least 32 characters for tests", ...keys.keys] };
    await using now = await application({ store }, undefined, rotated);
    assert.equal(await now.other(old.cookie).text("GET /private"), "ada");
  });

  it("are of no use to a page of another site, with the option csrf", async () => {
    await using browser = await application({ store: memorySessions() });
    await browser.text("POST /login/ada");
    const refused = await browser.send("POST /rename", {
      "sec-fetch-site": "cross-site",
      origin: "https://evil.example",
    });
    assert.equal(refused.status, 403);
    assert.match(await browser.text("GET /me"), /name of ada/);
  });

  it("contain no token that the store has", async () => {
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

describe("PostgreSQL", () => {
  let store: PostgresSessionStore;
  let pool: Pool;
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url, max: 5, connectionTimeoutMillis: 2000 });
    await pool.query(sessionTableSql());
    store = postgresSessions(pool);
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });

  testStore("PostgreSQL", () => store);

  it("removes sessions that have ended", async () => {
    await pool.query("DELETE FROM kit_sessions");
    const now = Date.now();
    const add = (id: string, seenAt: number, expiresAt: number): Promise<void> =>
      store.create(
        {
          id,
          subject: "s",
          data: "{}",
          createdAt: new Date(seenAt),
          seenAt: new Date(seenAt),
          expiresAt: new Date(expiresAt),
        },
        1000,
      );
    await add("idle", now - 2000, now + 60_000);
    await add("absolute", now - 100, now - 50);
    await add("valid", now, now + 60_000);
    assert.equal(await store.deleteEnded(), 2);
    assert.equal(await store.deleteEnded(), 0);
    assert.notEqual(await store.read("valid"), null);
  });

  it("refuses names of tables that need quotes", () => {
    for (const table of ["a b", "A", "a;b", "a.b.c", ""]) {
      assert.throws(() => postgresSessions(pool, { table }), /lower-case letters/);
      assert.throws(() => sessionTableSql(table), /lower-case letters/);
    }
  });

  it("gives 503 with Retry-After while the database does not answer, and does not log users out", async () => {
    const broken = new Pool({ host: "127.0.0.1", port: 1, connectionTimeoutMillis: 500 });
    await using works = await application({ store });
    await works.text("POST /login/ada");
    await using fails = await application({ store: postgresSessions(broken) });
    const response = await fails.other(works.cookie).send("GET /me");
    assert.equal(response.status, 503);
    assert.equal(response.headers.get("retry-after"), "1");
    assert.deepEqual(response.headers.getSetCookie(), []);
    assert.equal(await fails.text("GET /me"), "nobody");
    await broken.end();
  });
});

/** Program of a server that understands the protocol of Redis. */
const program = ["valkey-server", "redis-server"]
  .flatMap((name) => (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, name)))
  .find((path) => existsSync(path));

describe(
  "Valkey",
  { skip: program === undefined && "valkey-server and redis-server are not installed" },
  () => {
    let server: ReturnType<typeof spawn>;
    let port: number;
    let client: Valkey;
    let directory: string;
    before(async () => {
      const probe = createServer().listen(0, "127.0.0.1");
      await once(probe, "listening");
      ({ port } = probe.address() as AddressInfo);
      probe.close();
      directory = await mkdtemp(join(tmpdir(), "kit-valkey-"));
      server = spawn(
        program!,
        ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory],
        {
          stdio: "ignore",
        },
      );
      client = new Valkey({ port, host: "127.0.0.1", maxRetriesPerRequest: 20 });
      client.on("error", () => undefined);
      await client.ping();
    });
    after(async () => {
      client.disconnect();
      server.kill("SIGKILL");
      await once(server, "exit");
      await rm(directory, { recursive: true, force: true });
    });

    testStore("Valkey by iovalkey", () => valkeySessions(client));

    describe("with node-redis", () => {
      let connected: ReturnType<typeof createClient>;
      before(async () => {
        connected = createClient({ socket: { host: "127.0.0.1", port } });
        await connected.connect();
      });
      after(() => connected.destroy());
      testStore("Valkey by node-redis", () => valkeySessions(connected));
    });

    it("leaves nothing behind after all sessions have ended", async () => {
      await client.flushall();
      const store = valkeySessions(client);
      const now = Date.now();
      for (let index = 0; index < 3; index += 1) {
        const seenAt = new Date(now);
        // oxlint-disable-next-line no-await-in-loop
        await store.create(
          {
            id: `id${index}`,
            subject: "ada",
            data: "{}",
            createdAt: seenAt,
            seenAt,
            expiresAt: new Date(now + 300),
          },
          200,
        );
      }
      assert.equal(await client.dbsize(), 4);
      await wait(450);
      assert.equal(await client.dbsize(), 0);
    });

    it("gives 503 with Retry-After while the server does not answer", async () => {
      const broken = new Valkey({ port: 1, host: "127.0.0.1", maxRetriesPerRequest: 0, lazyConnect: true });
      broken.on("error", () => undefined);
      await using works = await application({ store: valkeySessions(client) });
      await works.text("POST /login/ada");
      await using fails = await application({ store: valkeySessions(broken) });
      const read = await fails.other(works.cookie).send("GET /me");
      assert.equal(read.status, 503);
      assert.equal(read.headers.get("retry-after"), "1");
      assert.equal(await codeOf(read), "SERVICE_UNAVAILABLE");
      const login = await fails.send("POST /login/ada");
      assert.equal(login.status, 503);
      assert.deepEqual(login.headers.getSetCookie(), []);
      broken.disconnect();
    });
  },
);
