/** Peer: Fastify 5 with its plugins for access tokens, sessions and rate limits. A process has one of them. */
import cookie from "@fastify/cookie";
import jwt from "@fastify/jwt";
import rateLimit from "@fastify/rate-limit";
import session from "@fastify/session";
import fastify from "fastify";
import { Redis } from "ioredis";

import { find, knownId } from "../../app/src/store.ts";
import {
  audience,
  chosenIdentity,
  cookieKey,
  issuer,
  mostRequests,
  publicKeyText,
  secret,
} from "../../subjects/identity.ts";
import { assignedPort, bodyLimit } from "../../subjects/shared.ts";

declare module "fastify" {
  interface Session {
    user?: { name: string };
  }
}

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

const app = fastify({ bodyLimit });
const feature = chosenIdentity();
const limit = { max: mostRequests, timeWindow: "1 day" };
switch (feature) {
  case "jwt-secret":
  case "jwt-rsa": {
    const isRsa = feature === "jwt-rsa";
    await app.register(jwt, {
      secret: isRsa ? { public: publicKeyText(), private: "" } : secret,
      verify: {
        algorithms: [isRsa ? "RS256" : "HS256"],
        allowedIss: issuer,
        allowedAud: audience,
        requiredClaims: ["exp", "sub"],
        // kit keeps verified tokens too.
        cache: true,
      },
    });
    app.addHook("onRequest", (request) => request.jwtVerify());
    break;
  }
  case "session":
    await app.register(cookie);
    await app.register(session, {
      secret: cookieKey,
      // The benchmark has no TLS, which this plugin demands for secure cookies.
      cookie: { secure: false, maxAge: 43_200_000 },
      saveUninitialized: false,
      rolling: false,
    });
    app.post("/login", async (request, reply) => {
      request.session.user = { name: "Ada" };
      return reply.code(204).send();
    });
    app.addHook("onRequest", async (request, reply) => {
      if (request.url === "/note" && request.session.user === undefined) return reply.code(401).send();
    });
    break;
  case "limit":
    await app.register(rateLimit, limit);
    break;
  case "limit-valkey":
    await app.register(rateLimit, { ...limit, redis: new Redis(process.env["BENCH_VALKEY_URL"]!) });
    break;
}

app.get("/note", { schema: { response: { 200: note } } }, async () => find(knownId));

await app.listen({ port: assignedPort(), host: "127.0.0.1" });
