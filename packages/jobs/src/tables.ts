import { getConstructionPlans, getMigrationPlans } from "pg-boss";

/**
 * Returns the SQL that creates the tables of jobs, for a migration by hand: `kit migrate:generate --empty`. Then set the option
 * `migrate` of `createJobs` to false.
 *
 * @param options - The schema, by default `pgboss`. With `from`, the version of the tables that exist, the SQL updates these
 * tables. `select version from pgboss.version` shows the version.
 * @example
 * ```ts
 * console.log(jobsTableSql());
 * ```
 */
export function jobsTableSql(
  options: { readonly schema?: string | undefined; readonly from?: number } = {},
): string {
  const { schema = "pgboss", from } = options;
  return from === undefined ? getConstructionPlans(schema) : getMigrationPlans(schema, from);
}
