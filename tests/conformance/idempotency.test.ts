// Repeats requests with an idempotency key on every server, and through `app.fetch`: they are executed once, and all
// answers have the same status, headers and bytes.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";

import { idempotencyTableSql } from "@kit/idempotency";
import { nativeServer } from "@kit/server-native";
import { Pool } from "pg";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { Cluster, until } from "../database/support/cluster.ts";
import { application } from "./payments-application.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

let cluster: Cluster;
let pool: Pool;
before(async () => {
  cluster = await Cluster.start();
  pool = new Pool({ connectionString: cluster.url, max: 20 });
  await pool.query(idempotencyTableSql());
  await pool.query("create table payments (id serial primary key, text text not null)");
});
after(async () => {
  await pool?.end();
  await cluster?.remove();
});
beforeEach(() => pool.query("truncate payments, kit_idempotency restart identity"));

/** Sends a payment with a key. Without a key if the key is `undefined`. */
type Send = (
  text: string,
  key: string | undefined,
  path?: string,
  headers?: Record<string, string>,
) => Promise<Response>;

const sendWith =
  (call: (path: string, init: RequestInit) => Promise<Response>): Send =>
  (text, key, path = "/payments", headers = {}) =>
    call(path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key !== undefined && { "idempotency-key": key }),
        ...headers,
      },
      body: JSON.stringify({ text }),
    });

const payments = async (): Promise<number> =>
  (await pool.query("select count(*)::int as n from payments")).rows[0].n;

/** Returns true while a payment with the text `slow` is being executed. */
const isSlowRunning = async (): Promise<boolean> =>
  (await pool.query("select from pg_stat_activity where query = 'select pg_sleep(1)' and state = 'active'"))
    .rowCount === 1;

/** Returns the status and the code of an error response. */
const codeOf = async (response: Response): Promise<unknown> => [
  response.status,
  ((await response.json()) as { error: { code: string } }).error.code,
];

/** Checks an answer to the payment "tea ü" that was the first one in the table. */
async function checkFirstPayment(response: Response): Promise<void> {
  assert.equal(response.status, 201);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.equal(response.headers.get("x-payment"), "1");
  assert.equal(await response.text(), '{"text":"tea ü 1"}');
}

/** Sends a payment twice, then another payment with the same key. */
async function repeat(send: Send): Promise<void> {
  await checkFirstPayment(await send("tea ü", '"k-1"'));
  await checkFirstPayment(await send("tea ü", "k-1"));
  const other = await send("milk", '"k-1"');
  assert.equal(other.status, 422);
  await other.body?.cancel();
  assert.equal(await payments(), 1);
}

interface Running {
  readonly port: number;
  stop(): Promise<void>;
}

const sendTo = ({ port }: Running): Send =>
  sendWith((path, init) => fetch(`http://127.0.0.1:${port}${path}`, init));

/** Makes the tests of one server. */
function check(name: string, start: () => Promise<Running>): void {
  describe(name, { timeout: 120_000 }, () => {
    let running: Running;
    let send: Send;
    before(async () => {
      running = await start();
      send = sendTo(running);
    });
    after(() => running?.stop());

    test("executes a repeated request once", () => repeat(send));

    test("responds with 400 to a request without a key or with an invalid key", async () => {
      for (const key of [undefined, "", '""', "a b", '"a', "a".repeat(256)]) {
        const response = await send("tea", key);
        assert.equal(response.status, 400, String(key));
        const { error } = (await response.json()) as { error: Record<string, unknown> };
        assert.equal(error["code"], "VALIDATION_ERROR");
        assert.equal(
          error["message"],
          `Invalid headers: $["idempotency-key"]: expected a new random key for each new request: 1 to 255 printable ASCII characters, received ${key === undefined ? "nothing" : "another text"}`,
        );
      }
      assert.equal(await payments(), 0);
    });

    test("responds with 422 if the key was used for another path, query, content type or body", async () => {
      await send("tea", "k-1");
      for (const [text, path, headers] of [
        ["milk", "/payments", {}],
        ["tea", "/refunds", {}],
        ["tea", "/payments/", {}],
        ["tea", "/payments?a=1", {}],
        ["tea", "/payments", { "content-type": "application/json; charset=utf-8" }],
      ] as const) {
        const response = await send(text, "k-1", path, headers);
        assert.deepEqual(await codeOf(response), [422, "IDEMPOTENCY_KEY_REUSED"], path);
      }
      assert.equal(await payments(), 1);
    });

    test("responds with 409 and retry-after while a request with the key is running", async () => {
      const first = send("slow", "k-1");
      await until(isSlowRunning, "the first request");
      const second = await send("slow", "k-1");
      assert.equal(second.headers.get("retry-after"), "1");
      assert.deepEqual(await codeOf(second), [409, "IDEMPOTENCY_KEY_IN_USE"]);
      assert.equal((await first).status, 201);
      assert.equal(await payments(), 1);
    });

    test("executes one of many simultaneous requests", async () => {
      for (const [path, headers] of [
        ["/payments", {}],
        ["/owned", { "x-user": "ada" }],
      ] as const) {
        const earlier = await payments();
        const responses = await Promise.all(
          Array.from({ length: 40 }, () => send("tea", "k-2", path, headers)),
        );
        const bodies = new Set<string>();
        for (const response of responses) {
          if (response.status === 201) bodies.add(await response.text());
          else assert.deepEqual(await codeOf(response), [409, "IDEMPOTENCY_KEY_IN_USE"]);
        }
        assert.equal(bodies.size, 1, path);
        assert.equal(await payments(), earlier + 1, path);
      }
    });

    test("executes the request of another caller with the same key, and refuses requests without a caller", async () => {
      const texts = [];
      for (const user of ["ada", "bob", "ada"]) {
        const response = await send("tea", "k-1", "/owned", { "x-user": user });
        texts.push(await response.text());
      }
      assert.deepEqual(texts, ['{"text":"tea 1"}', '{"text":"tea 2"}', '{"text":"tea 1"}']);
      assert.equal((await send("tea", "k-1", "/owned")).status, 500);
      assert.equal(await payments(), 2);
    });

    test("refuses a caller without the scope before the key is read and before a stored answer is sent", async () => {
      const user = { "x-user": "ada" };
      const first = await send("tea", "k-1", "/scoped", { ...user, "x-scopes": "payments:write" });
      assert.deepEqual([first.status, await first.text()], [201, '{"text":"tea 1"}']);
      const again = await send("tea", "k-1", "/scoped", { ...user, "x-scopes": "payments:write" });
      assert.deepEqual([again.status, await again.text()], [201, '{"text":"tea 1"}']);
      for (const key of ["k-1", "k-2", undefined]) {
        const refused = await send("tea", key, "/scoped", { ...user, "x-scopes": "payments:read" });
        assert.deepEqual(await codeOf(refused), [403, "INSUFFICIENT_SCOPE"], String(key));
      }
      assert.equal(await payments(), 1);
    });

    test("refuses a caller without the scope while the table is locked, because the key is not searched", async () => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        await client.query("lock table kit_idempotency in access exclusive mode");
        const refused = await send("tea", "k-1", "/scoped", { "x-user": "ada" });
        assert.deepEqual(await codeOf(refused), [403, "INSUFFICIENT_SCOPE"]);
      } finally {
        await client.query("rollback");
        client.release();
      }
    });

    test("executes requests without a key each time if clients may omit it", async () => {
      for (const key of [undefined, undefined, "k-1", "k-1"]) {
        assert.equal((await send("tea", key, "/optional")).status, 201);
      }
      assert.equal(await payments(), 3);
    });

    test("rolls back a failed request without a key if clients may omit the key", async () => {
      assert.deepEqual(await codeOf(await send("fail", undefined, "/optional")), [409, "SOLD_OUT"]);
      assert.equal(await payments(), 0);
    });

    test("stores nothing if the handler fails, so that a repetition executes the request again", async () => {
      for (let time = 0; time < 2; time++) {
        assert.deepEqual(await codeOf(await send("fail", "k-1")), [409, "SOLD_OUT"]);
      }
      assert.equal(await payments(), 0);
      assert.equal((await pool.query("select from kit_idempotency")).rowCount, 0);
      assert.equal((await send("tea", "k-1")).status, 201);
    });

    test("responds with 500 to streams, to answers above the limit and to answers with cookies, and stores nothing", async () => {
      assert.equal((await send("tea", "k-1", "/stream")).status, 500);
      assert.equal((await send("long", "k-1")).status, 500);
      assert.equal((await send("cookie", "k-1")).status, 500);
      assert.equal((await pool.query("select from kit_idempotency")).rowCount, 0);
      assert.equal(await payments(), 0);
    });

    test("stores an answer without a body", async () => {
      for (let time = 0; time < 2; time++) {
        const response = await send("tea", "k-1", "/nothing");
        assert.deepEqual([response.status, await response.text()], [204, ""]);
        assert.equal(response.headers.get("x-payment"), "1");
      }
      assert.equal(await payments(), 1);
    });

    test("forgets an answer when it has expired, and removes it from the table", async () => {
      await send("tea", "k-1");
      await send("tea", "k-2");
      await pool.query("update kit_idempotency set expires_at = now() - interval '1 s'");
      assert.equal(await (await send("milk", "k-1")).text(), '{"text":"milk 3"}');
      assert.deepEqual((await pool.query("select count(*)::int as n from kit_idempotency")).rows, [{ n: 1 }]);
    });
  });
}

async function startNode(server: Parameters<typeof application>[1]): Promise<Running> {
  const app = application(pool, server);
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, stop: () => app.close({ graceMs: 0 }) };
}

for (const [name, make] of servers) check(name, () => startNode(make()));

if (isRust) {
  const start = async (): Promise<Running> => {
    const served = await startRust("rust-payments", { bodyBytes: 1024 * 1024 }, "production", {
      DATABASE_URL: `${cluster.url}?sslmode=disable`,
      LOG_LEVEL: "fatal",
    });
    return { port: served.port, stop: () => served.stop!() };
  };
  check("rust", start);

  test("Rust warns once for each route in development if the handler does not use the transaction", async () => {
    const served = await startRust("rust-payments", { bodyBytes: 1024 }, "development", {
      DATABASE_URL: `${cluster.url}?sslmode=disable`,
      LOG_LEVEL: "warn",
    });
    try {
      const send = sendTo({ port: served.port, stop: () => Promise.resolve() });
      for (const [text, key, path] of [
        ["tea", "k-1", "/payments"],
        ["none", "k-2", "/payments"],
        ["none", "k-3", "/payments"],
        ["none", "k-4", "/refunds"],
      ] as const) {
        // oxlint-disable-next-line no-await-in-loop
        assert.equal((await send(text, key, path)).status, 201);
      }
      const warnings = /"message":"(\S+ \S+): the handler has not used the transaction of its request/g;
      const warned = (): readonly string[] =>
        Array.from((served.log?.() ?? "").matchAll(warnings), ([, route]) => route!);
      // The log of the process may arrive after the last response.
      await until(() => warned().length >= 2, "two warnings");
      assert.deepEqual(warned(), ["POST /payments", "POST /refunds"], served.log?.());
    } finally {
      await served[Symbol.asyncDispose]();
    }
  });

  describe("Node and Rust on one database", () => {
    let node: Running;
    let rust: Running;
    before(async () => {
      node = await startNode(nativeServer());
      rust = await start();
    });
    after(async () => {
      await node?.stop();
      await rust?.stop();
    });

    test("Rust sends the answers that Node has stored", async () => {
      await checkFirstPayment(await sendTo(node)("tea ü", "k-1", "/payments?q=%C3%BC&r"));
      await checkFirstPayment(await sendTo(rust)("tea ü", "k-1", "/payments?q=%C3%BC&r"));
      assert.deepEqual(await codeOf(await sendTo(rust)("milk", "k-1")), [422, "IDEMPOTENCY_KEY_REUSED"]);
      assert.equal(await payments(), 1);
    });

    test("Node sends the answers that Rust has stored", async () => {
      await checkFirstPayment(await sendTo(rust)("tea ü", "k-1", "/payments/?q=a%2Fb"));
      await checkFirstPayment(await sendTo(node)("tea ü", "k-1", "/payments/?q=a%2Fb"));
      assert.deepEqual(await codeOf(await sendTo(node)("milk", "k-1")), [422, "IDEMPOTENCY_KEY_REUSED"]);
      const owned = { "x-user": "ada" };
      const first = await (await sendTo(rust)("tea", "k-2", "/owned", owned)).text();
      assert.equal(await (await sendTo(node)("tea", "k-2", "/owned", owned)).text(), first);
      for (const server of [rust, node]) {
        const response = await sendTo(server)("tea", "k-3", "/nothing");
        assert.deepEqual([response.status, await response.text()], [204, ""]);
      }
      assert.equal(await payments(), 3);
    });

    test("one of many simultaneous requests to both is executed", async () => {
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, number) => sendTo(number % 2 === 0 ? node : rust)("tea", "k-1")),
      );
      assert.ok(responses.some(({ status }) => status === 201));
      for (const response of responses.filter(({ status }) => status !== 201)) {
        assert.deepEqual(await codeOf(response), [409, "IDEMPOTENCY_KEY_IN_USE"]);
      }
      assert.equal(await payments(), 1);
    });
  });
}

describe("app.fetch", { skip: isRust && "the Rust server has no such function" }, () => {
  test("executes a repeated request once", async () => {
    const app = application(pool);
    await repeat(sendWith((path, init) => app.fetch(new Request(`http://localhost${path}`, init))));
    await app.close({ graceMs: 0 });
  });
});
