// Repeats requests with an idempotency key on every server, and through `app.fetch`: they are executed once, and all
// answers have the same status, headers and bytes.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";

import { createApp, type RequestContext } from "@kit/core";
import { cancellable } from "@kit/core/pg";
import { idempotencyTableSql, idempotent } from "@kit/idempotency";
import type { ServerAdapter } from "@kit/types";
import { Pool } from "pg";

import { compiled, objectOf, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { Cluster } from "../database/support/cluster.ts";
import { isRust, notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

notInRust("idempotency keys", "the wrapper of a Rust server is a file that its team writes");

let cluster: Cluster;
let pool: Pool;
before(async () => {
  cluster = await Cluster.start();
  pool = new Pool({ connectionString: cluster.url });
  await pool.query(idempotencyTableSql());
  await pool.query("create table payments (id serial primary key, text text not null)");
});
after(async () => {
  await pool?.end();
  await cluster?.remove();
});
beforeEach(() => pool.query("truncate payments, kit_idempotency restart identity"));

function application(server?: ServerAdapter) {
  const payment = route("POST /payments", {
    body: objectOf("NewPayment", { text: "string" }),
    response: responseOf("Payment", { text: "string" }),
    status: 201,
    middleware: ["once"],
  });
  return createApp({
    env: "production",
    signals: false,
    ...(server && { server }),
    compiled: compiled({ ...payment, wrappers: { once: {} } }),
    logging: { level: "fatal" },
    middleware: [{ name: "once", middleware: idempotent({ pool, by: "none" }), priority: 0 }],
    routes: [
      {
        handlers: {
          "POST /payments": async ({ body, ctx }: { body: { text: string }; ctx: RequestContext }) => {
            const { rows } = await cancellable(pool, ctx.signal).query(
              "insert into payments (text) values ($1) returning id",
              [body.text],
            );
            ctx.header("x-payment", String(rows[0].id)).cookie("a", "1").cookie("b", "2");
            return { text: `${body.text} ${rows[0].id}` };
          },
        },
      },
    ],
  } as never);
}

/** Sends a payment twice, then another payment with the same key. */
async function repeat(send: (init: RequestInit) => Promise<Response>): Promise<void> {
  const pay = (text: string): Promise<Response> =>
    send({
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": '"k-1"' },
      body: JSON.stringify({ text }),
    });
  for (let time = 0; time < 2; time += 1) {
    const response = await pay("tea ü");
    assert.equal(response.status, 201);
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.equal(response.headers.get("x-payment"), "1");
    assert.equal(response.headers.getSetCookie().length, 2);
    assert.equal(await response.text(), '{"text":"tea ü 1"}');
  }
  const other = await pay("milk");
  assert.equal(other.status, 422);
  await other.body?.cancel();
  assert.deepEqual((await pool.query("select count(*)::int as n from payments")).rows, [{ n: 1 }]);
}

for (const [name, make] of servers) {
  test(`${name} executes a repeated request once`, async () => {
    const app = application(make());
    const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
    try {
      await repeat((init) => fetch(`http://127.0.0.1:${port}/payments`, init));
    } finally {
      await app.close({ graceMs: 0 });
    }
  });
}

describe("app.fetch", { skip: isRust && "the Rust server has no such function" }, () => {
  test("executes a repeated request once", async () => {
    const app = application();
    await repeat((init) => app.fetch(new Request("http://localhost/payments", init)));
    await app.close({ graceMs: 0 });
  });
});
