// Server of payments with idempotency keys, in a process of its own. The handler of `rust-payments` is the same in Rust.

import { createApp } from "@kit/core";
import { cancellable, transaction } from "@kit/core/pg";
import { idempotent } from "@kit/idempotency";
import { nativeServer } from "@kit/server-native";
import { Pool } from "pg";

import { compiled, objectOf, responseOf, route } from "../../packages/core/test/support/compiled.ts";

const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });
pool.on("error", () => {});
const transfer = route("POST /transfers", {
  body: objectOf("PaymentText", { text: "string" }),
  response: responseOf("PaymentNumber", { id: "number" }),
  status: 201,
  middleware: ["once"],
});
const app = createApp({
  env: "production",
  server: nativeServer(),
  compiled: compiled({ ...transfer, wrappers: { once: {} } }),
  middleware: [{ name: "once", middleware: idempotent({ pool, by: "none" }), priority: 0 }],
  routes: [
    {
      handlers: {
        "POST /transfers": ({
          body,
          ctx,
        }: {
          readonly body: { readonly text: string };
          readonly ctx: { readonly signal: AbortSignal };
        }) =>
          transaction(ctx, pool, async (tx) => {
            const { rows } = await cancellable(pool, tx.signal).query(
              "insert into payments (text) values ($1) returning id",
              [body.text],
            );
            await cancellable(pool, tx.signal).query("update accounts set cents = cents - 1");
            return { id: rows[0].id as number };
          }),
      },
    },
  ],
} as never);
const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`port ${port}`);
