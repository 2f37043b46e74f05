import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";

import { createApp, defineMiddleware, type AppOptions, type RequestContext } from "@kit/core";
import { cancellable, transaction } from "@kit/core/pg";
import { idempotencyTableSql, idempotent, type IdempotentOptions } from "@kit/idempotency";
import { nativeServer } from "@kit/server-native";
import type { Auth, CompiledScopes, LogEntry } from "@kit/types";
import { Pool } from "pg";

import { Cluster, until } from "../../../tests/database/support/cluster.ts";
import { compiled, objectOf, responseOf, route } from "../../core/test/support/compiled.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";

quietStdout();

type Handler = (input: { readonly body: unknown; readonly ctx: RequestContext }) => unknown;

const paths = ["POST /payments", "POST /refunds", "POST /nothing"];

/** Returns the status and the code of an error response. */
const codeOf = async (response: Response): Promise<unknown> => [
  response.status,
  ((await response.json()) as { error: { code: string } }).error.code,
];

describe("idempotent", { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let pool: Pool;

  before(async () => {
    cluster = await Cluster.start();
    pool = new Pool({ connectionString: cluster.url, max: 10 });
    await pool.query(idempotencyTableSql());
    await pool.query("create table payments (id serial primary key, text text not null)");
  });
  after(async () => {
    await pool?.end();
    await cluster?.remove();
  });
  beforeEach(async () => {
    await pool.query("truncate payments restart identity");
    await pool.query("truncate kit_idempotency");
  });

  const pay: Handler = async ({ body, ctx }) => {
    const { text } = body as { text: string };
    const { rows } = await cancellable(pool, ctx.signal).query(
      "insert into payments (text) values ($1) returning id",
      [text],
    );
    ctx.header("x-payment", String(rows[0].id));
    return { text: `${text} ${rows[0].id}` };
  };
  const payments = async (): Promise<number> =>
    (await cluster.query("select count(*)::int as n from payments"))[0]!["n"] as number;

  /** Starts an application on the native server. Its handlers can be replaced. */
  async function start(
    handler: Handler = pay,
    options: Partial<IdempotentOptions> = {},
    scopes?: CompiledScopes,
  ): Promise<
    AsyncDisposable & {
      send(
        path: string,
        key: string | undefined,
        text: string,
        headers?: Record<string, string>,
      ): Promise<Response>;
      readonly log: LogEntry[];
    }
  > {
    const log: LogEntry[] = [];
    const answer = responseOf("Answer", { text: "string" });
    const routes = paths.map((key) => ({
      ...route(key, {
        body: objectOf("NewPayment", { text: "string" }),
        ...(key === "POST /nothing" ? {} : { response: answer }),
        status: key === "POST /nothing" ? 204 : 201,
        middleware: ["caller", "once"],
        ...(scopes && { scopes }),
      }),
      wrappers: { once: {} },
    }));
    const app = createApp({
      env: "production",
      signals: false,
      server: nativeServer(),
      compiled: compiled(...routes),
      logging: { level: "debug" },
      plugins: [{ name: "log", onLog: (entry: LogEntry) => log.push(entry) }],
      middleware: [
        {
          name: "caller",
          middleware: defineMiddleware<{ auth: Auth<string> & { subject: string } }>(({ ctx, headers }) => {
            ctx.header("x-trace", ctx.requestId);
            const granted = headers["x-scopes"]?.split(" ") ?? [];
            return { auth: { subject: headers["x-user"] ?? "Ada", has: (scope) => granted.includes(scope) } };
          }),
          priority: 0,
        },
        { name: "once", middleware: idempotent({ pool, ...options }), priority: 10 },
      ],
      routes: [{ handlers: Object.fromEntries(paths.map((key) => [key, handler])) }],
    } as unknown as AppOptions);
    const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
    return {
      log,
      send: (path, key, text, headers = {}) =>
        fetch(`http://127.0.0.1:${port}${path}`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(key !== undefined && { "idempotency-key": key }),
            ...headers,
          },
          body: JSON.stringify({ text }),
        }),
      [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }),
    };
  }

  it("executes a request once, and sends the same status, headers and bytes again", async () => {
    await using app = await start();
    const first = await app.send("/payments", '"k-1"', "tea ü");
    const bytes = Buffer.from(await first.arrayBuffer());
    assert.equal(bytes.toString(), '{"text":"tea ü 1"}');
    for (let time = 0; time < 3; time++) {
      const again = await app.send("/payments", '"k-1"', "tea ü");
      assert.equal(again.status, 201);
      assert.equal(again.headers.get("x-payment"), "1");
      assert.equal(again.headers.get("content-type"), first.headers.get("content-type"));
      assert.notEqual(again.headers.get("x-trace"), first.headers.get("x-trace"), "outer headers are new");
      assert.deepEqual(Buffer.from(await again.arrayBuffer()), bytes);
    }
    assert.equal(await payments(), 1);
  });

  it("treats a key with and without quotes as equal", async () => {
    await using app = await start();
    await app.send("/payments", '"k-1"', "tea");
    assert.equal(await (await app.send("/payments", "k-1", "tea")).text(), '{"text":"tea 1"}');
    assert.equal(await payments(), 1);
  });

  it("executes requests with other keys, and of other callers with the same key", async () => {
    await using app = await start();
    await app.send("/payments", "k-1", "tea");
    assert.equal(await (await app.send("/payments", "k-2", "tea")).text(), '{"text":"tea 2"}');
    const other = await app.send("/payments", "k-1", "tea", { "x-user": "Eve" });
    assert.equal(await other.text(), '{"text":"tea 3"}');
  });

  it("answers 422 if the key was used for another body, path or query", async () => {
    await using app = await start();
    await app.send("/payments", "k-1", "tea");
    for (const [path, text] of [
      ["/payments", "milk"],
      ["/refunds", "tea"],
      ["/payments?a=1", "tea"],
    ] as const) {
      assert.deepEqual(await codeOf(await app.send(path, "k-1", text)), [422, "IDEMPOTENCY_KEY_REUSED"]);
    }
    assert.equal(await payments(), 1);
  });

  it("answers 400 without a key and to an invalid key, before the handler runs", async () => {
    await using app = await start();
    for (const key of [undefined, "", '""', "a b", '"a', "a".repeat(256), '"ü"']) {
      const code = await codeOf(await app.send("/payments", key, "tea"));
      assert.deepEqual(code, [400, "VALIDATION_ERROR"], String(key));
    }
    assert.equal(await payments(), 0);
  });

  it("executes requests without a key each time with `required: false`", async () => {
    await using app = await start(pay, { required: false });
    await app.send("/payments", undefined, "tea");
    await app.send("/payments", undefined, "tea");
    assert.equal(await payments(), 2);
  });

  it("rolls a failed request without a key back with `required: false`", async () => {
    await using app = await start(
      async (input) => {
        await pay(input);
        return input.ctx.fail(409, "SOLD_OUT", "There is no tea");
      },
      { required: false },
    );
    assert.deepEqual(await codeOf(await app.send("/payments", undefined, "tea")), [409, "SOLD_OUT"]);
    assert.equal(await payments(), 0);
  });

  it("stores an answer without a body", async () => {
    await using app = await start(async (input) => void (await pay(input)));
    assert.equal((await app.send("/nothing", "k-1", "tea")).status, 204);
    const again = await app.send("/nothing", "k-1", "tea");
    assert.deepEqual([again.status, await again.text()], [204, ""]);
    assert.equal(await payments(), 1);
  });

  it("stores a status and an answer of ctx.status and ctx.send", async () => {
    await using app = await start(async (input) => {
      await pay(input);
      input.ctx.status(202);
      return input.ctx.send("a,b\n", { contentType: "text/csv" });
    });
    for (let time = 0; time < 2; time++) {
      const response = await app.send("/payments", "k-1", "tea");
      assert.deepEqual(
        [response.status, response.headers.get("content-type"), await response.text()],
        [202, "text/csv", "a,b\n"],
      );
    }
    assert.equal(await payments(), 1);
  });

  it("rolls back and stores nothing if the handler throws", async () => {
    let fails = true;
    await using app = await start(async (input) => {
      const result = await pay(input);
      return fails ? input.ctx.fail(409, "SOLD_OUT", "There is no tea") : result;
    });
    assert.deepEqual(await codeOf(await app.send("/payments", "k-1", "tea")), [409, "SOLD_OUT"]);
    assert.equal(await payments(), 0);
    fails = false;
    assert.equal((await app.send("/payments", "k-1", "tea")).status, 201);
    assert.equal(await payments(), 1);
  });

  it("lets the handler use transactions of its own, which are part of the whole", async () => {
    await using app = await start(async (input) => {
      await assert.rejects(
        transaction(input.ctx, pool, async (tx) => {
          await pay({ ...input, ctx: tx });
          throw new Error("undone");
        }),
        /undone/,
      );
      return transaction(input.ctx, pool, (tx) => pay({ ...input, ctx: tx }));
    });
    const first = await (await app.send("/payments", "k-1", "tea")).text();
    assert.equal(await (await app.send("/payments", "k-1", "tea")).text(), first);
    assert.equal(await payments(), 1);
  });

  it("answers 409 with Retry-After while a request with the key is running", async () => {
    const paid = Promise.withResolvers<void>();
    let running = 0;
    await using app = await start(async (input) => {
      running += 1;
      await paid.promise;
      return pay(input);
    });
    const first = app.send("/payments", "k-1", "tea");
    await until(() => running === 1, "the first request");
    const second = await app.send("/payments", "k-1", "tea");
    assert.equal(second.headers.get("retry-after"), "1");
    assert.deepEqual(await codeOf(second), [409, "IDEMPOTENCY_KEY_IN_USE"]);
    paid.resolve();
    assert.equal((await first).status, 201);
    assert.equal(await payments(), 1);
  });

  it("executes one of many simultaneous requests, and answers 409 or the same to the others, at each isolation level", async () => {
    for (const isolation of ["read committed", "repeatable read", "serializable"] as const) {
      await using app = await start(pay, { isolation });
      const earlier = await payments();
      const responses = await Promise.all(
        Array.from({ length: 60 }, () => app.send("/payments", `k-${isolation.length}`, "tea")),
      );
      const bodies = new Set<string>();
      for (const response of responses) {
        if (response.status === 201) bodies.add(await response.text());
        else assert.deepEqual(await codeOf(response), [409, "IDEMPOTENCY_KEY_IN_USE"]);
      }
      assert.equal(bodies.size, 1, isolation);
      assert.equal(await payments(), earlier + 1, isolation);
    }
  });

  it("refuses answers above `maxBytes` and streams, and rolls back", async () => {
    await using large = await start(
      async (input) => {
        await pay(input);
        return { text: "x".repeat(200) };
      },
      { maxBytes: 100 },
    );
    assert.equal((await large.send("/payments", "k-1", "tea")).status, 500);
    assert.match(JSON.stringify(large.log.map(String) && large.log), /stores at most 100/);
    await using streaming = await start(async (input) => {
      await pay(input);
      return input.ctx.send(
        (async function* () {
          yield "a";
        })(),
      );
    });
    assert.equal((await streaming.send("/payments", "k-2", "tea")).status, 500);
    assert.equal(await payments(), 0);
  });

  it("refuses an answer that sets a cookie, so that the table has no credentials, and rolls back", async () => {
    await using app = await start(async (input) => {
      const result = await pay(input);
      input.ctx.cookie("__Host-session", "a token");
      return result;
    });
    assert.deepEqual(await codeOf(await app.send("/payments", "k-1", "tea")), [500, "INTERNAL_SERVER_ERROR"]);
    assert.match(JSON.stringify(app.log), /POST \/payments: the answer sets a cookie/);
    assert.deepEqual((await pool.query("select from kit_idempotency")).rowCount, 0);
    assert.equal(await payments(), 0);
  });

  it("leaves a connection for queries of the pool itself, so that many requests do not wait for each other", async () => {
    const small = new Pool({ connectionString: cluster.url, max: 2, connectionTimeoutMillis: 3000 });
    await using app = await start(
      async ({ body }) => {
        await small.query("insert into payments (text) values ($1)", [(body as { text: string }).text]);
        return body;
      },
      { pool: small },
    );
    const sent = Array.from({ length: 6 }, (_, number) => app.send("/payments", `k-${number}`, "tea"));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 201]);
    await small.end();
  });

  it("answers 503 if all places for transactions stay occupied for the time that the pool waits for connections", async () => {
    const small = new Pool({ connectionString: cluster.url, max: 2, connectionTimeoutMillis: 300 });
    const paid = Promise.withResolvers<void>();
    let running = 0;
    await using app = await start(
      async ({ body }) => {
        running += 1;
        await paid.promise;
        return body;
      },
      { pool: small },
    );
    const first = app.send("/payments", "k-1", "tea");
    await until(() => running === 1, "the first request");
    assert.deepEqual(await codeOf(await app.send("/payments", "k-2", "tea")), [503, "SERVICE_UNAVAILABLE"]);
    paid.resolve();
    assert.equal((await first).status, 201);
    assert.equal((await app.send("/payments", "k-2", "tea")).status, 201);
    await small.end();
  });

  it("forgets an answer when it has expired, and removes it from the table", async () => {
    await using app = await start();
    await app.send("/payments", "k-1", "tea");
    await app.send("/payments", "k-2", "tea");
    await pool.query("update kit_idempotency set expires_at = now() - interval '1 s'");
    assert.equal(await (await app.send("/payments", "k-1", "milk")).text(), '{"text":"milk 3"}');
    assert.deepEqual((await pool.query("select count(*)::int as n from kit_idempotency")).rows, [{ n: 1 }]);
  });

  it("answers 500 without an identity, and executes nothing", async () => {
    await using app = await start(pay, { by: "auth.tenant" });
    assert.equal((await app.send("/payments", "k-1", "tea")).status, 500);
    assert.match(JSON.stringify(app.log), /ctx.auth.tenant has no text/);
    assert.equal(await payments(), 0);
  });

  it("does not send a stored answer to a caller without the scope, and takes no connection for this caller", async () => {
    const scopes = { anyOf: [["payments:write"]], isBearer: false, before: "once" };
    await using app = await start(pay, {}, scopes);
    const granted = { "x-scopes": "payments:write" };
    const first = await (await app.send("/payments", "k-1", "tea", granted)).text();
    assert.equal(await (await app.send("/payments", "k-1", "tea", granted)).text(), first);
    let acquired = 0;
    const count = (): void => void (acquired += 1);
    pool.on("acquire", count);
    for (const key of ["k-1", "k-2", undefined]) {
      const code = await codeOf(await app.send("/payments", key, "tea", { "x-scopes": "payments:read" }));
      assert.deepEqual(code, [403, "INSUFFICIENT_SCOPE"], String(key));
    }
    pool.off("acquire", count);
    assert.equal(acquired, 0);
    assert.equal(await payments(), 1);
  });

  it("frees the connections", async () => {
    await using app = await start();
    for (let time = 0; time < 30; time++)
      await app.send("/payments", `k-${time % 10}`, time % 3 ? "tea" : "milk");
    await until(() => pool.idleCount === pool.totalCount, "the connections to come back");
  });

  for (const [options, message] of [
    [{ hour: 1 }, /there is no option `hour`/],
    [{ hours: 0 }, /`hours` must be a number from 0.01 to 8760, not 0/],
    [{ maxBytes: 0.5 }, /`maxBytes` must be a positive integer, not 0.5/],
    [{ by: "user" }, /`by` must be a path such as auth.subject/],
    [{ table: "a;b" }, /the name of the table/],
  ] as const) {
    it(`refuses the options ${JSON.stringify(options)}`, () => {
      assert.throws(
        () => idempotent({ pool, ...options } as never),
        (error) => error instanceof TypeError && message.test(error.message),
      );
    });
  }
});
