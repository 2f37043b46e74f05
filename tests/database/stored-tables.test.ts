// The compiler writes migrations with the tables of packages, also for Rust servers, which have none of these packages.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { sessionTableSql } from "@kit/auth";
import { idempotencyTableSql } from "@kit/idempotency";
import { limitTableSql } from "@kit/rate-limit";

const directory = new URL("../../crates/kit-cli/src/commands/stored_tables/", import.meta.url);

test("`kit migrate:generate --with` writes the tables that the packages use", async () => {
  for (const [name, sql] of [
    ["sessions", sessionTableSql()],
    ["idempotency", idempotencyTableSql()],
    ["rate-limits", limitTableSql()],
  ] as const) {
    assert.equal(await readFile(new URL(`${name}.sql`, directory), "utf8"), sql, name);
  }
});
