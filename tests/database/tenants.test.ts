/**
 * Tests tables with `@tenant`: `kit build` writes the policies, and random queries of 50 tenants, at the same time and on shared
 * connections, see and change only rows of their tenant.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";

import { cancellable, requestTransaction, transaction } from "@kit/core/pg";
import { Pool } from "pg";

import { Cluster } from "./support/cluster.ts";

const ROOT = join(import.meta.dirname, "../..");

const TYPES = `
/** @table documents @tenant tenantId */
export interface Document {
  /** @id @generated uuid */
  id: string;
  /** @format uuid @index */
  tenantId: string;
  title: string;
}

/** @table counters @tenant tenant */
export interface Counter {
  /** @id @integer */
  id: number;
  tenant: bigint;
}
`;

const TENANTS = 50;
const POOLS = 4;
const QUERIES = Number(process.env["KIT_RUNS"] ?? 4000);
const WORKERS = 32;

interface Row {
  readonly id: string;
  readonly tenant_id: string;
  readonly title: string;
}

/** Pseudorandom numbers that are the same on every machine (mulberry32). */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

const ctx = (): { readonly signal: AbortSignal } => ({ signal: new AbortController().signal });

describe("tables with @tenant", { timeout: 300_000 }, () => {
  let home: string;
  let cluster: Cluster;
  let url: string;
  let pools: Pool[];
  before(async () => {
    await mkdir(join(ROOT, "target"), { recursive: true });
    home = await mkdtemp(join(ROOT, "target/tenants-"));
    await mkdir(join(home, "src"));
    await writeFile(join(home, "src/documents.types.ts"), TYPES);
    await writeFile(join(home, "package.json"), '{ "name": "tenants", "type": "module" }\n');
    await promisify(execFile)(process.execPath, [join(ROOT, "node_modules/@kit/cli/bin/kit.js"), "build"], {
      cwd: home,
    });
    cluster = await Cluster.start();
    await cluster.query("CREATE ROLE app LOGIN");
    await cluster.query("ALTER SCHEMA public OWNER TO app");
    url = cluster.url.replace("postgres@", "app@");
    pools = Array.from({ length: POOLS }, () => new Pool({ connectionString: url, max: 3 }));
    // The application's role owns the tables, so the policies must hold for the owner too.
    await pools[0]!.query(await readFile(join(home, ".kit/migrations/pending.sql"), "utf8"));
  });
  after(async () => {
    await Promise.all((pools ?? []).map((pool) => pool.end()));
    await cluster?.remove();
    await rm(home, { recursive: true, force: true });
  });

  it("shows no row and takes no row without a tenant", async () => {
    const [pool] = pools as [Pool];
    const [tenant] = [randomUUID()];
    await transaction(
      ctx(),
      pool,
      (tx) =>
        cancellable(pool, tx.signal).query("INSERT INTO documents (tenant_id, title) VALUES ($1, 'a')", [
          tenant,
        ]),
      { tenant },
    );
    assert.deepEqual((await pool.query("SELECT * FROM documents")).rows, []);
    assert.equal((await pool.query("DELETE FROM documents")).rowCount, 0);
    await assert.rejects(pool.query("INSERT INTO documents (tenant_id, title) VALUES ($1, 'b')", [tenant]), {
      code: "42501",
    });
    await cluster.query("DELETE FROM documents");
  });

  it("accepts numbers as tenants, and refuses a tenant that is missing or another one inside", async () => {
    const [pool] = pools as [Pool];
    const count = async (tenant: bigint): Promise<unknown> =>
      transaction(
        ctx(),
        pool,
        async (tx) => (await cancellable(pool, tx.signal).query("SELECT id FROM counters")).rows,
        { tenant },
      );
    await cluster.query("INSERT INTO counters VALUES (1, 9007199254740993), (2, 9007199254740992)");
    assert.deepEqual(await count(9_007_199_254_740_993n), [{ id: "1" }]);
    const missing = { tenant: undefined } as unknown as { tenant: string };
    await assert.rejects(
      transaction(ctx(), pool, () => 1, missing),
      /`tenant` must be a string or a number/,
    );
    await assert.rejects(
      transaction(ctx(), pool, () => 1, { tenant: "" }),
      /`tenant` is empty/,
    );
    await assert.rejects(
      transaction(ctx(), pool, () => 1, { tenant: Number("none") }),
      /`tenant` must be an integer if it is a number, not NaN/,
    );
    const nested = transaction(ctx(), pool, (tx) => transaction(tx, pool, () => 1, { tenant: 2 }), {
      tenant: 1,
    });
    await assert.rejects(nested, /another tenant cannot run inside/);
  });

  it("refuses a role that ignores policies, and takes another role by option", async () => {
    const admin = new Pool({ connectionString: cluster.url, max: 1 });
    try {
      await assert.rejects(
        transaction(ctx(), admin, () => 1, { tenant: 1 }),
        /The role "postgres" ignores the policies of tables with @tenant/,
      );
      const role = await transaction(
        ctx(),
        admin,
        async (tx) => (await cancellable(admin, tx.signal).query("SELECT current_user AS role")).rows,
        { tenant: 1, role: "app" },
      );
      assert.deepEqual(role, [{ role: "app" }]);
      assert.deepEqual((await admin.query("SELECT current_user AS role")).rows, [{ role: "postgres" }]);
    } finally {
      await admin.end();
    }
  });

  it(`shows and changes only own rows in ${QUERIES} random transactions of ${TENANTS} tenants`, async (t) => {
    const seed = Number(process.env["KIT_SEED"] ?? 22);
    t.diagnostic(`KIT_SEED=${seed}`);
    const roll = dice(seed);
    const tenants = Array.from({ length: TENANTS }, () => randomUUID());
    /** Titles of the rows that each tenant must have, by their ids. */
    const expected = new Map(tenants.map((tenant) => [tenant, new Map<string, string>()]));
    const failure = new Error("The handler failed");
    const seen = { rows: 0, refused: 0, undone: 0 };
    const busy = new Set<string>();

    const one = async (number: number): Promise<void> => {
      const pool = pools[roll(POOLS)]!;
      // Two transactions of one tenant at a time would need a model of their order.
      let tenant = tenants[roll(TENANTS)]!;
      while (busy.has(tenant)) tenant = tenants[roll(TENANTS)]!;
      const other = tenants[(tenants.indexOf(tenant) + 1 + roll(TENANTS - 1)) % TENANTS]!;
      const own = expected.get(tenant)!;
      const strange = [...expected.get(other)!.keys()][0];
      busy.add(tenant);
      const changes = new Map(own);
      const fails = roll(6) === 0;
      const kind = roll(6);
      const title = `${tenant} ${number}`;
      const run = async (signal: AbortSignal): Promise<void> => {
        const query = async (sql: string, values: unknown[] = []): Promise<Row[]> => {
          const { rows } = await cancellable(pool, signal).query<Row>(sql, values);
          for (const row of rows) assert.equal(row.tenant_id, tenant, `a row of another tenant: ${sql}`);
          seen.rows += rows.length;
          return rows;
        };
        if (kind === 0) {
          const rows = await query("SELECT * FROM documents WHERE tenant_id = $1 OR true", [other]);
          assert.deepEqual(new Map(rows.map((row) => [row.id, row.title])), own);
        } else if (kind === 1) {
          const [row] = await query("INSERT INTO documents (tenant_id, title) VALUES ($1, $2) RETURNING *", [
            tenant,
            title,
          ]);
          changes.set(row!.id, title);
        } else if (kind === 2) {
          const rows = await query("UPDATE documents SET title = $1 RETURNING *", [title]);
          assert.equal(rows.length, own.size);
          for (const { id } of rows) changes.set(id, title);
        } else if (kind === 3) {
          const rows = await query("DELETE FROM documents WHERE id = $1 OR random() < 0.2 RETURNING *", [
            strange,
          ]);
          for (const { id } of rows) changes.delete(id);
        } else if (kind === 4) {
          assert.deepEqual(await query("SELECT * FROM documents WHERE id = $1", [strange]), []);
        } else {
          const move = roll(2) === 0;
          const text = move
            ? "UPDATE documents SET tenant_id = $1 RETURNING *"
            : "INSERT INTO documents (tenant_id, title) VALUES ($1, 'stolen') RETURNING *";
          const steal = async (tx: { readonly signal: AbortSignal }): Promise<void> => {
            const { rowCount } = await cancellable(pool, tx.signal).query(text, [other]);
            // An update of no row is no theft, and PostgreSQL has nothing to refuse.
            if (rowCount === 0) throw Object.assign(new Error("no rows"), { code: "42501" });
          };
          await assert.rejects(transaction({ signal }, pool, steal), { code: "42501" });
          seen.refused++;
        }
        if (fails) throw failure;
      };
      const context = ctx();
      const done =
        roll(2) === 0
          ? transaction(context, pool, (tx) => run(tx.signal), { tenant })
          : requestTransaction(context, pool, () => run(context.signal), { tenant });
      const error = await done.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error === undefined) expected.set(tenant, changes);
      else if (error === failure) seen.undone++;
      else throw error;
      busy.delete(tenant);
    };

    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < QUERIES) await one(next++);
    };
    await Promise.all(Array.from({ length: WORKERS }, worker));

    const all = (await cluster.query("SELECT id, tenant_id, title FROM documents")) as unknown as Row[];
    for (const tenant of tenants) {
      const rows = all.filter((row) => row.tenant_id === tenant);
      assert.deepEqual(new Map(rows.map((row) => [row.id, row.title])), expected.get(tenant));
    }
    assert.equal(all.filter(({ title, tenant_id }) => !title.startsWith(tenant_id)).length, 0);
    assert.ok(
      seen.rows > QUERIES / 2 && seen.refused > QUERIES / 10 && seen.undone > QUERIES / 10,
      JSON.stringify(seen),
    );
    t.diagnostic(JSON.stringify(seen));
  });
});
