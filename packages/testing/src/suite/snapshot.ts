import type { Query } from "./rows.ts";

/** Copy of the rows of a database, which can be restored. */
export interface Snapshot {
  /** Restores all rows and sequences. Open connections stay open. */
  restore(): Promise<void>;
}

/** Maximum time in milliseconds to wait for a lock on a table. */
const LOCK_TIMEOUT_MS = 10_000;

/** Database schema that contains the copied rows. */
const SNAPSHOT_SCHEMA = "kit_snapshot";

/** Condition for a policy `p` that applies to the role of the suite. The role 0 stands for all roles. */
const APPLIES = `p.polrelid = c.oid
  AND EXISTS (SELECT FROM unnest(p.polroles) r WHERE CASE WHEN r = 0 THEN true ELSE pg_has_role(r, 'USAGE') END)`;

/**
 * Condition for a table `c` whose policies hide rows from the role of the suite, or may do so. They hide none if a policy such as
 * `USING (true)` applies to all statements, because policies are connected with OR unless they are restrictive.
 */
const HIDES_ROWS = `row_security_active(c.oid) AND (
  NOT EXISTS (SELECT FROM pg_policy p WHERE ${APPLIES} AND p.polpermissive AND p.polcmd = '*'
    AND pg_get_expr(p.polqual, c.oid) = 'true' AND coalesce(pg_get_expr(p.polwithcheck, c.oid), 'true') = 'true')
  OR EXISTS (SELECT FROM pg_policy p WHERE ${APPLIES} AND NOT p.polpermissive))`;

/** Selects the tables of the application, without the tables of PostgreSQL, of its extensions and of kit. */
const TABLES = `
  SELECT c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname),
    (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''),
    ${HIDES_ROWS}
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT IN ('information_schema', '${SNAPSHOT_SCHEMA}') AND n.nspname NOT LIKE 'pg\\_%'
    AND c.relname NOT LIKE 'kit\\_migration%'
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
  ORDER BY 2`;

const REFERENCES =
  "SELECT conrelid, confrelid FROM pg_constraint WHERE contype = 'f' AND conrelid <> confrelid";

const SEQUENCES = `
  SELECT quote_literal(quote_ident(schemaname) || '.' || quote_ident(sequencename)), coalesce(last_value, start_value), last_value IS NOT NULL
  FROM pg_sequences WHERE schemaname NOT LIKE 'pg\\_%' ORDER BY 1`;

interface Table {
  readonly oid: string;
  readonly name: string;
  readonly columns: string;
}

/**
 * Copies all rows of a database, so that tests can restore the rows. The restoring statements delete and insert rows. For a few rows,
 * they are faster than `TRUNCATE`, which creates new files for each table and index, and much faster than a new database.
 */
export async function snapshotOf(query: Query): Promise<Snapshot> {
  const found = (await query(TABLES)).map(([oid, name, columns, isHidden]) => ({
    oid: oid ?? "",
    name: name ?? "",
    columns: columns ?? "",
    isHidden: isHidden === "t",
  }));
  const hidden = found.find(({ isHidden }) => isHidden);
  if (hidden !== undefined) return { restore: () => Promise.reject(hiddenRows(hidden.name)) };
  const tables = sorted(found, await query(REFERENCES));
  const nonEmptyTables = await nonEmptyTablesOf(query, tables);
  if (nonEmptyTables.length > 0) {
    const copies = nonEmptyTables.map(
      ({ oid, name }) => `CREATE TABLE ${SNAPSHOT_SCHEMA}.t${oid} AS TABLE ${name}`,
    );
    await query(
      [
        `DROP SCHEMA IF EXISTS ${SNAPSHOT_SCHEMA} CASCADE`,
        `CREATE SCHEMA ${SNAPSHOT_SCHEMA}`,
        ...copies,
      ].join("; "),
    );
  }
  const sequences = await query(SEQUENCES);
  const [[canDisableTriggers] = []] = await query(
    "SELECT rolsuper FROM pg_roles WHERE rolname = current_user",
  );
  const statements = [
    "BEGIN",
    `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`,
    // Triggers must not run. The copied rows contain their effects already.
    ...(canDisableTriggers === "t" ? ["SET LOCAL session_replication_role = replica"] : []),
    // Rows that refer to other rows are deleted before these, and inserted after them.
    ...tables.toReversed().map(({ name }) => `DELETE FROM ${name}`),
    ...nonEmptyTables.map(
      ({ oid, name, columns }) =>
        `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${SNAPSHOT_SCHEMA}.t${oid}`,
    ),
    ...sequences.map(([name, value, called]) => `SELECT setval(${name}, ${value}, ${called === "t"})`),
    "COMMIT",
  ].join("; ");
  return {
    restore: async () => {
      try {
        await query(statements);
      } catch (error) {
        await query("ROLLBACK");
        throw error;
      }
    },
  };
}

/** Returns the error for a table whose policy hides rows from the role of the suite. Statements would succeed and miss these rows. */
function hiddenRows(table: string): Error {
  return new Error(
    `The suite cannot restore the rows of ${table}, because a policy of the table, such as that of @tenant, hides them from the role of TEST_DATABASE_URL. Use a role with SUPERUSER or BYPASSRLS`,
  );
}

/** Returns the tables that have at least one row. */
async function nonEmptyTablesOf(query: Query, tables: readonly Table[]): Promise<Table[]> {
  if (tables.length === 0) return [];
  const asked = tables.map(({ oid, name }) => `SELECT ${oid} WHERE EXISTS (SELECT FROM ${name})`);
  const found = new Set((await query(asked.join(" UNION ALL "))).map(([oid]) => oid));
  return tables.filter(({ oid }) => found.has(oid));
}

/**
 * Sorts tables so that each table comes after the tables that it references. For tables that reference each
 * other in a circle, the order is not defined.
 */
function sorted(tables: readonly Table[], references: readonly (readonly (string | null)[])[]): Table[] {
  const order: Table[] = [];
  const visited = new Set<string>();
  const visit = (table: Table): void => {
    if (visited.has(table.oid)) return;
    visited.add(table.oid);
    for (const [from, to] of references) {
      const target = from === table.oid ? tables.find(({ oid }) => oid === to) : undefined;
      if (target !== undefined) visit(target);
    }
    order.push(table);
  };
  for (const table of tables) visit(table);
  return order;
}
