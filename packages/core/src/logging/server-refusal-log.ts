import type { ServerRefusal } from "@kit/types";

import type { Log } from "./log.ts";
import { Sampler } from "./sampler.ts";

/**
 * Logs requests that the server refused by itself, before the pipeline received them. The first refusal of a kind is
 * logged immediately. All other refusals of the kind in the same minute are logged as one entry with their number, so
 * invalid requests cannot fill the log. A kind is a combination of code and message. Codes and messages are constants
 * of the server, so there are few kinds.
 */
export class ServerRefusalLog {
  readonly #log: Log;
  readonly #sampler: Sampler<ServerRefusal>;

  constructor(log: Log) {
    this.#log = log;
    this.#sampler = new Sampler(1, (_, count, last) =>
      this.#write(last, count, `${count} more times within a minute: ${prefixOf(last)}`),
    );
  }

  /** Counts a refusal. Logs the first of its kind and minute. */
  count(refusal: ServerRefusal): void {
    const kind = `${refusal.code} ${refusal.message}`;
    if (this.#sampler.shouldLog(kind, refusal)) this.#write(refusal, 1, prefixOf(refusal));
  }

  /** Logs the counts that are not logged yet. Called when the application closes. */
  flush(): void {
    this.#sampler.flush();
  }

  #write({ traceId, level = "warn", ...data }: ServerRefusal, count: number, prefix: string): void {
    const { message, ...rest } = data;
    const place = { phase: "received", ...(traceId !== undefined && { traceId }) };
    this.#log.loggerFor(() => place)[level](`${prefix}: ${message}`, { ...rest, count });
  }
}

function prefixOf({ status, code }: ServerRefusal): string {
  return status === undefined ? code : `The server refused a request with ${status} ${code}`;
}
