/** Dates of the certificate of the server, and times of the log entries about them. */
import { readFileSync } from "node:fs";

import type { Logger } from "@kit/types";

const dayMs = 86_400_000;
/** Longest time before the end of a certificate from which the log warns. */
const beforeEndMs = 7 * dayMs;
/** Part of the life of a certificate in which the log warns at most. Programs that renew certificates usually begin when a third is left. */
const lastPart = 1 / 4;

type Standing = "valid" | "endsSoon" | "notValid";

interface Dates {
  readonly validFrom: Date;
  readonly validTo: Date;
}

/** Dates of the certificate in use, and what the log has last said about them. */
export class CertificateDates {
  readonly #file: string;
  readonly #log: Logger;
  #dates: Dates | undefined;
  #last: { readonly standing: Standing; readonly at: number } | undefined;

  constructor(file: string, log: Logger) {
    this.#file = file;
    this.#log = log;
  }

  /** Reads the certificate. Errors of the file are reported by the server. */
  read(): void {
    try {
      const { X509Certificate } = process.getBuiltinModule("node:crypto");
      const { validFromDate, validToDate } = new X509Certificate(readFileSync(this.#file));
      this.#dates = { validFrom: validFromDate, validTo: validToDate };
      this.#last = undefined;
    } catch {
      // The server has the same error.
    }
  }

  /**
   * Logs an error if clients refuse the certificate because of its dates, and a warning some time before its end: at once, and then once a
   * day.
   */
  report(now: number = Date.now()): void {
    if (this.#dates === undefined) return;
    const standing = standingOf(this.#dates, now);
    const last = this.#last;
    if (last?.standing === standing && now >= last.at && now - last.at < dayMs) return;
    this.#last = { standing, at: now };
    const { validFrom, validTo } = this.#dates;
    if (standing === "endsSoon") {
      this.#log.warn(`The TLS certificate ${this.#file} is valid until ${validTo.toISOString()}; renew it`, {
        code: "TLS_EXPIRES_SOON",
        validFrom,
        validTo,
      });
    } else if (standing === "notValid") {
      this.#log.error(`Clients refuse the TLS certificate ${this.#file}, which is not valid now; renew it`, {
        code: "TLS_EXPIRED",
        validFrom,
        validTo,
      });
    }
  }
}

function standingOf(dates: Dates, now: number): Standing {
  const [from, to] = [dates.validFrom.getTime(), dates.validTo.getTime()];
  if (now > to || now < from) return "notValid";
  return to - now <= Math.min(beforeEndMs, (to - from) * lastPart) ? "endsSoon" : "valid";
}
