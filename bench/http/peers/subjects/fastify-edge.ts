/** Peer: Fastify 5 with its own plugins for CORS, cookies, ETags and compression. */
import compress from "@fastify/compress";
import cookie from "@fastify/cookie";
import cors from "@fastify/cors";
import etag from "@fastify/etag";
import fastify from "fastify";

import { find, knownId } from "../../app/src/store.ts";
import { allowedOrigin, chosenFeature, entries } from "../../subjects/edge.ts";
import { assignedPort, bodyLimit } from "../../subjects/shared.ts";

const text = { type: "string" } as const;
const note = {
  type: "object",
  properties: {
    id: text,
    title: text,
    content: text,
    authorId: text,
    archived: { type: "boolean" },
    createdAt: { type: "string", format: "date-time" },
    updatedAt: { type: "string", format: "date-time" },
  },
};
const headers = {
  type: "object",
  properties: {
    "x-tenant": { type: "string", minLength: 1, maxLength: 50 },
    "x-count": { type: "integer", minimum: 1, maximum: 100 },
    "x-trace": { type: "string", format: "uuid" },
  },
  required: ["x-tenant", "x-count", "x-trace"],
};
const cookies = {
  type: "object",
  properties: { sid: { type: "string", minLength: 10, maxLength: 64 } },
  required: ["sid"],
} as const;
const context = {
  type: "object",
  properties: { tenant: text, count: { type: "integer" }, trace: text, sid: text },
};
const order = {
  type: "object",
  properties: {
    item: { type: "string", minLength: 1, maxLength: 100 },
    quantity: { type: "integer", minimum: 1, maximum: 1000 },
  },
  required: ["item", "quantity"],
};
const list = {
  type: "array",
  items: {
    type: "object",
    properties: { id: { type: "integer" }, title: text, tags: { type: "array", items: text } },
  },
};

const app = fastify({ bodyLimit });
const feature = chosenFeature();
if (feature === "cors") await app.register(cors, { origin: [allowedOrigin] });
if (feature === "contract") await app.register(cookie);
if (feature === "etag") await app.register(etag, { weak: true });
if (feature === "compression") await app.register(compress, { encodings: ["gzip"] });

app.get("/note", { schema: { response: { 200: note } } }, async () => find(knownId));

app.get(
  "/context",
  {
    schema: { headers, response: { 200: context } },
    // Fastify validates no cookies, so the rules of the cookie are compiled from a schema here.
    preValidation: async (request) => {
      const isValid = request.compileValidationSchema(cookies);
      if (!isValid(request.cookies)) throw Object.assign(new Error("Invalid cookies"), { statusCode: 400 });
    },
  },
  async ({ headers: given, cookies: { sid } }) => ({
    tenant: given["x-tenant"],
    count: given["x-count"],
    trace: given["x-trace"],
    sid,
  }),
);

const created = {
  type: "object",
  properties: { id: { type: "integer" }, item: text, quantity: { type: "integer" } },
};
const queued = { type: "object", properties: { job: { type: "integer" } } };
app.post<{ Body: { item: string; quantity: number } }>(
  "/orders",
  { schema: { body: order, response: { 201: created, 202: queued } } },
  async (request, reply) => {
    const { item, quantity } = request.body;
    if (quantity > 500) {
      reply.code(202);
      return { job: 1 };
    }
    reply.code(201).header("location", "/orders/1").header("x-version", "1");
    return { id: 1, item, quantity };
  },
);

app.get("/entries", { schema: { response: { 200: list } } }, async () => entries);

await app.listen({ port: assignedPort(), host: "127.0.0.1" });
