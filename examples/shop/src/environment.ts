import { env } from "@kit/core";

/** Environment variables of the shop. */
export interface AppEnv {
  /** TCP port of the server. @integer @minimum 0 @maximum 65535 @default 3000 */
  PORT: number;
  /** Address on which the server listens. Without it, the server listens on all addresses. */
  HOST?: string;
  /** Origins of the front end, which may call the API. @default ["http://localhost:5173"] */
  WEB_ORIGINS: string[];
  /**
   * Keys that sign the cookies: `openssl rand -base64 32`. Without keys, the server on Node uses a new key for each process in
   * development and tests, and the Rust server does not start.
   *
   * @sensitive
   */
  KIT_COOKIE_KEYS?: string[];
  /** Logins and registrations that an address may try in a minute. @integer @minimum 1 @default 10 */
  LOGINS_PER_MINUTE: number;
  /** Changes that an account may make in a minute. @integer @minimum 1 @default 60 */
  WRITES_PER_MINUTE: number;
}

export const environment = await env<AppEnv>();
