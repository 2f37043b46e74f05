import { randomBytes } from "node:crypto";
import { createSessions, postgresSessions, sessionAuth, type SessionAuth } from "@kit/auth";
import type { Message } from "./chat.types.ts";
import { pool } from "./database.ts";

/** Data of a session. */
export interface MemberData {
  name: Message["author"];
}

/** Sessions of the members. They are in PostgreSQL, because a member may be connected to any worker. */
export const sessions = createSessions<MemberData>({ store: postgresSessions(pool) });

/** Accepts only requests of members. */
export const requireMember = sessionAuth(sessions);

/** Properties that {@link requireMember} adds to `ctx`. */
export interface MemberContext {
  auth: SessionAuth<never, MemberData>;
}

/** Returns the keys that sign the cookies. All workers need the same keys. */
export function cookieKeys(): readonly string[] {
  const keys = process.env["KIT_COOKIE_KEYS"]?.split(",");
  if (keys !== undefined) return keys;
  if (process.env["NODE_ENV"] === "test") return [randomBytes(32).toString("base64")];
  throw new Error("KIT_COOKIE_KEYS is not set: openssl rand -base64 32");
}
