import { Agent, request } from "node:http";
import type { RunningApp } from "./running-app.ts";

/** Note that was sent, and the outcome of its request. */
export interface Sent {
  readonly title: string;
  /**
   * True if the operating system had accepted the whole request before the signal, on a connection that the server had already used for a
   * response.
   */
  readonly wasWritten: boolean;
  readonly outcome:
    | { readonly kind: "answer"; readonly status: number; readonly text: string }
    | { readonly kind: "failure"; readonly error: string };
}

const clients = 8;

/** Clients that create one note after the other. Each has its own connection and repeats no request. */
export class Load {
  readonly #app: RunningApp;
  readonly #name: string;
  readonly #sent: Sent[] = [];
  readonly #running: Promise<void>[];
  readonly #arrived = Promise.withResolvers<void>();
  #awaited = Infinity;
  #isSignalled = false;

  constructor(app: RunningApp, name: string) {
    this.#app = app;
    this.#name = name;
    this.#running = Array.from({ length: clients }, (_, client) => this.#run(client));
  }

  /** Waits until this number of notes has got a response. */
  until(count: number): Promise<void> {
    this.#awaited = count;
    return this.#arrived.promise;
  }

  /** Remembers the time of the signal. Requests that are sent later may come too late. */
  signalled(): void {
    this.#isSignalled = true;
  }

  /** Waits until the server refuses every client. Returns the outcome of each note. */
  async end(): Promise<readonly Sent[]> {
    await Promise.all(this.#running);
    return this.#sent;
  }

  async #run(client: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; ; count += 1) {
      const sent = await this.#send(`${this.#name} client ${client} note ${count}`, agent);
      this.#sent.push(sent);
      if (this.#sent.length >= this.#awaited || sent.outcome.kind === "failure") this.#arrived.resolve();
      if (sent.outcome.kind === "failure") break;
    }
    agent.destroy();
  }

  #send(title: string, agent: Agent): Promise<Sent> {
    const { promise, resolve } = Promise.withResolvers<Sent>();
    const body = JSON.stringify({ title, content: "c" });
    const headers = {
      authorization: "Bearer ada:user",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const sending = request(`${this.#app.url}/notes`, { agent, method: "POST", headers });
    let wasWritten = false;
    sending.once("finish", () => (wasWritten = sending.reusedSocket && !this.#isSignalled));
    const fail = (error: Error): void =>
      resolve({ title, wasWritten, outcome: { kind: "failure", error: error.message } });
    sending.once("error", fail);
    sending.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      // A response whose body is missing counts neither as a response nor as a refusal.
      response.once("error", ({ message }) =>
        resolve({ title, wasWritten, outcome: { kind: "answer", status: 0, text: `${text} [${message}]` } }),
      );
      response.once("end", () =>
        resolve({ title, wasWritten, outcome: { kind: "answer", status: response.statusCode ?? 0, text } }),
      );
    });
    sending.end(body);
    return promise;
  }
}
