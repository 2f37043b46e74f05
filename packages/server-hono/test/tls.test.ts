import { Hono } from "hono";

import { testTls } from "../../server-node/test/tls.ts";
import { honoServer } from "../src/index.ts";

// Without middleware, the adapter would not use the application at all.
testTls("hono", (options) => honoServer({ ...options, app: new Hono().use((_context, next) => next()) }));
