import type { Client, Pool } from "./driver.ts";
import { callbackOf, isSubmittable, refuse, textOf } from "./given-query.ts";
import { overlay } from "./overlay.ts";

/** Isolation levels of PostgreSQL, the weakest first. */
export const isolationLevels = ["read committed", "repeatable read", "serializable"] as const;

/** Isolation level of a transaction. */
export type Isolation = (typeof isolationLevels)[number];

/** Statements that begin or end a transaction. `ROLLBACK TO` a savepoint is none of them. */
const control =
  /^\s*(begin|start\s+transaction|commit|end|rollback|abort)\b(?:\s+(?:work|transaction)\b)?(?!\s+to\b)\s*([^;]*)/i;

/** Connection on which a transaction is open. Queries run after each other, in the order of their calls. */
export class OpenTransaction {
  readonly pool: Pool;
  readonly isolation: Isolation;
  readonly tenant: string | undefined;
  readonly role: string | undefined;
  readonly #client: Client;
  /** Names of the open savepoints, the outermost first. */
  readonly #savepoints: string[] = [];
  #savepointCount = 0;
  #isEnded = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    client: Client,
    pool: Pool,
    isolation: Isolation,
    tenant: string | undefined,
    role: string | undefined,
  ) {
    this.#client = client;
    this.pool = pool;
    this.isolation = isolation;
    this.tenant = tenant;
    this.role = role;
  }

  /** Refuses all later queries, also those that wait for others. */
  end(): void {
    this.#isEnded = true;
  }

  /** Resolves if no query is waiting or running. */
  async settle(): Promise<void> {
    let last: Promise<unknown>;
    do {
      last = this.#last;
      await last;
    } while (last !== this.#last);
  }

  /** Sets a savepoint and returns its name. */
  async openSavepoint(): Promise<string> {
    const name = this.#nextSavepoint();
    await this.#send([`SAVEPOINT ${name}`]);
    return name;
  }

  /** Ends a savepoint and keeps its changes. */
  async releaseSavepoint(name: string): Promise<void> {
    await this.#send([this.#endSavepoint(name, "commit")]);
  }

  /** Undoes the changes since a savepoint. */
  async rollBackToSavepoint(name: string): Promise<void> {
    await this.#send([this.#endSavepoint(name, "rollback")]);
  }

  /**
   * Returns a view of the connection, as a pool hands it out. Statements that begin or end a transaction set or end a
   * savepoint.
   *
   * @param refusal - Returns the reason if the part of the transaction that may use the view has ended.
   */
  client(refusal: () => Error | undefined): Client {
    const client = this.#client;
    const own: string[] = [];
    const query = (...given: unknown[]): unknown => {
      const reason = refusal();
      if (reason !== undefined) return refuse(client, given, reason);
      if (isSubmittable(given[0])) {
        return this.#isEnded ? refuse(client, given, hasEnded()) : client.query(...given);
      }
      try {
        const text = this.#translate(textOf(given[0]) ?? "", own);
        if (text !== undefined)
          given[0] = typeof given[0] === "string" ? text : { ...(given[0] as object), text };
      } catch (error) {
        return refuse(client, given, error);
      }
      const callback = callbackOf(given);
      if (callback === undefined) return this.#send(given);
      this.#send(given.slice(0, -1)).then(
        (result) => process.nextTick(callback, null, result),
        (error: unknown) => process.nextTick(callback, error),
      );
      return undefined;
    };
    return overlay(client, { query, release: () => undefined });
  }

  /** Returns the SQL to send in place of a statement that begins or ends a transaction. */
  #translate(text: string, own: string[]): string | undefined {
    const [, word, rest] = control.exec(text) ?? [];
    if (word === undefined) return undefined;
    if (/^(?:begin|start)/i.test(word)) {
      if (rest !== "") {
        throw new TypeError(
          `A transaction inside of another cannot have modes of its own (${text.trim()}): pass \`isolation\` to the outermost call of transaction()`,
        );
      }
      const name = this.#nextSavepoint();
      own.push(name);
      return `SAVEPOINT ${name}`;
    }
    const name = own.pop();
    if (name === undefined) {
      throw new TypeError(
        `${text.trim()} cannot end this transaction: transaction() commits when its function returns, and rolls back when it throws`,
      );
    }
    const isCommit = /^(?:commit|end)/i.test(word);
    // A driver rolls back after a commit that failed.
    if (isCommit && this.#savepoints.at(-1) !== name) own.push(name);
    return this.#endSavepoint(name, isCommit ? "commit" : "rollback");
  }

  #nextSavepoint(): string {
    this.#savepointCount += 1;
    const name = `kit_${this.#savepointCount}`;
    this.#savepoints.push(name);
    return name;
  }

  /** Returns the SQL that ends a savepoint. */
  #endSavepoint(name: string, how: "commit" | "rollback"): string {
    const at = this.#savepoints.indexOf(name);
    if (at === -1 || (how === "commit" && at !== this.#savepoints.length - 1)) {
      throw new Error(
        "Two transactions inside of one transaction ran at the same time, but they share one connection: await the first before the second begins",
      );
    }
    this.#savepoints.length = at;
    return how === "commit" ? `RELEASE SAVEPOINT ${name}` : `ROLLBACK TO SAVEPOINT ${name}`;
  }

  /** Sends a query after all earlier ones. */
  #send(given: readonly unknown[]): Promise<unknown> {
    const sent = this.#last.then((): unknown => {
      if (this.#isEnded) throw hasEnded();
      return this.#client.query(...given);
    });
    this.#last = sent.catch(() => undefined);
    return sent;
  }
}

/** Returns the error of a query that comes after the end of its transaction. */
export function hasEnded(): Error {
  return new Error(
    "The transaction of this query has ended: await all queries before the function of transaction() returns, and do not keep its context",
  );
}
