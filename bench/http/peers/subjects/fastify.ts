/** Peer: Fastify 5 with JSON Schemas, which it compiles to validators and serializers. */
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";

import { findStored } from "../../app/src/database.ts";
import type { CreateNoteInput, Note } from "../../app/src/notes.types.ts";
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

declare module "fastify" {
  interface FastifyRequest {
    userId: string;
    tenant: string;
    locale: string;
    used: number;
  }
}

const noteSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    title: { type: "string" },
    content: { type: "string" },
    authorId: { type: "string" },
    archived: { type: "boolean" },
    createdAt: { type: "string", format: "date-time" },
    updatedAt: { type: "string", format: "date-time" },
  },
  required: ["id", "title", "content", "authorId", "archived", "createdAt", "updatedAt"],
};
const noteInput = {
  type: "object",
  additionalProperties: false,
  properties: {
    title: { type: "string", minLength: 1, maxLength: 200 },
    content: { type: "string", maxLength: 10_000 },
    archived: { type: "boolean", default: false },
  },
  required: ["title", "content"],
};
const params = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const storedParams = {
  type: "object",
  properties: { id: { type: "string", format: "uuid" } },
  required: ["id"],
};
const health = { type: "object", properties: { status: { type: "string" } }, required: ["status"] };
const account = {
  type: "object",
  properties: {
    userId: { type: "string" },
    tenant: { type: "string" },
    locale: { type: "string" },
    used: { type: "integer" },
  },
  required: ["userId", "tenant", "locale", "used"],
};

// Behaves like the application: does not convert types in bodies, and reports all failures.
const app = fastify({
  bodyLimit,
  ajv: { customOptions: { coerceTypes: false, allErrors: true } },
});
for (const name of ["userId", "tenant", "locale"] as const) app.decorateRequest(name, "");
app.decorateRequest("used", 0);

async function requireAuth(request: FastifyRequest): Promise<void> {
  request.userId = await userOf(request.headers.authorization);
}

function tenant(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.tenant = tenantOf(request.headers["x-tenant"] as string | undefined);
  done();
}

function locale(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.locale = localeOf(request.headers["accept-language"]);
  done();
}

function quota(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.used = withinQuota(use(request.userId));
  done();
}

function noStore(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header("cache-control", "no-store");
  done();
}

function found(note: Note | undefined): Note {
  if (note === undefined) throw new Failure(404, "NOTE_NOT_FOUND", "Note not found");
  return note;
}

app.get("/health", { schema: { response: { 200: health } } }, () => ({ status: "ok" }));
app.get<{ Params: { id: string } }>(
  "/notes/:id",
  { onRequest: requireAuth, schema: { params, response: { 200: noteSchema } } },
  async (request) => found(find(request.params.id)),
);
app.get<{ Params: { id: string } }>(
  "/stored-notes/:id",
  { onRequest: requireAuth, schema: { params: storedParams, response: { 200: noteSchema } } },
  async (request) => found(await findStored(request.params.id)),
);
app.post<{ Body: CreateNoteInput }>(
  "/notes",
  { onRequest: requireAuth, schema: { body: noteInput, response: { 201: noteSchema } } },
  async (request, reply) => {
    reply.code(201);
    return create(request.body, request.userId);
  },
);
app.get(
  "/account",
  {
    onRequest: [requireAuth, tenant, locale, quota, noStore],
    schema: { response: { 200: account } },
  },
  async ({ userId, tenant: name, locale: language, used }) => ({
    userId,
    tenant: name,
    locale: language,
    used,
  }),
);

interface Refusal {
  readonly code?: string;
  readonly validation?: readonly { readonly instancePath: string; readonly message?: string }[];
}

app.setNotFoundHandler((_request, reply) => {
  const { body } = envelopeOf(new Failure(404, "NOT_FOUND", "No route matches this path"));
  reply.code(404).send(body);
});
app.setErrorHandler((error: Error & Refusal, request, reply) => {
  const fields = error.validation?.map(({ instancePath, message = "" }) => ({
    path: `$${instancePath.replaceAll("/", ".")}`,
    expected: message,
    value: (request.body as Record<string, unknown> | undefined)?.[instancePath.slice(1)],
  }));
  const isMalformed = error.code === "FST_ERR_CTP_INVALID_JSON_BODY";
  const reason = fields ?? (isMalformed ? [{ path: "$", expected: "JSON" }] : undefined);
  const { failure, body } = envelopeOf(reason === undefined ? error : invalid(reason));
  reply.code(failure.status).send(body);
});

await app.listen({ port: assignedPort(), host: "127.0.0.1" });
