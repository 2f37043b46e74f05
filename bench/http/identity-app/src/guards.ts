import { createSessions, jwt, memorySessions, sessionAuth } from "@kit/auth";
import type { Middleware } from "@kit/core";
import { rateLimit, valkeyLimits } from "@kit/rate-limit";
import { createClient } from "redis";

import {
  audience,
  chosenIdentity,
  issuer,
  mostRequests,
  publicKey,
  secret,
} from "../../subjects/identity.ts";

export const sessions = createSessions<{ name: string }>({ store: memorySessions() });

/** Returns the middleware that the benchmark has chosen. */
async function chosenGuard(): Promise<Middleware<object> | Middleware> {
  const provider = { issuer, audience, scopes: ["notes:read"] } as const;
  const limit = `${mostRequests}/day` as const;
  switch (chosenIdentity()) {
    case "jwt-secret":
      return jwt({ ...provider, keys: secret });
    case "jwt-rsa":
      return jwt({ ...provider, keys: publicKey() });
    case "session":
      return sessionAuth(sessions);
    case "limit":
      return rateLimit({ limit });
    case "limit-valkey": {
      const client = createClient({ url: process.env["BENCH_VALKEY_URL"]! });
      await client.connect();
      return rateLimit({ limit, store: valkeyLimits(client) });
    }
  }
}

export const guard: Middleware<object> | Middleware = await chosenGuard();
