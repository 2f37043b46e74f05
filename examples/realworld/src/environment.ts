import { env } from "@kit/core";

/** Environment variables of Conduit. */
export interface AppEnv {
  /** TCP port of the server. @integer @minimum 0 @maximum 65535 @default 3000 */
  PORT: number;
  /** Address on which the server listens. Without it, the server listens on all addresses. */
  HOST?: string;
  /**
   * Secret of the tokens: `openssl rand -base64 48`. Without it, development and tests use a new secret for each process.
   *
   * @minLength 32 @sensitive
   */
  AUTH_SECRET?: string;
}

export const environment = await env<AppEnv>();
