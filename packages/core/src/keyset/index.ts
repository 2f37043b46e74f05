/**
 * Pages of sorted lists with cursors, for PostgreSQL with drizzle, Kysely or `pg`. Exported as `@kit/core/keyset`.
 *
 * @module
 */
export {
  defineKeyset,
  type ItemOf,
  type KeyedRow,
  type Keyset,
  type KeysetOptions,
  type KeysetPage,
  type SqlTag,
  textSql,
} from "./keyset.ts";
export type { KeyType } from "./key-type.ts";
