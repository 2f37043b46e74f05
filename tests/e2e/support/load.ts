import { Agent, request } from "node:http";
import type { RunningApp } from "./running-app.ts";

/** A note that was sent, and what became of it. */
export interface Sent {
  readonly title: string;
  /** Whether the system had taken all of it, on a connection that the server had answered on before, when the signal was sent. */
  readonly wasWritten: boolean;
  readonly outcome:
    | { readonly kind: "answer"; readonly status: number; readonly text: string }
    | { readonly kind: "failure"; readonly error: string };
}

const clients = 8;

/** Clients that each write one note after another on a connection of their own, and try nothing twice. */
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

  /** Waits until so many notes were answered. */
  until(count: number): Promise<void> {
    this.#awaited = count;
    return this.#arrived.promise;
  }

  /** Tells that the signal was sent: what leaves from now on may come too late. */
  signalled(): void {
    this.#isSignalled = true;
  }

  /** Waits until every client was turned away, and tells what became of each note. */
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
      // The head of an answer without its body is neither an answer nor a refusal.
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
