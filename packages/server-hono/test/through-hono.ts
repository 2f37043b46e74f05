import { Hono } from "hono";

import type { ServerAdapter } from "@kit/types";

import { type HonoServerOptions, honoServer } from "../src/index.ts";

/**
 * Creates a server whose requests pass through Hono. Its application has middleware, because kit skips an application with neither routes
 * nor middleware.
 */
export function throughHono(options: HonoServerOptions = {}): ServerAdapter {
  return honoServer({ ...options, app: new Hono().use((_context, next) => next()) });
}
