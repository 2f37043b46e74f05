// Clients that send payments with idempotency keys, and repeat each request until it succeeds.

import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Time in milliseconds that a client waits for the response to one attempt. */
const attemptMs = 5_000;
/** Time in milliseconds after which a client gives up. */
const requestMs = 90_000;
/** Pause between two attempts. */
const retryMs = 200;
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

/** Load on the cluster. */
export class Load {
  /** Name of the current disturbance. */
  phase = "none";
  readonly outcomes: Outcome[] = [];
  /** Responses that no client expects, such as a 500, with their phases. */
  readonly unexpected: string[] = [];
  /** Keys whose repetition got another response. */
  readonly different: string[] = [];
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #clients: Promise<void>[];
  #isEnding = false;

  /** Starts the clients. Each one pauses between its requests. */
  constructor(port: number, clients: number, pauseMs: number) {
    this.#url = new URL(`http://127.0.0.1:${port}/payments`);
    this.#clients = Array.from({ length: clients }, () => this.#run(pauseMs));
  }

  /** Lets the clients complete their requests, and ends them. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  async #run(pauseMs: number): Promise<void> {
    for (let number = 0; !this.#isEnding; number += 1) {
      const { phase } = this;
      const key = randomUUID();
      // oxlint-disable-next-line no-await-in-loop -- one request after the other
      const outcome = await this.#pay(phase, key);
      this.outcomes.push(outcome);
      if (number % 10 === 0 && outcome.answer !== undefined) {
        // oxlint-disable-next-line no-await-in-loop -- one request after the other
        const again = await this.#pay(phase, key);
        if (again.answer !== undefined && again.answer !== outcome.answer)
          this.different.push(`${key}: ${outcome.answer}, then ${again.answer}`);
      }
      // oxlint-disable-next-line no-await-in-loop -- one request after the other
      await sleep(pauseMs * (0.5 + Math.random()));
    }
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
      await sleep(retryMs);
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
