import { DevDatabaseError } from "./errors.ts";

/**
 * Returns the database that `DATABASE_URL` names, or `undefined` if the embedded one is meant.
 *
 * With `NODE_ENV=production` and in CI the variable may not be blank: a secret is missing then, and everything would go into a database
 * that nobody uses. A variable that is not set means the embedded database, so that an application can be tried with
 * `NODE_ENV=production` on a developer's machine. `kit migrate:apply` is stricter: with `NODE_ENV=production` it wants the variable.
 *
 * @throws {DevDatabaseError} if the variable is blank in production or in CI.
 */
export function configuredUrl(environment: NodeJS.ProcessEnv): string | undefined {
  const value = environment["DATABASE_URL"];
  if (value === undefined) return undefined;
  const url = value.trim();
  if (url !== "") return url;
  let place;
  if (environment["NODE_ENV"] === "production") place = "NODE_ENV is `production`";
  else if (isCi(environment)) place = "CI is set";
  else return undefined;
  throw new DevDatabaseError(
    `DATABASE_URL is set and empty, and ${place}: the embedded PostgreSQL is for development alone`,
    "Set DATABASE_URL=postgres://user:password@host:5432/database",
  );
}

/** Tells if continuous integration runs this: all such services set the variable `CI`. */
function isCi(environment: NodeJS.ProcessEnv): boolean {
  const value = environment["CI"]?.trim();
  return value !== undefined && !["", "0", "false"].includes(value);
}
