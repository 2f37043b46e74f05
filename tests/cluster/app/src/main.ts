// The replica on Node. Its telemetry goes to the receiver, and its limits are in Valkey.

import { createApp, defineHandlers } from "@kit/core";
import { cancellable } from "@kit/core/pg";
import { idempotent } from "@kit/idempotency";
import { rateLimit, valkeyLimits } from "@kit/rate-limit";
import { nativeServer } from "@kit/server-native";
import { Redis as Valkey } from "iovalkey";
import { pool } from "./database.ts";
import { jobs } from "./jobs.ts";
import type { PaymentRoutes } from "./payments.routes.ts";

const valkey = new Valkey(process.env["VALKEY_URL"]!, {
  lazyConnect: true,
  maxRetriesPerRequest: 1,
  commandTimeout: 500,
});
valkey.on("error", () => undefined);

const limited = rateLimit({ limit: "1000000/min", store: valkeyLimits(valkey) });
const once = idempotent({ pool, by: "none" });

const paymentHandlers = defineHandlers<PaymentRoutes>({
  "POST /payments": async ({ body, ctx }) => {
    const db = cancellable(pool, ctx.signal);
    const { rows } = await db.query(
      "insert into payments (text, source, has_job) values ($1, 'node', true) returning id",
      [body.text],
    );
    const { id } = rows[0] as { id: number };
    await jobs.enqueue(ctx, "settle", { payment: id });
    ctx.header("x-payment", String(id));
    return { text: `${body.text} ${id}` };
  },
});

const app = createApp({
  server: nativeServer(),
  health: { checks: { database: async () => void (await pool.query("select 1")) } },
  shutdownDelayMs: 1_500,
  logging: { level: "warn" },
  telemetry: { tracing: true, metrics: true },
  routes: [
    {
      handlers: paymentHandlers,
      middleware: [
        { name: "limited", middleware: limited, priority: 0 },
        { name: "once", middleware: once, priority: 10 },
      ],
    },
  ],
  plugins: [
    jobs.plugin,
    { name: "connections", onStop: async () => void (await Promise.all([pool.end(), valkey.disconnect()])) },
  ],
});

const { url } = await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"]) });
console.log(`Listening on ${url}`);
