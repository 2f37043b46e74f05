/** Constant rate of requests that runs during the edits. Every response is checked. */
import { Agent } from "node:http";
import { setTimeout } from "node:timers/promises";

import { type Answer, ask } from "./ask.ts";

/** Number of requests by outcome. */
export interface Counts {
  answered: number;
  /** Requests whose connection was refused. */
  refused: number;
  /** Requests whose connection broke before the response was complete. */
  reset: number;
  /** Requests on a keep-alive connection that the server closed at the same time. Clients repeat such requests. */
  closed: number;
  /** Requests with a wrong response. */
  wrong: number;
}

/**
 * Clients that send requests at a constant rate. Half of them open a connection for each request, the other half keep their connections
 * open.
 */
export class Load {
  readonly counts: Counts = { answered: 0, refused: 0, reset: 0, closed: 0, wrong: 0 };
  /** Messages of the first errors, for the report. */
  readonly errors: string[] = [];
  readonly #over = new AbortController();
  readonly #clients: Promise<void>[];
  readonly #port: number;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #isRight: (answer: Answer) => boolean;

  /** Starts the clients. All together send `perSecond` requests per second. */
  constructor(
    port: number,
    path: string,
    headers: Readonly<Record<string, string>>,
    isRight: (answer: Answer) => boolean,
    { clients = 8, perSecond = 200 }: { readonly clients?: number; readonly perSecond?: number } = {},
  ) {
    this.#port = port;
    this.#path = path;
    this.#headers = headers;
    this.#isRight = isRight;
    const everyMs = (1000 * clients) / perSecond;
    this.#clients = Array.from({ length: clients }, (_, index) => this.#run(index % 2 === 0, everyMs));
  }

  /** Stops the clients after the requests in progress have finished. */
  async stop(): Promise<Counts> {
    this.#over.abort();
    await Promise.all(this.#clients);
    return this.counts;
  }

  async #run(keeps: boolean, everyMs: number): Promise<void> {
    const agent = keeps ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
    let next = performance.now() + Math.random() * everyMs;
    while (!this.#over.signal.aborted) {
      await setTimeout(Math.max(0, next - performance.now()), undefined, { signal: this.#over.signal }).catch(
        () => undefined,
      );
      // After a slow response, the missed requests are not sent in addition.
      next = Math.max(next + everyMs, performance.now());
      if (!this.#over.signal.aborted) await this.#once(agent);
    }
    agent?.destroy();
  }

  async #once(agent: Agent | undefined): Promise<void> {
    const question = { headers: this.#headers, ...(agent !== undefined && { agent }) };
    try {
      const answer = await ask(this.#port, this.#path, question);
      if (this.#isRight(answer)) this.counts.answered += 1;
      else this.#count("wrong", `${answer.status} ${answer.text.slice(0, 200)}`);
    } catch (error) {
      const { code, isReused, message } = error as NodeJS.ErrnoException & { isReused?: boolean };
      if (code === "ECONNREFUSED") this.#count("refused", message);
      else if (isReused === true && (code === "ECONNRESET" || code === "EPIPE")) this.counts.closed += 1;
      else this.#count("reset", message);
    }
  }

  #count(what: "refused" | "reset" | "wrong", message: string): void {
    this.counts[what] += 1;
    if (this.errors.length < 5) this.errors.push(`${what}: ${message}`);
  }
}
