/** Peer: Hono 4 on Node, with its own middleware for CORS, ETags and compression, and zod. */
import { serve } from "@hono/node-server";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { compress } from "hono/compress";
import { cors } from "hono/cors";
import { etag } from "hono/etag";
import { z } from "zod";

import { find, knownId } from "../../app/src/store.ts";
import { allowedOrigin, chosenFeature, entries } from "../../subjects/edge.ts";
import { assignedPort } from "../../subjects/shared.ts";

const headers = z.object({
  "x-tenant": z.string().min(1).max(50),
  "x-count": z.coerce.number().int().min(1).max(100),
  "x-trace": z.uuid(),
});
const cookies = z.object({ sid: z.string().min(10).max(64) });
const order = z.object({ item: z.string().min(1).max(100), quantity: z.int().min(1).max(1000) });

const app = new Hono();
const feature = chosenFeature();
if (feature === "cors") app.use(cors({ origin: [allowedOrigin] }));
if (feature === "etag") app.use(etag({ weak: true }));
if (feature === "compression") app.use(compress({ encoding: "gzip" }));

app.get("/note", (context) => {
  const { id, title, content, authorId, archived, createdAt, updatedAt } = find(knownId)!;
  return context.json({ id, title, content, authorId, archived, createdAt, updatedAt });
});
app.get("/context", zValidator("header", headers), zValidator("cookie", cookies), (context) => {
  const given = context.req.valid("header");
  return context.json({
    tenant: given["x-tenant"],
    count: given["x-count"],
    trace: given["x-trace"],
    sid: context.req.valid("cookie").sid,
  });
});
app.post("/orders", zValidator("json", order), (context) => {
  const { item, quantity } = context.req.valid("json");
  if (quantity > 500) return context.json({ job: 1 }, 202);
  return context.json({ id: 1, item, quantity }, 201, { location: "/orders/1", "x-version": "1" });
});
app.get("/entries", (context) => context.json(entries.map(({ id, title, tags }) => ({ id, title, tags }))));

serve({ fetch: app.fetch, port: assignedPort(), hostname: "127.0.0.1" });
