import type { ServerRefusal } from "@kit/types";

import type { Log } from "./log.ts";
import { Sampler } from "./sampler.ts";

/**
 * Logs what the server refused by itself, before there was a request that could be logged. The first of a kind is logged at
 * once, the others of the same minute by their number: clients that send rubbish cannot fill the log.
 * Kinds are told apart by code and message, which are constants of the server, so there are few of them.
 */
export class RefusalLog {
  readonly #log: Log;
  readonly #sampler: Sampler<ServerRefusal>;

  constructor(log: Log) {
    this.#log = log;
    this.#sampler = new Sampler(1, (_, count, last) =>
      this.#write(last, count, `${count} times more within a minute: ${prefixOf(last)}`),
    );
  }

  /** Counts a refusal. Logs the first of its kind and minute. */
  count(refusal: ServerRefusal): void {
    const kind = `${refusal.code} ${refusal.message}`;
    if (this.#sampler.takes(kind, refusal)) this.#write(refusal, 1, prefixOf(refusal));
  }

  /** Tells what was not told yet; for the end of the application. */
  flush(): void {
    this.#sampler.flush();
  }

  #write({ traceId, ...data }: ServerRefusal, count: number, prefix: string): void {
    const { message, ...rest } = data;
    const place = { phase: "received", ...(traceId !== undefined && { traceId }) };
    this.#log.at(() => place).warn(`${prefix}: ${message}`, { ...rest, count });
  }
}

function prefixOf({ status, code }: ServerRefusal): string {
  return status === undefined ? code : `The server refused a request with ${status} ${code}`;
}
