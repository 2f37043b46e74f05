import type { ServerExchange } from "@kit/types";

import { isOriginOf } from "../edge/allowed-origin.ts";
import type { TrustedOrigin } from "./trust-proxy.ts";

/** Determines the origin of the application as the client knows it. */
export class RequestOrigin {
  readonly #trusted: TrustedOrigin | null;

  /** @param trusted - Reports of trusted proxies. `null` if kit reads none. */
  constructor(trusted: TrustedOrigin | null) {
    this.#trusted = trusted;
  }

  /** Returns the origin of the application, such as `https://api.example.com`. Empty if it is unknown. */
  of(exchange: ServerExchange): string {
    const { scheme, host } = this.#parts(exchange);
    if (scheme === null || host === null || host === undefined || host === "") return "";
    const port = scheme === "https" ? ":443" : ":80";
    return `${scheme}://${host.endsWith(port) ? host.slice(0, -port.length) : host}`;
  }

  /**
   * Returns true if a web page belongs to the application: its origin has the host of the request. The scheme counts only if a
   * trusted proxy reports it, because a server behind a proxy does not know it otherwise.
   */
  isOwn(origin: string, exchange: ServerExchange): boolean {
    if (this.#trusted === null) return isOriginOf(origin, exchange.header("host"));
    const { scheme, host } = this.#parts(exchange);
    if (scheme === null || host === null) return false;
    if (this.#trusted.hasScheme && !origin.toLowerCase().startsWith(`${scheme}://`)) return false;
    return isOriginOf(origin, host);
  }

  #parts(exchange: ServerExchange): {
    readonly scheme: "http" | "https" | null;
    readonly host: string | null | undefined;
  } {
    const found = this.#trusted?.find(exchange.remoteAddress, (name) => exchange.header(name));
    return {
      scheme: found?.scheme === undefined ? (exchange.scheme ?? "http") : found.scheme,
      host: found?.host === undefined ? exchange.header("host")?.toLowerCase() : found.host,
    };
  }
}
