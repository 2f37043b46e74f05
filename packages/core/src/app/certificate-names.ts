/** Names for which the certificate of a server with TLS is valid. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";

/** Time after which the names of the certificate are read again, in milliseconds. */
const maxAgeMs = 5_000;

/** Matches a host name, an IPv4 address, or an IPv6 address in brackets, with an optional port. */
const hostPattern = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{0,5})?$/i;

/**
 * Names for which the certificate of a server is valid. The files are read again from time to time, because a new certificate may replace
 * the old one. Like the server, the redirects keep the old certificate if the new one does not belong to the key.
 */
export class CertificateNames {
  readonly #file: string;
  readonly #key: string;
  #certificate: X509Certificate | undefined;
  #readAt = -Infinity;

  constructor(file: string, key: string) {
    this.#file = file;
    this.#key = key;
    // The server has just read the same files, so the names are those of its certificate.
    this.#read();
  }

  /** Returns the host without its port if the certificate is valid for the host. Returns `undefined` for other hosts. */
  find(host: string): string | undefined {
    const [, literal, name = ""] = hostPattern.exec(host) ?? [];
    const certificate = this.#read();
    if (literal !== undefined) {
      // `checkIP` throws for a text in brackets that is no address, such as `[::::]`.
      const isValid = isIP(literal) === 6 && certificate?.checkIP(literal) !== undefined;
      return isValid ? `[${literal}]` : undefined;
    }
    if (name === "") return undefined;
    const found =
      isIP(name) === 0 ? certificate?.checkHost(name, { subject: "never" }) : certificate?.checkIP(name);
    return found === undefined ? undefined : name;
  }

  #read(): X509Certificate | undefined {
    const now = performance.now();
    if (now - this.#readAt < maxAgeMs) return this.#certificate;
    this.#readAt = now;
    try {
      const certificate = new X509Certificate(readFileSync(this.#file));
      const key = createPrivateKey(readFileSync(this.#key));
      if (certificate.checkPrivateKey(key)) this.#certificate = certificate;
    } catch {
      // The server with TLS keeps its certificate too, and reports the error.
    }
    return this.#certificate;
  }
}
