import { Hono } from "hono";

import type { ServerAdapter } from "@kit/types";

import { type HonoServerOptions, honoServer } from "../src/index.ts";

/** A server whose requests go through Hono. One that has neither routes nor middleware is not asked. */
export function throughHono(options: HonoServerOptions = {}): ServerAdapter {
  return honoServer({ ...options, app: new Hono().use((_context, next) => next()) });
}
