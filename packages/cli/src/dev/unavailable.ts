/**
 * Program of the stand-in process, which `kit dev` runs if the application cannot run. It listens on the application's port and explains
 * the reason.
 *
 * @module
 */
import { createServer } from "node:http";

import type { DevelopmentLink } from "@kit/types";

import { explain } from "./explanation.ts";

const link = (globalThis as Record<symbol, unknown>)[Symbol.for("kit.development")] as DevelopmentLink;

const server = createServer((request, response) => {
  explain(request, response, {
    build: link.build(),
    accepts: (host) => link.acceptsHost?.(host) !== false,
  });
});

const options = await link.resolveAddress({
  port: Number(process.argv[2]),
  ...(process.argv[3] && { host: process.argv[3] }),
});
server.listen(options.fd === undefined ? options : { fd: options.fd }, () => {
  const { port } = server.address() as { port: number };
  link.listening({ host: "", port, url: `http://localhost:${port}` }, () => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  });
});
