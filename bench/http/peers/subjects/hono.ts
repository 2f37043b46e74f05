/** Peer: Hono 4 on Node, with zod as its validator. */
import { serve } from "@hono/node-server";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";

import { findStored } from "../../app/src/database.ts";
import type { Note } from "../../app/src/notes.types.ts";
import { use } from "../../app/src/quota.ts";
import { create, find } from "../../app/src/store.ts";
import {
  assignedPort,
  envelopeOf,
  Failure,
  invalid,
  localeOf,
  tenantOf,
  userOf,
  withinQuota,
} from "../../subjects/shared.ts";
import { noteInput, refusal, storedNoteParams } from "./zod-note.ts";

interface Variables {
  userId: string;
  tenant: string;
  locale: string;
  used: number;
}
interface Environment {
  Variables: Variables;
}

const requireAuth = createMiddleware<Environment>(async (context, next) => {
  context.set("userId", await userOf(context.req.header("authorization")));
  await next();
});
const tenant = createMiddleware<Environment>(async (context, next) => {
  context.set("tenant", tenantOf(context.req.header("x-tenant")));
  await next();
});
const locale = createMiddleware<Environment>(async (context, next) => {
  context.set("locale", localeOf(context.req.header("accept-language")));
  await next();
});
const quota = createMiddleware<Environment>(async (context, next) => {
  context.set("used", withinQuota(use(context.get("userId"))));
  await next();
});
const noStore = createMiddleware<Environment>(async (context, next) => {
  context.header("cache-control", "no-store");
  await next();
});

function jsonOf(note: Note | undefined): object {
  if (note === undefined) throw new Failure(404, "NOTE_NOT_FOUND", "Note not found");
  const { id, title, content, authorId, archived, createdAt, updatedAt } = note;
  return { id, title, content, authorId, archived, createdAt, updatedAt };
}

const body = zValidator("json", noteInput, (result) => {
  if (!result.success) throw refusal(result.error, result.data);
});
const params = zValidator("param", storedNoteParams, (result) => {
  if (!result.success) throw refusal(result.error, result.data);
});
const app = new Hono<Environment>();
app.get("/health", (context) => context.json({ status: "ok" }));
app.get("/notes/:id", requireAuth, async (context) => context.json(jsonOf(find(context.req.param("id")))));
app.get("/stored-notes/:id", requireAuth, params, async (context) =>
  context.json(jsonOf(await findStored(context.req.valid("param").id))),
);
app.post("/notes", requireAuth, body, async (context) =>
  context.json(jsonOf(create(context.req.valid("json"), context.get("userId"))), 201),
);
app.get("/account", requireAuth, tenant, locale, quota, noStore, (context) => {
  const { userId, tenant: name, locale: language, used } = context.var;
  return context.json({ userId, tenant: name, locale: language, used });
});
app.notFound((context) =>
  context.json(envelopeOf(new Failure(404, "NOT_FOUND", "No route matches this path")).body, 404),
);
app.onError((error, context) => {
  const isMalformed = (error as { status?: unknown }).status === 400 && !(error instanceof Failure);
  const { failure, body: told } = envelopeOf(
    isMalformed ? invalid([{ path: "$", expected: "JSON" }]) : error,
  );
  return context.json(told, failure.status as 400);
});

serve({ fetch: app.fetch, port: assignedPort(), hostname: "127.0.0.1" });
