import { setTimeout } from "node:timers/promises";

import { type Answer, Connection, exchange, type Outcome, type RawOutcome } from "./connection.ts";
import { bytesOf, PLACEHOLDER, placeholder, type Sent } from "./request.ts";

/** Response in which ids and times that the server generated are replaced by placeholders. */
export interface NormalizedResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Maximum number of requests that run at the same time. */
const CONNECTIONS = 6;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** One of the two servers, with the ids of the notes that were created on it. */
export class ServerUnderTest {
  readonly name: string;
  readonly #port: number;
  readonly #idle: Connection[] = [];
  /** Ids of created notes, by the number of the note. */
  readonly #ids: string[] = [];
  readonly #numbers: Map<string, number> = new Map();

  constructor(name: string, port: number) {
    this.name = name;
    this.#port = port;
  }

  /** Returns the number of notes that were created. */
  get made(): number {
    return this.#ids.length;
  }

  /**
   * Sends requests in order. Those that only read run at the same time, those that may write run alone. Calls `answered` for each response.
   */
  async run(
    requests: readonly Sent[],
    answered: (index: number, said: NormalizedResponse) => void,
  ): Promise<void> {
    let next = 0;
    while (next < requests.length) {
      const first = next;
      while (next < requests.length && requests[next]?.writes === false) next += 1;
      await this.#together(requests, first, next, answered);
      const writing = requests[next];
      if (writing !== undefined) {
        const made = this.made;
        answered(next, await this.exchange(writing));
        // Databases store times in milliseconds. Lists show the newest note first, and notes of the same millisecond in the order of
        // their random ids, which differ between the servers. The pause gives every note another millisecond.
        if (this.made > made) await setTimeout(2);
      }
      next += 1;
    }
  }

  async #together(
    requests: readonly Sent[],
    from: number,
    to: number,
    answered: (index: number, said: NormalizedResponse) => void,
  ): Promise<void> {
    let next = from;
    const work = async (): Promise<void> => {
      while (next < to) {
        const index = next++;
        answered(index, await this.exchange(requests[index] as Sent));
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONNECTIONS, to - from) }, work));
  }

  /** Sends one request and normalizes the response. */
  async exchange(sent: Sent): Promise<NormalizedResponse> {
    if (sent.raw !== undefined) return this.#saidRaw(await exchange(this.#port, sent.raw), sent);
    const bytes = this.#filled(bytesOf(sent));
    if (sent.endsAfter !== undefined) return this.#exchangeLast(sent, bytes, sent.endsAfter);
    let connection = this.#idle.pop() ?? new Connection(this.#port);
    let outcome = await connection.exchange(bytes, sent.method === "HEAD", sent.cuts);
    // The server may have closed an idle connection before the request arrived. The request is not the reason, so it is sent again.
    if ("none" in outcome && !connection.isFresh) {
      connection = new Connection(this.#port);
      outcome = await connection.exchange(bytes, sent.method === "HEAD", sent.cuts);
    }
    if (connection.isOpen) this.#idle.push(connection);
    else connection.close();
    return this.#said(sent, outcome);
  }

  /** Sends a share of the bytes of a request on a new connection and closes the sending side. */
  async #exchangeLast(sent: Sent, bytes: Buffer, share: number): Promise<NormalizedResponse> {
    const connection = new Connection(this.#port);
    const part = bytes.subarray(0, Math.ceil(bytes.length * share));
    const outcome = await connection.exchangeLast(part, sent.method === "HEAD");
    connection.close();
    // The way in which a connection without a response ends depends on the system.
    return this.#said(sent, "none" in outcome ? { none: "the connection ended" } : outcome);
  }

  close(): void {
    for (const connection of this.#idle) connection.close();
  }

  #said(sent: Sent, outcome: Outcome): NormalizedResponse {
    if ("none" in outcome) return { status: 0, headers: [], body: `no answer: ${outcome.none}` };
    this.#storeId(sent, outcome);
    const { status, headers, body } = outcome;
    const text = body.toString();
    // Errors in development contain the request id, whose length varies.
    const hasRequestId = text.includes('"requestId":') || (sent.method === "HEAD" && status >= 400);
    const ignored = new Set(["date", ...(hasRequestId ? ["content-length"] : [])]);
    const compared = headers
      .filter(([name]) => !ignored.has(name))
      .map(([name, value]) => `${name}: ${value}`);
    return { status, headers: [outcome.version, ...compared.toSorted()], body: this.#normalize(text, sent) };
  }

  /** Returns all responses to raw bytes, one after the other. The bytes may contain several requests. */
  #saidRaw({ answers, rest }: RawOutcome, sent: Sent): NormalizedResponse {
    const said = answers.map((answer) => this.#said(sent, answer));
    const body = [
      ...said.map(({ status, headers, body: text }) => [status, ...headers, text].join("\n")),
      rest,
    ];
    return { status: said[0]?.status ?? 0, headers: [], body: body.join("\n\n") };
  }

  /** Remembers the id of a note that a request has created. */
  #storeId(sent: Sent, { status, body }: Answer): void {
    if (status !== 201) return;
    const made = JSON.parse(body.toString()) as { readonly id?: unknown } | null;
    const id = made?.id;
    if (typeof id !== "string") return;
    this.#numbers.set(id, this.#ids.length);
    this.#ids.push(id);
  }

  /** Replaces the placeholders in a request by the ids that this server has given to its notes. */
  #filled(bytes: Buffer): Buffer {
    if (!bytes.includes("00000000-0000-4000-")) return bytes;
    const text = bytes.toString("latin1").replaceAll(PLACEHOLDER, (whole, digits: string) => {
      const id = this.#ids[Number(digits)];
      if (id === undefined) return whole;
      return whole.includes("-A") ? id.toUpperCase() : id;
    });
    return Buffer.from(text, "latin1");
  }

  #normalize(text: string, sent: Sent): string {
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
