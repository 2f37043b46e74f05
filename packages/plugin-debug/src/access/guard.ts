import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";

import { type Allowlist, isLoopback, plainAddress, readAllowlist } from "./allowlist.ts";
import { type RateLimit, RateLimiter } from "./rate-limit.ts";

/** Validated options of access. Null means that there is no restriction. */
export interface Access {
  readonly hostname: string;
  /** Debug key, or null if only this machine may send requests. */
  readonly apiKey: string | null;
  readonly allowlist: { readonly option: string; readonly entries: readonly string[] } | null;
  readonly rateLimit: RateLimit | null;
  /** Patterns of hidden properties. */
  readonly redact: readonly string[];
}

/** Parts of a request that the guard checks. */
export interface GuardedRequest {
  readonly method: string;
  readonly remoteAddress: string;
  /** Headers as received, as a list of name, value, name, value: `["host", "localhost", "accept", "text/html"]`. */
  readonly rawHeaders: readonly string[];
  /**
   * Purpose of the request. `file` is a file of the dashboard, which contains no data of the application and needs no key. `action` sends a
   * request again, and only the dashboard's own page may request it. Default: `read`.
   */
  readonly purpose?: "read" | "file" | "action";
}

/** Response to a refused request. */
export interface RefusalResponse {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Headers that proxies add. A request with such a header comes from a proxy, whose clients may be on other machines.
 */
const proxyHeaders: readonly string[] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/** Decides which requests the sidecar answers. Uses the client address of the connection, because a client can forge `X-Forwarded-For`. */
export class Guard {
  readonly #allowlist: Allowlist | null;
  readonly #limiter: RateLimiter | null;
  readonly #keyHash: Uint8Array | null;
  readonly #hostname: string;
  readonly #actionTokenHash: Uint8Array | null;

  /** Creates a guard. `actionToken` is the secret that only the dashboard's own page knows. If it is null, all actions are refused. */
  constructor(access: Access, actionToken: string | null = null) {
    this.#allowlist = access.allowlist && readAllowlist(access.allowlist.entries, access.allowlist.option);
    this.#limiter = access.rateLimit && new RateLimiter(access.rateLimit);
    this.#keyHash = access.apiKey === null ? null : hash(access.apiKey);
    this.#hostname = access.hostname.toLowerCase();
    this.#actionTokenHash = actionToken === null ? null : hash(actionToken);
  }

  /** Returns the response to a refused request, or null if the request is allowed. */
  refuse(asked: GuardedRequest, now: number): RefusalResponse | null {
    const address = plainAddress(asked.remoteAddress);
    if (this.#allowlist !== null && !this.#allowlist.has(address)) {
      return refusal(
        403,
        "FORBIDDEN",
        "the address of this client is not in the allowlist of the debug sidecar",
      );
    }
    if (this.#keyHash === null && !this.#isOfThisMachine(address, asked)) {
      return refusal(
        403,
        "FORBIDDEN",
        "without `apiKey`, the debug sidecar accepts only requests from the same machine and without a proxy; set `apiKey` of debugPlugin",
      );
    }
    // The rate limit comes before the check of the key, so that keys cannot be guessed quickly.
    const waitMs = this.#limiter?.count(address, now) ?? 0;
    if (waitMs > 0) {
      const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
      return {
        ...refusal(429, "TOO_MANY_REQUESTS", `too many requests; try again in ${seconds} s`),
        headers: { "retry-after": String(seconds) },
      };
    }
    const { purpose = "read" } = asked;
    const isAction = purpose === "action" && this.#actionTokenHash !== null;
    return (
      this.#refuseBrowser(asked) ??
      (purpose === "file" ? null : this.#refuseKey(asked)) ??
      (isAction ? this.#refuseAction(asked) : refuseMethod(asked))
    );
  }

  /**
   * Returns true if the client is a program on this machine. Returns false for a proxy on this machine, because it forwards requests
   * of other machines.
   */
  #isOfThisMachine(address: string, asked: GuardedRequest): boolean {
    return isLoopback(address) && proxyHeaders.every((name) => valuesOf(asked, name).length === 0);
  }

  /**
   * Refuses requests that pages of other sites send. With DNS rebinding, a page of another site has a host
   * name that resolves to this machine. Therefore the host name in the request must be an IP address,
   * `localhost` or the configured host name, which no other site can have.
   */
  #refuseBrowser(asked: GuardedRequest): RefusalResponse | null {
    const hosts = valuesOf(asked, "host");
    const [host = ""] = hosts;
    const name = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
    const bare = name?.replace(/^\[|\]$/g, "");
    const isKnown =
      bare !== undefined && (isIP(bare) !== 0 || bare === "localhost" || bare === this.#hostname);
    if (hosts.length !== 1 || !isKnown) {
      return refusal(
        403,
        "FORBIDDEN",
        "the debug sidecar answers only to an IP address, to localhost and to the configured `hostname`, but the `Host` header of this request is none of these",
      );
    }
    const origins = valuesOf(asked, "origin");
    const isOther = origins.some((origin) => origin.toLowerCase() !== `http://${host.toLowerCase()}`);
    // Browsers send this header for cross-site requests even if they send no origin.
    const isCross = valuesOf(asked, "sec-fetch-site").some((site) =>
      /^(?:cross-site|same-site)$/i.test(site),
    );
    const isNavigation = valuesOf(asked, "sec-fetch-mode").includes("navigate");
    if (!isOther && (!isCross || isNavigation)) return null;
    return refusal(403, "FORBIDDEN", "pages of other origins may not send requests to the debug sidecar");
  }

  #refuseKey(asked: GuardedRequest): RefusalResponse | null {
    if (this.#keyHash === null) return null;
    const keys = valuesOf(asked, "x-debug-key");
    // The hashes have the same length, so the duration of the comparison tells nothing about the key.
    const isRight = keys.length === 1 && timingSafeEqual(hash(keys[0]!), this.#keyHash);
    if (isRight) return null;
    const message =
      keys.length === 0
        ? "the header X-Debug-Key is missing"
        : "the header X-Debug-Key must contain the `apiKey` of the debug plugin";
    return refusal(401, "UNAUTHORIZED", message);
  }

  /**
   * Refuses an action unless a script of the dashboard's own page sent it. A form of another site can send
   * neither this content type nor custom headers, and scripts of another site cannot read the token. The
   * `Origin` header is required.
   */
  #refuseAction(asked: GuardedRequest): RefusalResponse | null {
    const [contentType = ""] = valuesOf(asked, "content-type");
    if (!/^application\/json\s*(;|$)/i.test(contentType)) {
      return refusal(
        415,
        "UNSUPPORTED_MEDIA_TYPE",
        "this path accepts only a body of the type application/json",
      );
    }
    const sites = valuesOf(asked, "sec-fetch-site");
    const isOwnPage = valuesOf(asked, "origin").length === 1 && sites.every((site) => site === "same-origin");
    const tokens = valuesOf(asked, "x-debug-token");
    const isKnown = tokens.length === 1 && timingSafeEqual(hash(tokens[0]!), this.#actionTokenHash!);
    if (isOwnPage && isKnown) return null;
    return refusal(403, "FORBIDDEN", "only the dashboard's own page may resend a request");
  }
}

/** Refuses methods other than GET and HEAD, because only an action changes anything. */
function refuseMethod({ method }: GuardedRequest): RefusalResponse | null {
  if (method === "GET" || method === "HEAD") return null;
  return {
    ...refusal(405, "METHOD_NOT_ALLOWED", `this path of the debug sidecar accepts only GET, not ${method}`),
    headers: { allow: "GET, HEAD" },
  };
}

function valuesOf({ rawHeaders }: GuardedRequest, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() === name) values.push(rawHeaders[index + 1]!);
  }
  return values;
}

function refusal(status: number, code: string, message: string): RefusalResponse {
  return { status, code, message };
}

function hash(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}
