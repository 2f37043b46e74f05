import { createHash } from "node:crypto";

import {
  defineWrapper,
  type Failure,
  invalidHeader,
  type PassedAnswer,
  requestFingerprint,
  sendStored,
  storeAnswer,
  type StoredAnswer,
  type Wrapper,
} from "@kit/core";
import { cancellable, type CancellablePool, type Isolation, requestTransaction } from "@kit/core/pg";

import { AnswerTable, checkTable, isConflict, type QueryablePool } from "./answer-table.ts";
import { type CallerKey, callerReader } from "./caller-key.ts";

/** Options of {@link idempotent}. */
export interface IdempotentOptions {
  /** Pool of the package `pg`, with which the handler makes its queries too. */
  readonly pool: CancellablePool;
  /** Property of the caller to whom a key belongs. Default `auth.subject`. */
  readonly by?: CallerKey;
  /**
   * False if clients may omit the key. The server then executes each of their requests, also in a transaction. Default
   * true.
   */
  readonly required?: boolean;
  /** Hours after which an answer is forgotten, from 0.01 to 8,760. Default 24. */
  readonly hours?: number;
  /** Maximum bytes of a stored body. A larger body is an error, and the transaction is rolled back. Default 1 MiB. */
  readonly maxBytes?: number;
  /** Isolation level of the transaction. Default `read committed`. */
  readonly isolation?: Isolation;
  /** Name of the table, with or without a schema. Default `kit_idempotency`. */
  readonly table?: string;
}

const knownOptions: Readonly<Record<keyof IdempotentOptions, true>> = {
  pool: true,
  by: true,
  required: true,
  hours: true,
  maxBytes: true,
  isolation: true,
  table: true,
};

/** Key as a string of structured fields (RFC 9651), as in the draft, or as plain text without quotes. */
const keyForm = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/;

/**
 * Creates a wrapper that executes a request only once, even if a client sends it several times with the same header
 * `idempotency-key` (draft-ietf-httpapi-idempotency-key-header). The rest of the request runs in a transaction. Its
 * answer is stored in this transaction, and is sent again when the client repeats the request.
 *
 * If the request throws, the transaction is rolled back and nothing is stored. A repetition then executes the request
 * again. An answer that sets a cookie is an error, because readers of the table could use a stored cookie to log in.
 *
 * @param options - The pool, and options with defaults.
 * @throws IDEMPOTENCY_KEY_IN_USE 409 A request with this key is running.
 * @throws IDEMPOTENCY_KEY_REUSED 422 The key was used for another request.
 * @example
 * ```ts
 * export const once = idempotent({ pool, by: "auth.subject" });
 * ```
 * @throws {TypeError} If an option is unknown or invalid.
 */
export function idempotent(options: IdempotentOptions): Wrapper<{
  errors: Failure<409, "IDEMPOTENCY_KEY_IN_USE"> | Failure<422, "IDEMPOTENCY_KEY_REUSED">;
}> {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(knownOptions, name));
  if (unknown !== undefined) {
    throw new TypeError(
      `idempotent: there is no option \`${unknown}\`; the options are ${Object.keys(knownOptions).join(", ")}`,
    );
  }
  const { pool, by = "auth.subject", required = true, hours = 24, maxBytes = 1024 * 1024 } = options;
  const { isolation, table = "kit_idempotency" } = options;
  if (!(hours >= 0.01 && hours <= 8760))
    throw new TypeError(`idempotent: \`hours\` must be a number from 0.01 to 8760, not ${String(hours)}`);
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw new TypeError(`idempotent: \`maxBytes\` must be a positive integer, not ${String(maxBytes)}`);
  checkTable(table);
  const callerOf = callerReader(by);
  return defineWrapper(async (input, next) => {
    const { ctx, headers } = input;
    const given = headers["idempotency-key"];
    const settings = isolation === undefined ? {} : { isolation };
    if (given === undefined && !required) return requestTransaction(ctx, pool, next, settings);
    const key = readKey(given);
    if (key === undefined) {
      const expected = "a new random key for each new request: 1 to 255 printable ASCII characters";
      throw invalidHeader("idempotency-key", expected, given);
    }
    const id = createHash("sha256")
      .update(JSON.stringify([callerOf(ctx), key]))
      .digest("hex");
    const fingerprint = requestFingerprint(input);
    const answers = new AnswerTable(cancellable(pool, ctx.signal) as unknown as QueryablePool, table);
    const refuse = (): never => {
      ctx.header("retry-after", "1");
      return ctx.fail(
        409,
        "IDEMPOTENCY_KEY_IN_USE",
        "A request with this idempotency key is running; try again later",
      );
    };
    const execute = async (): Promise<PassedAnswer> => {
      if (!(await answers.lock(id))) return refuse();
      const known = await answers.find(id);
      if (known !== undefined) {
        if (known.fingerprint === fingerprint) return sendStored(known);
        return ctx.fail(
          422,
          "IDEMPOTENCY_KEY_REUSED",
          "This idempotency key was used for another request; send a new key with each new request",
        );
      }
      const answer = storeAnswer(await next());
      if (setsCookie(answer)) {
        throw new Error(
          `${ctx.route}: the answer sets a cookie, but idempotent does not store cookies, because readers of the table could use them to log in; set the cookie in a route without idempotent`,
        );
      }
      const bytes = answer.body?.byteLength ?? 0;
      if (bytes > maxBytes) {
        throw new Error(
          `${ctx.route}: the answer has ${bytes} bytes, but idempotent stores at most ${maxBytes}; answer with less, or raise \`maxBytes\``,
        );
      }
      await answers.add(id, fingerprint, answer, hours * 3_600_000);
      return sendStored(answer);
    };
    try {
      return await requestTransaction(ctx, pool, execute, settings);
    } catch (error) {
      // Above `read committed`, a transaction does not see an answer that was stored after the transaction began.
      // PostgreSQL then rolls this transaction back when both change the same rows.
      // Inside of another transaction, no query is possible any more.
      const known = isConflict(error) ? await answers.find(id).catch(() => undefined) : undefined;
      if (known !== undefined) return refuse();
      throw error;
    }
  });
}

/** Returns true if an answer sets a cookie. */
function setsCookie({ headers }: StoredAnswer): boolean {
  return headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === "set-cookie");
}

/** Returns the key of a header. `undefined` if the header is not a key. */
function readKey(given: string | undefined): string | undefined {
  const [, quoted, plain] = keyForm.exec(given ?? "") ?? [];
  return quoted ?? plain;
}
