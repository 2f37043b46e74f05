import { randomBytes } from "node:crypto";
import {
  createPasswords,
  createSessions,
  defineRoles,
  optionalSession,
  postgresSessions,
  type SessionAuth,
  sessionAuth,
} from "@kit/auth";
import type { Plugin } from "@kit/core";
import type { Role } from "./accounts.types.ts";
import { pool } from "./database.ts";
import { environment } from "./environment.ts";

/** Scopes of each role. A customer who is blocked can log in, but has no scope. */
export const roles = defineRoles({
  customer: ["orders:read", "orders:write"],
  staff: ["orders:read", "products:write"],
  blocked: [],
});

export const passwords = createPasswords();

const store = postgresSessions(pool);

export const sessions = createSessions({
  store,
  scopes: roles.scopes,
  // The session has no copy of the role: a role that changes applies to the next request.
  scopesOf: async ({ subject }) => {
    const { rows } = await pool.query<{ role: Role }>("SELECT role FROM accounts WHERE id = $1", [subject]);
    return rows.flatMap(({ role }) => roles.scopesOf(role));
  },
});

/** Middleware that refuses requests of clients who are not logged in. */
export const requireSession = sessionAuth(sessions);

/** Middleware that accepts all requests. */
export const readSession = optionalSession(sessions);

type Caller = SessionAuth<(typeof roles.scopes)[number]>;

/** Properties that {@link requireSession} adds to `ctx`. */
export interface Member {
  auth: Caller;
}

/** Properties that {@link readSession} adds to `ctx`. */
export interface Visitor {
  auth: Caller | null;
}

const hourMs = 3_600_000;
let timer: NodeJS.Timeout | undefined;

/** Removes sessions that have ended, once an hour. */
export const sessionCleaner: Plugin = {
  name: "sessionCleaner",
  onStart: () => {
    timer = setInterval(() => removeEnded().catch((error) => console.error(error)), hourMs).unref();
  },
  onStop: () => clearInterval(timer),
};

async function removeEnded(): Promise<void> {
  while ((await store.deleteEnded()) > 0);
}

/** Returns the keys that sign the cookies. */
export function cookieKeys(): readonly string[] {
  if (environment.KIT_COOKIE_KEYS !== undefined) return environment.KIT_COOKIE_KEYS;
  if (["development", "test"].includes(process.env["NODE_ENV"] ?? ""))
    return [randomBytes(32).toString("base64")];
  throw new Error("KIT_COOKIE_KEYS is not set: the cookies of all processes need the same keys");
}
