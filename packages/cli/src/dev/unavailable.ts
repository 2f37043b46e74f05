/**
 * Program of the stand-in process, which `kit dev` runs if the application cannot run. It listens on the application's port and explains
 * the reason.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer, type Server } from "node:https";

import type { DevelopmentLink } from "@kit/types";

import { explain } from "./explanation.ts";

const link = (globalThis as Record<symbol, unknown>)[Symbol.for("kit.development")] as DevelopmentLink;

const [wanted, host, cert, key] = process.argv.slice(2);
const answer: RequestListener = (request, response) => {
  explain(request, response, {
    build: link.build(),
    accepts: (name) => link.acceptsHost?.(name) !== false,
  });
};
const server =
  (cert === undefined || key === undefined ? undefined : withTls(cert, key)) ?? createServer(answer);

const options = await link.resolveAddress({ port: Number(wanted), ...(host && { host }) });
server.listen(options.fd === undefined ? options : { fd: options.fd }, () => {
  const { port } = server.address() as { port: number };
  link.listening({ host: "", port, url: `http://localhost:${port}` }, () => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  });
});

/**
 * Creates a server with the files of the last version of the application. Returns `undefined` if they cannot be used any more. Without
 * any server, clients would wait for a response until the application runs again.
 */
function withTls(certFile: string, keyFile: string): Server | undefined {
  try {
    return createTlsServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, answer);
  } catch (error) {
    const reason = (error as Error).message;
    console.warn(`warning: browsers see no explanation, because the certificate cannot be used: ${reason}`);
    return undefined;
  }
}
