/** Peer: Elysia on Bun with its own validation (TypeBox), written as its guide recommends. */
import { Elysia, t, type ValidationError } from "elysia";

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

const noteInput = t.Object({
  title: t.String({ minLength: 1, maxLength: 200 }),
  content: t.String({ maxLength: 10_000 }),
  archived: t.Boolean({ default: false }),
});

function jsonOf(note: Note | undefined): object {
  if (note === undefined) throw new Failure(404, "NOTE_NOT_FOUND", "Note not found");
  const { id, title, content, authorId, archived, createdAt, updatedAt } = note;
  return { id, title, content, authorId, archived, createdAt, updatedAt };
}

const authenticated = new Elysia().derive({ as: "scoped" }, async ({ headers }) => ({
  userId: await userOf(headers["authorization"]),
}));

const notes = new Elysia()
  .use(authenticated)
  .get("/notes/:id", async ({ params }) => jsonOf(find(params.id)))
  .get("/stored-notes/:id", async ({ params }) => jsonOf(await findStored(params.id)), {
    params: t.Object({ id: t.String({ format: "uuid" }) }),
  })
  .post(
    "/notes",
    async ({ body, userId, set }) => {
      set.status = 201;
      return jsonOf(create(body, userId));
    },
    { body: noteInput },
  );

const account = new Elysia()
  .use(authenticated)
  .derive(({ headers }) => ({ tenant: tenantOf(headers["x-tenant"]) }))
  .derive(({ headers }) => ({ locale: localeOf(headers["accept-language"]) }))
  .derive(({ userId }) => ({ used: withinQuota(use(userId)) }))
  .onBeforeHandle(({ set }) => {
    set.headers["cache-control"] = "no-store";
  })
  .get("/account", ({ userId, tenant, locale, used }) => ({ userId, tenant, locale, used }));

function failureOf(code: number | string, error: unknown): unknown {
  if (code === "NOT_FOUND") return new Failure(404, "NOT_FOUND", "No route matches this path");
  if (code === "PARSE") return invalid([{ path: "$", expected: "JSON" }]);
  if (code !== "VALIDATION") return error;
  const fields = (error as ValidationError).all.map((found) => ({
    path: `$${("path" in found ? String(found.path) : "").replaceAll("/", ".")}`,
    expected: "message" in found ? String(found.message) : "",
    value: "value" in found ? found.value : undefined,
  }));
  return invalid(fields);
}

new Elysia({ serve: { maxRequestBodySize: bodyLimit } })
  .onError(({ code, error, set }) => {
    const { failure, body } = envelopeOf(failureOf(code, error));
    set.status = failure.status;
    return body;
  })
  .get("/health", () => ({ status: "ok" }))
  .use(notes)
  .use(account)
  .listen({ port: assignedPort(), hostname: "127.0.0.1" });
