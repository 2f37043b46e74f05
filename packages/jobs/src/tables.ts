import { getConstructionPlans, getMigrationPlans } from "pg-boss";

/** Options of {@link jobsTableSql}. */
export interface JobsTableOptions {
  /** Schema of the tables. Default `pgboss`. */
  readonly schema?: string | undefined;
  /** Version of the tables that exist, which the SQL updates. `select version from pgboss.version` shows the version. */
  readonly from?: number;
  /** Role that gets the rights to enqueue jobs and to do them, also on tables that the role of this SQL creates later. */
  readonly grantTo?: string;
}

const nameForm = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Returns the SQL that creates the tables of jobs, for a role that may create tables. Run the SQL with psql, and set the option
 * `migrate` of `createJobs` to false. The SQL cannot be part of a migration of kit, because it has a transaction of its own.
 *
 * @param options - All have defaults.
 * @example
 * ```ts
 * console.log(jobsTableSql({ grantTo: "app" }));
 * ```
 * @throws {TypeError} If the name of the role needs quotes.
 */
export function jobsTableSql(options: JobsTableOptions = {}): string {
  const { schema = "pgboss", from, grantTo } = options;
  const tables = from === undefined ? getConstructionPlans(schema) : getMigrationPlans(schema, from);
  return grantTo === undefined ? tables : `${tables}\n${grants(schema, grantTo)}`;
}

function grants(schema: string, role: string): string {
  if (!nameForm.test(role)) {
    throw new TypeError(
      `jobsTableSql: \`grantTo\` must have lower-case letters, digits and underscores, not ${JSON.stringify(role)}`,
    );
  }
  return `GRANT USAGE ON SCHEMA ${schema} TO ${role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role};
ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
`;
}
