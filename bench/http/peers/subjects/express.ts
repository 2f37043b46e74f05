/** Peer: Express 5 with zod, by a user who has turned off the features of Express that an API does not need. */
import express, { type NextFunction, type Request, type Response } from "express";

import { findStored } from "../../app/src/database.ts";
import type { Note } from "../../app/src/notes.types.ts";
import { use } from "../../app/src/quota.ts";
import { create, find } from "../../app/src/store.ts";
import {
  assignedPort,
  bodyLimit,
  envelopeOf,
  Failure,
  invalid,
  localeOf,
  tenantOf,
  userOf,
  withinQuota,
} from "../../subjects/shared.ts";
import { noteInput, refusal, storedNoteParams } from "./zod-note.ts";

const app = express();
app.disable("x-powered-by").disable("etag");

async function requireAuth(request: Request, response: Response, next: NextFunction): Promise<void> {
  response.locals["userId"] = await userOf(request.headers.authorization);
  next();
}

function tenant(request: Request, response: Response, next: NextFunction): void {
  response.locals["tenant"] = tenantOf(request.headers["x-tenant"] as string | undefined);
  next();
}

function locale(request: Request, response: Response, next: NextFunction): void {
  response.locals["locale"] = localeOf(request.headers["accept-language"]);
  next();
}

function quota(_request: Request, response: Response, next: NextFunction): void {
  response.locals["used"] = withinQuota(use(response.locals["userId"] as string));
  next();
}

function noStore(_request: Request, response: Response, next: NextFunction): void {
  response.set("cache-control", "no-store");
  next();
}

function jsonOf(note: Note | undefined): object {
  if (note === undefined) throw new Failure(404, "NOTE_NOT_FOUND", "Note not found");
  const { id, title, content, authorId, archived, createdAt, updatedAt } = note;
  return { id, title, content, authorId, archived, createdAt, updatedAt };
}

app.get("/health", (_request, response) => void response.json({ status: "ok" }));
app.get("/notes/:id", requireAuth, async (request, response) => {
  response.json(jsonOf(find(request.params["id"] as string)));
});
app.get("/stored-notes/:id", requireAuth, async (request, response) => {
  const params = storedNoteParams.safeParse(request.params);
  if (!params.success) throw refusal(params.error, request.params);
  response.json(jsonOf(await findStored(params.data.id)));
});
app.post("/notes", requireAuth, express.json({ limit: bodyLimit }), async (request, response) => {
  const body = noteInput.safeParse(request.body);
  if (!body.success) throw refusal(body.error, request.body);
  response.status(201).json(jsonOf(create(body.data, response.locals["userId"] as string)));
});
app.get("/account", requireAuth, tenant, locale, quota, noStore, (_request, response) => {
  const { userId, tenant: name, locale: language, used } = response.locals;
  response.json({ userId, tenant: name, locale: language, used });
});
app.use(() => {
  throw new Failure(404, "NOT_FOUND", "No route matches this path");
});
app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
  const isMalformed = (error as { type?: unknown }).type === "entity.parse.failed";
  const { failure, body } = envelopeOf(isMalformed ? invalid([{ path: "$", expected: "JSON" }]) : error);
  response.status(failure.status).json(body);
});

app.listen(assignedPort(), "127.0.0.1");
