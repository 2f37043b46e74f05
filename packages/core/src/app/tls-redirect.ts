/**
 * Plain HTTP beside a server with TLS: each request gets a redirect to that server.
 *
 * Imports no file that the start of an application needs: each would become one more shared file of the package, which all
 * applications load (`tests/packed`).
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type {
  CloseOptions,
  CompiledRouteTree,
  ListenAddress,
  ServerAdapter,
  ServerExchange,
  ServerRefusal,
  ServerService,
  TlsOptions,
} from "@kit/types";

import { CertificateNames } from "./certificate-names.ts";

/** Running redirects of a server with TLS. */
export interface Redirects {
  readonly address: ListenAddress;
  /** Stops after `delayMs`, as the server with TLS does. */
  close(options: CloseOptions): Promise<void>;
}

/**
 * Starts the redirects.
 *
 * @param from - Address of plain HTTP.
 * @param secure - Address of the server with TLS.
 * @throws {Error} The error of the system if the port cannot be used.
 */
export async function startRedirects(
  server: ServerAdapter,
  { redirectTo, cert, key }: TlsOptions,
  { host, port }: { readonly host: string | undefined; readonly port: number },
  secure: ListenAddress,
  logRefusal: (refusal: ServerRefusal) => void,
): Promise<Redirects> {
  const names = new CertificateNames(cert, key);
  const origin = (asked: string | undefined): string | undefined => {
    if (redirectTo !== undefined) return redirectTo;
    const name = asked === undefined ? undefined : names.find(asked);
    return name && `https://${name}${secure.port === 443 ? "" : `:${secure.port}`}`;
  };
  const plain = await server.listenPlain!(redirectsOf(origin, logRefusal), {
    port,
    ...(host !== undefined && { host }),
  });
  return {
    address: plain.address,
    close: async ({ delayMs = 0, ...options }) => {
      if (delayMs > 0) await sleep(delayMs);
      await plain.close(options);
    },
  };
}

const noRoutes: CompiledRouteTree = {
  root: { segment: "", children: [] },
  metadata: {
    totalRoutes: 0,
    maxDepth: 0,
    staticRoutes: 0,
    parameterizedRoutes: 0,
    generatedAt: "1970-01-01T00:00:00.000Z",
  },
};

/**
 * Returns a service that redirects all requests.
 *
 * @param origin - Returns the new origin for a header `host`, or `undefined` if the server has no such host.
 */
function redirectsOf(
  origin: (host: string | undefined) => string | undefined,
  logRefusal: (refusal: ServerRefusal) => void,
): ServerService {
  const refuse = (
    exchange: ServerExchange,
    refusal: Required<Pick<ServerRefusal, "status">> & ServerRefusal,
  ): void => {
    const traceId = randomBytes(16).toString("hex");
    const { remoteAddress } = exchange;
    const { status, code, message } = refusal;
    logRefusal({ ...refusal, traceId, ...(remoteAddress !== "" && { remoteAddress }) });
    exchange.respond(status, "application/json", JSON.stringify({ error: { code, message, traceId } }), null);
  };
  return {
    tree: noRoutes,
    routes: [],
    // No body is read.
    limits: { bodyBytes: 0 },
    logRefusal,
    handle: (exchange) => {
      const host = exchange.header("host");
      const to = origin(host);
      if (to !== undefined) {
        // Caches must not store the response: the port of the server may change.
        exchange.respond(308, null, null, ["location", to + targetOf(exchange), "cache-control", "no-store"]);
        return;
      }
      refuse(exchange, {
        status: 421,
        code: "MISDIRECTED_REQUEST",
        message: "the certificate of this server is not valid for the host of the request",
        // Programs that look for open ports send such requests to each server of the internet.
        level: "debug",
      });
    },
    fail: (exchange) =>
      refuse(exchange, { status: 500, code: "INTERNAL_SERVER_ERROR", message: "Internal Server Error" }),
  };
}

/** Returns path and query of a request as the client has sent them. `OPTIONS *` has no path. */
function targetOf({ target, hadTrailingSlash }: ServerExchange): string {
  if (!target.startsWith("/")) return "/";
  if (hadTrailingSlash !== true) return target;
  const [path, ...query] = target.split("?");
  return [path!.endsWith("/") ? path : `${path}/`, ...query].join("?");
}
