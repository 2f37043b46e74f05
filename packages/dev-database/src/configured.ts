import { DevDatabaseError } from "./errors.ts";

/**
 * Returns the database URL of the environment variable `DATABASE_URL`, or `undefined` if the embedded database is to be used.
 *
 * With `NODE_ENV=production` and in CI, a blank variable is an error: it usually means that a secret is
 * missing, and the application would write to the wrong database. An unset variable selects the embedded
 * database, so that a developer can run an application with `NODE_ENV=production`. `kit migrate:apply` is
 * stricter: with `NODE_ENV=production`, the variable must be set.
 *
 * @throws {DevDatabaseError} if the variable is blank in production or in CI.
 */
export function configuredUrl(environment: NodeJS.ProcessEnv): string | undefined {
  const value = environment["DATABASE_URL"];
  if (value === undefined) return undefined;
  const url = value.trim();
  if (url !== "") return url;
  let environmentName;
  if (environment["NODE_ENV"] === "production") environmentName = "NODE_ENV is `production`";
  else if (isCi(environment)) environmentName = "CI is set";
  else return undefined;
  throw new DevDatabaseError(
    `DATABASE_URL is set and empty, and ${environmentName}: the embedded PostgreSQL is only for development`,
    "Set DATABASE_URL=postgres://user:password@host:5432/database",
  );
}

/** Returns true in continuous integration. All CI services set the variable `CI`. */
function isCi(environment: NodeJS.ProcessEnv): boolean {
  const value = environment["CI"]?.trim();
  return value !== undefined && !["", "0", "false"].includes(value);
}
