// Proxy between a server and PostgreSQL that kills the server before or after a statement.

import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Moment at which the server is killed: before a statement is passed on, or when its result has arrived. */
export interface Point {
  /** Beginning of the SQL. */
  readonly statement: string;
  readonly when: "before" | "after";
}

export interface KillingProxy extends AsyncDisposable {
  /** Address of PostgreSQL for the server. */
  readonly url: string;
  /** Calls a function once, at a point. From then on, nothing is passed on. */
  killAt(point: Point, kill: () => void): void;
}

/** Messages of PostgreSQL's protocol: a type, the length of the rest, and the rest. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #isTyped: boolean;

  /** @param isTyped - False for the messages of a client, whose first one has no type. */
  constructor(isTyped: boolean) {
    this.#isTyped = isTyped;
  }

  /** Adds bytes, and returns the complete messages. */
  *add(bytes: Buffer): Generator<{ readonly type: string; readonly body: Buffer }> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const start = this.#isTyped ? 1 : 0;
      if (this.#rest.length < start + 4) return;
      const end = start + this.#rest.readInt32BE(start);
      if (this.#rest.length < end) return;
      const type = this.#isTyped ? String.fromCharCode(this.#rest[0]!) : "";
      yield { type, body: this.#rest.subarray(start + 4, end) };
      this.#rest = this.#rest.subarray(end);
      this.#isTyped = true;
    }
  }
}

/** Returns the SQL of a message of a client: of a simple query, or of the preparation of a statement. */
function sqlOf({ type, body }: { readonly type: string; readonly body: Buffer }): string | undefined {
  if (type === "Q") return body.toString();
  if (type === "P") return body.subarray(body.indexOf(0) + 1).toString();
  return undefined;
}

/** Starts a proxy for the PostgreSQL of a URL. */
export async function startKillingProxy(database: string): Promise<KillingProxy> {
  const target = new URL(database);
  const sockets = new Set<Socket>();
  let planned: { readonly point: Point; readonly kill: () => void } | undefined;
  let isDead = false;
  const die = (): void => {
    isDead = true;
    planned!.kill();
  };

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    const sent = new Messages(false);
    const received = new Messages(true);
    let isAwaiting = false;
    client.on("data", (bytes: Buffer) => {
      for (const message of sent.add(bytes)) {
        if (planned === undefined || isDead) continue;
        if (sqlOf(message)?.startsWith(planned.point.statement) !== true) continue;
        if (planned.point.when === "before") die();
        else isAwaiting = true;
      }
      if (!isDead) upstream.write(bytes);
    });
    upstream.on("data", (bytes: Buffer) => {
      // `C` is the message CommandComplete.
      for (const { type } of received.add(bytes)) if (isAwaiting && type === "C" && !isDead) die();
      if (!isDead) client.write(bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = new URL(database);
  url.port = String((server.address() as AddressInfo).port);
  url.searchParams.set("sslmode", "disable");
  return {
    url: url.href,
    killAt: (point, kill) => {
      planned = { point, kill };
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
