/**
 * `@kit/core/pg`: queries of the package `pg`, and of drizzle and Kysely on it, that end with their request.
 *
 * @module
 */
export { cancellable, type CancellablePool } from "./cancellable.ts";
