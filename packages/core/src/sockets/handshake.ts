import { AppError } from "@kit/errors";
import type { CompiledProtocols, ServerExchange } from "@kit/types";

import type { Cors } from "../edge/cors.ts";
import { withoutStack } from "../errors/without-stack.ts";
import { chooseSubprotocol } from "./subprotocols.ts";

/** Refusal of a handshake, with the headers that its response must have. */
export interface HandshakeRefusal {
  readonly error: AppError;
  /** Headers as a list of name, value, name, value. */
  readonly headers: readonly string[];
}

/** Decides if a web page belongs to the application. */
export interface OwnOrigin {
  isOwn(origin: string, exchange: ServerExchange): boolean;
}

/** 16 bytes in Base64 (RFC 6455, 4.1). The last character before the padding has only two significant bits. */
const keyPattern = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

/**
 * Checks the handshake of a WebSocket (RFC 6455, 4.2.1) before any middleware runs. Returns `undefined` if the handshake is
 * valid.
 *
 * A browser sends its cookies with the handshake of any page, and CORS does not apply to WebSockets. So a page of another
 * origin could act as the user. Only pages of the own host and of the origins that the option `cors` lists are accepted.
 */
export function refusalOfHandshake(
  exchange: ServerExchange,
  cors: Cors | null,
  own: OwnOrigin,
  protocols?: CompiledProtocols,
): HandshakeRefusal | undefined {
  if (exchange.acceptSocket === undefined) {
    if (asksForSocket(exchange))
      return refusal(501, "NOT_IMPLEMENTED", "This server does not support WebSockets");
    const message = "This path accepts only WebSockets. Send a handshake with `upgrade: websocket`";
    return refusal(426, "UPGRADE_REQUIRED", message, ["upgrade", "websocket", "connection", "upgrade"]);
  }
  if (exchange.header("sec-websocket-version")?.trim() !== "13") {
    const message = "This server supports version 13 of the WebSocket protocol";
    return refusal(426, "UPGRADE_REQUIRED", message, [
      "sec-websocket-version",
      "13",
      "upgrade",
      "websocket",
      "connection",
      // A server on node:http cannot read another request after the handshake.
      "upgrade, close",
    ]);
  }
  if (!keyPattern.test(exchange.header("sec-websocket-key") ?? "")) {
    const message = "The header sec-websocket-key must be 16 bytes in Base64";
    return refusal(400, "BAD_REQUEST", message);
  }
  if (!isAllowedOrigin(exchange, cors, own)) {
    const message = "The WebSocket comes from a web page of an origin that may not open it";
    return refusal(403, "CROSS_SITE_REQUEST", message);
  }
  return refusalOfOffer(exchange.header("sec-websocket-protocol"), protocols);
}

/** Refuses a client that offers none of the subprotocols of the route, and an offer that is malformed. */
function refusalOfOffer(
  offer: string | undefined,
  protocols: CompiledProtocols | undefined,
): HandshakeRefusal | undefined {
  const { names = [], optional = true } = protocols ?? {};
  if (offer !== undefined) {
    const chosen = chooseSubprotocol(offer, names);
    if (chosen === undefined) {
      const message = "The header sec-websocket-protocol must be a list of distinct tokens";
      return refusal(400, "BAD_REQUEST", message);
    }
    if (chosen !== null || protocols === undefined) return undefined;
  } else if (optional) return undefined;
  const message = `The header sec-websocket-protocol must offer a subprotocol of this path: ${names.join(", ")}`;
  return refusal(400, "UNSUPPORTED_SUBPROTOCOL", message);
}

/** Returns the subprotocol of an accepted handshake. Returns `null` for none. */
export function subprotocolOf(
  exchange: ServerExchange,
  protocols: CompiledProtocols | undefined,
): string | null {
  const offer = protocols === undefined ? undefined : exchange.header("sec-websocket-protocol");
  return offer === undefined ? null : (chooseSubprotocol(offer, protocols!.names) ?? null);
}

/** Returns true for a handshake (RFC 6455, 4.2.1). Without `connection: upgrade`, the header `upgrade` has no effect (RFC 9110, 7.8). */
function asksForSocket(exchange: ServerExchange): boolean {
  return (
    exchange.method === "GET" &&
    hasToken(exchange.header("upgrade"), "websocket") &&
    hasToken(exchange.header("connection"), "upgrade")
  );
}

/** Returns true if a header is a list with this token. */
function hasToken(list: string | undefined, token: string): boolean {
  return list?.split(",").some((part) => part.trim().toLowerCase() === token) === true;
}

function isAllowedOrigin(exchange: ServerExchange, cors: Cors | null, own: OwnOrigin): boolean {
  const origin = exchange.header("origin");
  // Programs send no origin, and no page can make them act as its user.
  if (origin === undefined) return true;
  if (isOwnOrigin(origin, exchange, own)) return true;
  return cors !== null && cors.allowsSocket(origin, exchange.header("cookie") !== undefined);
}

/**
 * Returns true if a page belongs to the application. Browsers tell with
 * `sec-fetch-site` (Fetch Metadata) if the scheme of the page differs, on connections with TLS.
 */
function isOwnOrigin(origin: string, exchange: ServerExchange, own: OwnOrigin): boolean {
  const site = exchange.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  return own.isOwn(origin, exchange);
}

function refusal(
  status: number,
  code: string,
  message: string,
  headers: readonly string[] = [],
): HandshakeRefusal {
  return { error: withoutStack(() => new AppError(code, status, message)), headers };
}
