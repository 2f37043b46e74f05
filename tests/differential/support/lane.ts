import { setTimeout } from "node:timers/promises";

import { type Answer, Connection, exchange, type Outcome, type RawOutcome } from "./connection.ts";
import { bytesOf, PLACEHOLDER, placeholder, type Sent } from "./request.ts";

/** What a server said, with what it made itself (ids, times) replaced by what stands for it. */
export interface Said {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Requests that may be under way at the same time. */
const CONNECTIONS = 6;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** One of the two servers, and what it calls the notes that were made. */
export class Lane {
  readonly name: string;
  readonly #port: number;
  readonly #idle: Connection[] = [];
  /** By number. */
  readonly #ids: string[] = [];
  readonly #numbers: Map<string, number> = new Map();

  constructor(name: string, port: number) {
    this.name = name;
    this.#port = port;
  }

  /** How many notes were made. */
  get made(): number {
    return this.#ids.length;
  }

  /** Sends requests in their order: what only reads at the same time, what may write alone. Tells of each as it is answered. */
  async run(requests: readonly Sent[], answered: (index: number, said: Said) => void): Promise<void> {
    let next = 0;
    while (next < requests.length) {
      const first = next;
      while (next < requests.length && requests[next]?.writes === false) next += 1;
      await this.#together(requests, first, next, answered);
      const writing = requests[next];
      if (writing !== undefined) {
        const made = this.made;
        answered(next, await this.ask(writing));
        // Databases keep milliseconds. Lists put the newest note first, and notes of one millisecond in the order of their random ids,
        // which differ between the servers. Rounded times of notes that are at least a millisecond apart are different.
        if (this.made > made) await setTimeout(2);
      }
      next += 1;
    }
  }

  async #together(
    requests: readonly Sent[],
    from: number,
    to: number,
    answered: (index: number, said: Said) => void,
  ): Promise<void> {
    let next = from;
    const work = async (): Promise<void> => {
      while (next < to) {
        const index = next++;
        answered(index, await this.ask(requests[index] as Sent));
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONNECTIONS, to - from) }, work));
  }

  /** Sends one request. */
  async ask(sent: Sent): Promise<Said> {
    if (sent.raw !== undefined) return this.#saidRaw(await exchange(this.#port, sent.raw), sent);
    const bytes = this.#filled(bytesOf(sent));
    let connection = this.#idle.pop() ?? new Connection(this.#port);
    let outcome = await connection.ask(bytes, sent.method === "HEAD", sent.cuts);
    // A server may have closed a connection at rest before it saw the request: that says nothing about the request.
    if ("none" in outcome && !connection.isFresh) {
      connection = new Connection(this.#port);
      outcome = await connection.ask(bytes, sent.method === "HEAD", sent.cuts);
    }
    if (connection.isOpen) this.#idle.push(connection);
    else connection.close();
    return this.#said(sent, outcome);
  }

  close(): void {
    for (const connection of this.#idle) connection.close();
  }

  #said(sent: Sent, outcome: Outcome): Said {
    if ("none" in outcome) return { status: 0, headers: [], body: `no answer: ${outcome.none}` };
    this.#learn(sent, outcome);
    const { status, headers, body } = outcome;
    const text = body.toString();
    // Ids of requests are of different lengths, and stand in what development tells of errors.
    const hasRequestId = text.includes('"requestId":') || (sent.method === "HEAD" && status >= 400);
    const ignored = new Set(["date", ...(hasRequestId ? ["content-length"] : [])]);
    const told = headers.filter(([name]) => !ignored.has(name)).map(([name, value]) => `${name}: ${value}`);
    return { status, headers: [outcome.version, ...told.toSorted()], body: this.#told(text, sent) };
  }

  /** Of bytes that may hold several requests: every answer that came back, one behind the other. */
  #saidRaw({ answers, rest }: RawOutcome, sent: Sent): Said {
    const said = answers.map((answer) => this.#said(sent, answer));
    const body = [
      ...said.map(({ status, headers, body: text }) => [status, ...headers, text].join("\n")),
      rest,
    ];
    return { status: said[0]?.status ?? 0, headers: [], body: body.join("\n\n") };
  }

  /** Remembers the id of a note that was made. */
  #learn(sent: Sent, { status, body }: Answer): void {
    if (status !== 201) return;
    const made = JSON.parse(body.toString()) as { readonly id?: unknown } | null;
    const id = made?.id;
    if (typeof id !== "string") return;
    this.#numbers.set(id, this.#ids.length);
    this.#ids.push(id);
  }

  /** A request with this server's ids. */
  #filled(bytes: Buffer): Buffer {
    if (!bytes.includes("00000000-0000-4000-")) return bytes;
    const text = bytes.toString("latin1").replaceAll(PLACEHOLDER, (whole, digits: string) => {
      const id = this.#ids[Number(digits)];
      if (id === undefined) return whole;
      return whole.includes("-A") ? id.toUpperCase() : id;
    });
    return Buffer.from(text, "latin1");
  }

  #told(text: string, sent: Sent): string {
    const trace = sent.headers.find(([name]) => name.toLowerCase() === "traceparent")?.[1];
    return text
      .replaceAll(UUID, (id) => {
        const number = this.#numbers.get(id.toLowerCase());
        if (number === undefined) return id;
        return id === id.toLowerCase() ? placeholder(number) : placeholder(number).toUpperCase();
      })
      .replaceAll(/"traceId":"([0-9a-f]{32})"/g, (whole, id: string) =>
        trace?.includes(id) === true ? whole : '"traceId":"(an id)"',
      )
      .replaceAll(/"requestId":"[0-9a-f]+-[0-9a-z]+"/g, '"requestId":"(an id)"')
      .replaceAll(/"(server|serverAdapter)":"(?:native|axum)"/g, '"$1":"(a server)"')
      .replaceAll(
        /"(createdAt|updatedAt|timestamp)":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g,
        '"$1":"(a time)"',
      );
  }
}
