/**
 * Authentication for kit: middleware that adds the caller of a request as `ctx.auth`.
 *
 * @module
 */
export { createApiKey, hashApiKey, type NewApiKey } from "./api-keys/api-key.ts";
export { type ApiKeyAuth, type ApiKeyOptions, apiKeys, type StoredApiKey } from "./api-keys/api-keys.ts";
export { jwt, optionalJwt } from "./jwt/jwt.ts";
export type { JwtClaims, JwtKey, JwtKeyCacheOptions, JwtOptions } from "./jwt/jwt-options.ts";
export { createJwtVerifier, InvalidTokenError, type JwtAuth, type JwtVerifier } from "./jwt/jwt-verifier.ts";
export { AuthServiceError } from "./refusals.ts";
export { defineRoles, type Roles } from "./roles.ts";
export { createPasswords, type PasswordOptions, type Passwords } from "./passwords/passwords.ts";
export { memorySessions } from "./sessions/memory-sessions.ts";
export {
  type PostgresPool,
  type PostgresSessionOptions,
  postgresSessions,
  type PostgresSessionStore,
  sessionTableSql,
} from "./sessions/postgres-sessions.ts";
export { optionalSession, sessionAuth, type SessionAuth } from "./sessions/session-auth.ts";
export type { SessionStore, StoredSession } from "./sessions/session-store.ts";
export { createSessions, type Session, type SessionOptions, type Sessions } from "./sessions/sessions.ts";
export { type ValkeySessionOptions, valkeySessions } from "./sessions/valkey-sessions.ts";
export type { NodeRedisClient, ValkeyClient } from "@kit/types";
