import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { databaseFailure } from "../src/app/database-failure.ts";
import { StartError } from "../src/app/start-error.ts";

let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "kit-failure-"));
  const migrations: Readonly<Record<string, string>> = {
    "1_create_notes": 'CREATE TABLE IF NOT EXISTS "public"."notes" (id uuid);\n',
    "2_create_users": "CREATE TABLE users (notes integer);\n",
    "3_add_title": "ALTER TABLE notes ADD COLUMN title text;\n",
  };
  for (const [name, sql] of Object.entries(migrations)) {
    await mkdir(join(root, "migrations", name), { recursive: true });
    await writeFile(join(root, "migrations", name, "migration.sql"), sql);
  }
});

after(() => rm(root, { recursive: true }));

/** Wraps an error as `onStart` of a plugin does. */
const wrapped = (cause: Error): Error =>
  new Error("onStart of the plugin database failed", { cause: new Error("Failed query: …", { cause }) });
const failure = (properties: object, message = "message of a driver"): Error =>
  wrapped(Object.assign(new Error(message), properties));
const said = (error: Error, url: string | undefined, isDevelopment = false): string => {
  const explained = databaseFailure(error, root, isDevelopment, url);
  assert.ok(explained instanceof StartError, String(explained));
  assert.equal(explained.cause, error);
  return explained.message;
};

const url = "postgres://ada:s3cret@db.example:6543/app?sslmode=require";
const escapes = "in the user name and the password, write characters other than letters and digits as %XX";
const start =
  "help: start PostgreSQL on this host and port, or correct DATABASE_URL; `kit doctor` checks the connection";

test("a failed start names the address of an unreachable database, but not its password", () => {
  const refused = { code: "ECONNREFUSED", syscall: "connect", address: "192.0.2.1", port: 6543 };
  assert.equal(
    said(failure(refused), url),
    `the database cannot be reached: no server listens at this address (ECONNREFUSED)\n  at db.example:6543, database app, user ada (DATABASE_URL)\n${start}`,
  );
  const twice = Object.assign(new AggregateError([Object.assign(new Error("connect"), refused)]), {
    code: "ECONNREFUSED",
  });
  assert.equal(said(wrapped(twice), url), said(failure(refused), url));
  assert.equal(
    said(failure({ code: "ENOTFOUND", syscall: "getaddrinfo", hostname: "db.example" }), url, true),
    `the database cannot be reached: the host name is not known (ENOTFOUND)\n  at db.example:6543, database app, user ada (DATABASE_URL)\n${start}; without DATABASE_URL \`kit dev\` runs a database for this project`,
  );
  assert.equal(
    said(failure({}, "timeout expired"), url),
    `the database cannot be reached: timeout expired\n  at db.example:6543, database app, user ada (DATABASE_URL)\n${start}`,
  );
  assert.equal(
    said(failure({ ...refused, address: "127.0.0.1", port: 5432 }), undefined),
    `the database cannot be reached: no server listens at this address (ECONNREFUSED)\n  at 127.0.0.1:5432 (DATABASE_URL is not set)\n${start}`,
  );
});

test("a failed start distinguishes a refused login from a missing database", () => {
  const place = "  at db.example:6543, database app, user ada (DATABASE_URL)";
  assert.equal(
    said(failure({ code: "28P01" }), url),
    `the database refuses the user or the password (28P01)\n${place}\nhelp: correct DATABASE_URL; ${escapes}`,
  );
  assert.equal(
    said(failure({ code: "3D000" }), url),
    `the server has no database "app" (3D000)\n${place}\nhelp: create the database with \`createdb\`, or write the name of another database in DATABASE_URL`,
  );
  const noPassword = "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string";
  assert.match(
    said(failure({}, noPassword), "postgres://ada@db.example:6543/app"),
    /^the database requires a password, and DATABASE_URL has none\n/,
  );
});

test("a failed start reports a DATABASE_URL that names no PostgreSQL database, whatever the driver does with it", () => {
  const refused = failure({ code: "ECONNREFUSED", address: "127.0.0.1", port: 5432 });
  const invalid = failure({ code: "ERR_INVALID_URL", input: "postgres://ada:s3#cret@db/app" });
  for (const [error, value, reason, printed] of [
    [refused, "localhost:5432/app", "it does not begin with postgres://", "localhost:5432/app"],
    [
      refused,
      "mysql://ada:s3cret@db/app?x=s3cret",
      "it begins with mysql://, not with postgres://",
      "mysql://…@db/app",
    ],
    [invalid, "postgres://ada:s3#cret@db/app", "it is not a valid URL", "postgres://…@db/app"],
    [invalid, "postgres://ada:s3?cret@db/app", "it is not a valid URL", "postgres://…@db/app"],
    [
      invalid,
      "postgres://db:x/app?user=a@b&password=s3cret",
      "it is not a valid URL",
      "postgres://… (hidden)",
    ],
    [refused, "s3cret", "it does not begin with postgres://", "… (hidden)"],
  ] as const) {
    assert.equal(
      said(error, value),
      `DATABASE_URL does not name a PostgreSQL database: ${reason}\n  DATABASE_URL=${printed}\nhelp: set DATABASE_URL=postgres://user:password@host:5432/database; ${escapes}`,
    );
  }
});

test("a failed start names the migration that creates a missing table or column", () => {
  assert.equal(
    said(failure({ code: "42P01" }, 'relation "notes" does not exist'), url),
    'the database lacks a table, "notes" (42P01)\n  the migration 1_create_notes creates the missing table or column\nhelp: run `kit migrate:apply`',
  );
  assert.match(
    said(failure({ code: "42703" }, "column notes.title does not exist"), url),
    /\n {2}the migration 3_add_title creates the missing table or column\n/,
  );
  assert.equal(
    said(failure({ code: "42P01" }, 'relation "ghosts" does not exist'), url),
    'the database lacks a table, "ghosts" (42P01)\n  no migration of this project creates the missing table or column\nhelp: run `kit migrate:apply`; if the types are newer than the migrations, `kit migrate:generate --name <name>` first',
  );
});

test("errors that have another cause than the database are returned unchanged", () => {
  const others = [
    failure({ code: "ECONNREFUSED", address: "127.0.0.1", port: 6379 }),
    failure({ code: "ENOTFOUND", hostname: "cache.example" }),
    failure({ code: "ERR_INVALID_URL" }),
    failure({ code: "23505", severity: "ERROR" }),
    wrapped(
      new TypeError("fetch failed", {
        cause: Object.assign(new Error("x"), { code: "ECONNREFUSED", port: 6543 }),
      }),
    ),
    new Error("of the program"),
  ];
  for (const error of others) assert.equal(databaseFailure(error, root, false, url), error);
  assert.equal(databaseFailure("text", root, false, url), "text");
});
