import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { DrizzleQueryError } from "drizzle-orm/errors";
import { DatabaseError } from "pg";

import { responseOf, route } from "./support/compiled.ts";
import { serve } from "./support/serve.ts";

const get = route("GET /notes", { response: responseOf("Note", { id: "string" }) });

/** Creates an error as `pg` creates it from a message of PostgreSQL. */
function postgres(message: string, fields: Readonly<Record<string, string>>): DatabaseError {
  return Object.assign(new DatabaseError(message, 100, "error"), { severity: "ERROR", ...fields });
}

/** Returns the only log entry for an error that a handler throws. */
async function logged(
  error: unknown,
): Promise<{ text: string; message: string; error: Record<string, unknown> }> {
  const handler = (): never => {
    throw error;
  };
  const { send, log } = await serve([[get, handler]], { logLevel: "info" });
  assert.equal((await send("GET /notes")).status, 500);
  assert.equal(log.length, 1);
  const { message, data } = log[0]!;
  return {
    text: JSON.stringify(log),
    message,
    error: (data as { error: Record<string, unknown> }).error,
  };
}

describe("an error of a database driver that a handler throws", () => {
  it("is logged without the parameters of its SQL statement", async () => {
    const cause = postgres('duplicate key value violates unique constraint "users_email_key"', {
      code: "23505",
      detail: "Key (tenant, lower(email))=(7, secret (really) secret) already exists.",
    });
    const query = 'insert into "users" ("tenant", "email") values ($1, $2)';
    const { text, message, error } = await logged(
      new DrizzleQueryError(query, [7, "secret (really) secret"], cause),
    );
    assert.doesNotMatch(text, /secret/);
    assert.equal(message, `Failed query: ${query}\nparams: [redacted]`);
    assert.equal(error["query"], query);
    assert.equal(error["params"], "[2 redacted]");
    // The location of the failure is still logged.
    assert.match(String(error["stack"]), /database-error\.test\.ts/);
    const { message: inner, detail } = error["cause"] as Record<string, unknown>;
    assert.equal(inner, 'duplicate key value violates unique constraint "users_email_key"');
    assert.equal(detail, "Key (tenant, lower(email))=([redacted]) already exists.");
  });

  it("is logged without the values that PostgreSQL refused", async () => {
    const cases: [DatabaseError, message: string, detail?: string][] = [
      [
        postgres('invalid input syntax for type uuid: "sec"ret"', {
          code: "22P02",
          where: "unnamed portal parameter $1 = 'secret'",
        }),
        'invalid input syntax for type uuid: "[redacted]"',
      ],
      [
        postgres('null value in column "title" of relation "notes" violates not-null constraint', {
          code: "23502",
          detail: "Failing row contains (1, null, secret).",
        }),
        'null value in column "title" of relation "notes" violates not-null constraint',
        "[redacted]",
      ],
      [
        postgres('insert or update on table "notes" violates foreign key constraint "notes_author_fkey"', {
          code: "23503",
          detail: 'Key (author_id)=(secret) is not present in table "users".',
        }),
        'insert or update on table "notes" violates foreign key constraint "notes_author_fkey"',
        'Key (author_id)=([redacted]) is not present in table "users".',
      ],
    ];
    for (const [thrown, expected, detail] of cases) {
      const { text, message, error } = await logged(thrown);
      assert.doesNotMatch(text, /secret/);
      assert.equal(message, expected);
      assert.equal(error["detail"], detail);
    }
  });

  it("is distinguished from errors with similar properties, which are logged unchanged", async () => {
    const error = Object.assign(new Error('cannot read "config"'), { code: "ENOENT", params: ["a"] });
    const { message, error: whole } = await logged(error);
    assert.equal(message, 'cannot read "config"');
    assert.deepEqual(whole["params"], ["a"]);
  });
});
