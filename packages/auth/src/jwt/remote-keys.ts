import type { Logger } from "@kit/types";
import type { FlattenedJWSInput, JWSHeaderParameters } from "jose";

import { integerOption, refuseUnknown } from "../check-options.ts";
import { AuthServiceError } from "../refusals.ts";
import { type Candidates, KeySet, type KeySource, readKeySet } from "./key-source.ts";
import type { JwtKeyCacheOptions } from "./jwt-options.ts";

/** Maximum size of a JWK set, in bytes. */
const mostBytes = 256 * 1024;

/** Hosts that a URL without TLS may name. */
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

const knownOptions: Readonly<Record<keyof JwtKeyCacheOptions, true>> = {
  maxAgeMs: true,
  maxStaleMs: true,
  cooldownMs: true,
  retryMs: true,
  timeoutMs: true,
};

const day = 86_400_000;

/**
 * Keys of a JWK set at a URL. The keys are fetched when the first token needs them, again when they are old, and again
 * when a token names an unknown key, because the issuer may have replaced its keys. If the URL does not answer, the keys
 * that are known stay in use until `maxStaleMs`.
 */
export class RemoteKeys implements KeySource {
  readonly #url: URL;
  readonly #maxAgeMs: number;
  readonly #maxStaleMs: number;
  readonly #cooldownMs: number;
  readonly #retryMs: number;
  readonly #timeoutMs: number;
  #keys: KeySet | undefined;
  /** Time of the last fetch that succeeded. */
  #fetchedAt = -Infinity;
  /** Time of the last failed fetch; `-Infinity` if a later fetch succeeded. */
  #failedAt = -Infinity;
  #failure: unknown;
  #running: Promise<boolean> | undefined;

  /**
   * Creates the source, without a request.
   *
   * @throws {TypeError} If the URL is neither HTTPS nor at a loopback host, or if an option is unknown.
   * @throws {RangeError} If a time is not an integer in its range.
   */
  constructor(owner: string, url: URL, options: JwtKeyCacheOptions = {}) {
    const isLocal = url.protocol === "http:" && loopback.has(url.hostname);
    if ((url.protocol !== "https:" && !isLocal) || url.username !== "" || url.password !== "") {
      throw new TypeError(
        `${owner}: the URL of the keys must begin with https: and have no password; only localhost may be without TLS`,
      );
    }
    refuseUnknown(`${owner}: keyCache`, options, knownOptions);
    const time = (name: keyof JwtKeyCacheOptions, fallback: number, least: number): number =>
      integerOption(`${owner}: keyCache.${name}`, options[name], fallback, [least, 30 * day]);
    this.#url = url;
    this.#maxAgeMs = time("maxAgeMs", 600_000, 1);
    this.#maxStaleMs = Math.max(time("maxStaleMs", day, 0), this.#maxAgeMs);
    this.#cooldownMs = time("cooldownMs", 30_000, 0);
    this.#retryMs = time("retryMs", 5000, 0);
    this.#timeoutMs = time("timeoutMs", 5000, 1);
  }

  async find(
    header: JWSHeaderParameters,
    token: FlattenedJWSInput,
    log: Logger | undefined,
  ): Promise<Candidates> {
    if (this.#age() > this.#maxAgeMs) {
      const refreshed = this.#refresh(log);
      // While the URL does not answer, only the first request waits for it.
      if (this.#keys === undefined || this.#failure === undefined) await refreshed;
    }
    if (this.#keys === undefined || this.#age() > this.#maxStaleMs) throw this.#unavailable();
    const found = await this.#keys.find(header, token);
    if (found.length > 0 || this.#age() < this.#cooldownMs) return found;
    // The key may be new, so without an answer nobody knows if the token is valid.
    if (!(await this.#refresh(log))) throw this.#unavailable();
    return this.#keys.find(header, token);
  }

  #age(): number {
    return performance.now() - this.#fetchedAt;
  }

  #unavailable(): AuthServiceError {
    const message = `The keys of ${this.#url.host} cannot be fetched`;
    return new AuthServiceError(message, Math.max(1, Math.ceil(this.#retryMs / 1000)), {
      cause: this.#failure,
    });
  }

  /** Fetches the keys, at most once at a time. Resolves to true if the fetch succeeded. Never rejects. */
  #refresh(log: Logger | undefined): Promise<boolean> {
    if (performance.now() - this.#failedAt < this.#retryMs) return Promise.resolve(false);
    this.#running ??= this.#load(log).finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #load(log: Logger | undefined): Promise<boolean> {
    try {
      this.#keys = new KeySet(readKeySet(JSON.parse(await this.#fetch())));
      this.#fetchedAt = performance.now();
      this.#failedAt = -Infinity;
      this.#failure = undefined;
      return true;
    } catch (error) {
      this.#failedAt = performance.now();
      this.#failure = error;
      log?.warn("The keys that verify tokens cannot be fetched", { url: this.#url.href, error });
      return false;
    }
  }

  async #fetch(): Promise<string> {
    const response = await fetch(this.#url, {
      headers: { accept: "application/json, application/jwk-set+json" },
      redirect: "error",
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`${this.#url.href} responded with the status ${response.status}`);
    }
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let text = "";
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new Error(`${this.#url.href} sent more than ${mostBytes} bytes`);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  }
}
