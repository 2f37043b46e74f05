// Clients that send payments with idempotency keys, and repeat each request until it succeeds.

import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Time in milliseconds that a client waits for the response to one attempt. */
const attemptMs = 5_000;
/** Time in milliseconds after which a client gives up. */
const requestMs = 90_000;
/** Pause in milliseconds after the first attempt. Each further pause is twice as long, up to the maximum. */
const firstPauseMs = 200;
const longestPauseMs = 2_000;
/** Statuses after which a client repeats the request: the application did not execute it, or the result is not known. */
const repeated = new Set([408, 409, 429, 502, 503, 504]);

/** A payment that succeeded or failed at last. */
export interface Outcome {
  /** Disturbance during which the request began. */
  readonly phase: string;
  readonly key: string;
  /** Milliseconds until the response of the last attempt. */
  readonly tookMs: number;
  readonly attempts: number;
  /** Text of the response. `undefined` if the client gave up. */
  readonly answer: string | undefined;
}

/** Maximum number of clients at the same time. */
const mostClients = 2_000;

/**
 * Load on the cluster: new clients at a fixed rate, whether the earlier ones have their responses or not. If clients waited for each
 * other, few requests would begin during a stall, and the percentiles would hide the stall.
 */
export class Load {
  /** Name of the current disturbance. */
  phase = "none";
  readonly outcomes: Outcome[] = [];
  /** Responses that no client expects, such as a 500, with their phases. */
  readonly unexpected: string[] = [];
  /** Keys whose repetition got another response. */
  readonly different: string[] = [];
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #clients = new Set<Promise<void>>();
  /** Times at which the clients began that have no response yet, by key. */
  readonly #begun = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #number = 0;

  /** Starts the load on a port, with this number of clients in each second. */
  constructor(port: number, rate: number) {
    this.#url = new URL(`http://127.0.0.1:${port}/payments`);
    const start = performance.now();
    this.#timer = setInterval(() => {
      const due = ((performance.now() - start) / 1000) * rate;
      for (; this.#number < due; this.#number += 1) this.#begin(this.#number);
    }, 10);
  }

  /** Waits until no client has waited for more than two seconds, so that a disturbance does not affect the next one. */
  async calm(): Promise<void> {
    const waits = (): boolean => [...this.#begun.values()].some((begun) => performance.now() - begun > 2_000);
    // oxlint-disable-next-line no-await-in-loop -- polls
    while (waits()) await sleep(100);
  }

  /** Lets the clients complete their requests, and starts no others. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  #begin(number: number): void {
    if (this.#clients.size >= mostClients) {
      this.unexpected.push(`${this.phase}: more than ${mostClients} clients wait at the same time`);
      return;
    }
    const client = this.#run(number).finally(() => this.#clients.delete(client));
    this.#clients.add(client);
  }

  /** Pays once. Each tenth client repeats its request after the response. */
  async #run(number: number): Promise<void> {
    const { phase } = this;
    const key = randomUUID();
    this.#begun.set(key, performance.now());
    const outcome = await this.#pay(phase, key);
    this.#begun.delete(key);
    this.outcomes.push(outcome);
    if (number % 10 !== 0 || outcome.answer === undefined) return;
    const again = await this.#pay(phase, key);
    if (again.answer !== undefined && again.answer !== outcome.answer)
      this.different.push(`${key}: ${outcome.answer}, then ${again.answer}`);
  }

  async #pay(phase: string, key: string): Promise<Outcome> {
    const start = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      const response = await this.#send(key);
      const tookMs = performance.now() - start;
      if (response?.status === 201) {
        const { text } = JSON.parse(response.body) as { text: string };
        return { phase, key, tookMs, attempts, answer: text };
      }
      if (response !== undefined && !repeated.has(response.status))
        this.unexpected.push(`${phase}: ${response.status} ${response.body}`);
      if (tookMs > requestMs) return { phase, key, tookMs, attempts, answer: undefined };
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await sleep(Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1)) * (0.5 + Math.random()));
    }
  }

  /** Sends a request once. Returns `undefined` if there is no complete response. */
  #send(key: string): Promise<{ readonly status: number; readonly body: string } | undefined> {
    return new Promise((resolve) => {
      const body = JSON.stringify({ text: key });
      const sent = request(
        this.#url,
        {
          method: "POST",
          agent: this.#agent,
          headers: {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
            "idempotency-key": key,
          },
          signal: AbortSignal.timeout(attemptMs),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", () => resolve(undefined));
          response.on("end", () =>
            resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString() }),
          );
          response.on("close", () => resolve(undefined));
        },
      );
      sent.on("error", () => resolve(undefined));
      sent.end(body);
    });
  }
}
