import { ValidationError } from "@kit/errors";
import type { Cursor, CursorQuery } from "@kit/types";

import { keysInVariable, requireKeys } from "../cookies/signing-keys.ts";
import {
  decodeCursor,
  encodeCursor,
  fingerprintOf,
  MAX_CURSOR_LENGTH,
  type Position,
} from "./cursor-text.ts";
import { KEY_TYPES, type KeyType } from "./key-type.ts";

/** Options of {@link defineKeyset}. */
export interface KeysetOptions {
  /** Name of the list, such as `notes`. The server refuses the cursors of lists with other names. */
  readonly list: string;
  /** Direction of the sort, which all columns share: PostgreSQL can then read each page from one index. */
  readonly order: "asc" | "desc";
  /**
   * Columns that sort the list, with their types in PostgreSQL. A column may have the name of its table before it:
   * `notes.created_at`. The last column must be unique, such as the primary key. No column may contain NULL.
   */
  readonly columns: Readonly<Record<string, KeyType>>;
  /**
   * Keys that sign the cursors, each with at least 32 characters (`openssl rand -base64 32`). The first key signs, and all
   * keys verify. Default: the keys in the environment variable `KIT_CURSOR_KEYS`, separated by commas. Without keys,
   * clients can read a cursor and make cursors of their own, which select a place in the list but never other rows.
   */
  readonly keys?: readonly string[];
}

/**
 * Template tag that makes SQL: `sql` of drizzle-orm, `sql` of Kysely, or the result of {@link textSql}. The texts are parts
 * of the statement, and the values are its parameters.
 */
export type SqlTag<TSql> = (texts: TemplateStringsArray, ...values: unknown[]) => TSql;

/** Row without its key. Rows of the type `any`, as `pg` returns them by default, stay `any`. */
export type ItemOf<TRow> = 0 extends TRow & 1 ? TRow : Omit<TRow, "cursorKey">;

/** Row of a query with the key of the row in the property `cursorKey`: the result of {@link KeysetPage.key}. */
export interface KeyedRow {
  readonly cursorKey: string;
}

/** Sorted list that is read in pages. */
export interface Keyset {
  /**
   * Returns the page that a request selects. All properties of the query other than `cursor` and `limit` are filters: the
   * server refuses a cursor that was made with other filters. Add values that are not part of the query, such as the id of
   * the user, so that no other user can use the cursor.
   *
   * @throws {ValidationError} With the code `INVALID_CURSOR` and the status 400, if the cursor is not one of this list.
   * @example
   * ```ts
   * const page = newest.page({ ...query, userId: ctx.userId });
   * ```
   */
  page<TQuery extends CursorQuery>(query: TQuery): KeysetPage;
}

/** One page of a {@link Keyset}: the parts of its SQL statement, and the response. */
export interface KeysetPage {
  /** Value for `LIMIT`: one row more than the page has, which shows if another page follows. */
  readonly limit: number;
  /** Returns the condition of the page. Join the condition with the filters of the list by AND. */
  where<TSql>(sql: SqlTag<TSql>): TSql;
  /** Returns the expressions for ORDER BY. */
  orderBy<TSql>(sql: SqlTag<TSql>): TSql;
  /** Returns the expression of a row's key. Select the expression with the name `cursorKey`. */
  key<TSql>(sql: SqlTag<TSql>): TSql;
  /** Returns the response for the rows of the query, without their keys. */
  of<TRow extends KeyedRow>(rows: readonly TRow[]): Cursor<ItemOf<TRow>>;
}

interface Column {
  /** Name in SQL, in quotes. */
  readonly name: string;
  readonly type: KeyType;
}

/** List with its sort. `isAscending` is the direction of the list, not of one page. */
interface List {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly isAscending: boolean;
  readonly keys: readonly string[];
}

/** Environment variable with the default keys. */
const VARIABLE = "KIT_CURSOR_KEYS";
const DEFAULT_LIMIT = 20;
/** Greatest limit of a page, which is the greatest maximum of `limit` in a contract (KIT1422). */
const MAX_LIMIT = 10_000;

/**
 * Defines a sorted list that clients read in pages with cursors. Each page continues after the last item of the
 * previous page. Therefore, if rows are inserted or deleted between two requests, clients still miss no other row and
 * see no row twice.
 *
 * @example
 * ```ts
 * const newest = defineKeyset({
 *   list: "notes",
 *   order: "desc",
 *   columns: { created_at: "timestamptz", id: "uuid" },
 * });
 *
 * "GET /notes": async ({ query }) => {
 *   const page = newest.page(query);
 *   const rows = await db
 *     .select({ ...getTableColumns(notes), cursorKey: page.key(sql<string>) })
 *     .from(notes)
 *     .where(page.where(sql))
 *     .orderBy(page.orderBy(sql))
 *     .limit(page.limit);
 *   return page.of(rows);
 * },
 * ```
 *
 * @throws {TypeError} If an option is invalid. The message never contains a key.
 */
export function defineKeyset(options: KeysetOptions): Keyset {
  const { list: name, order, columns, keys } = options;
  if (typeof name !== "string" || name === "") throw new TypeError("defineKeyset: `list` must be a name");
  if (order !== "asc" && order !== "desc") {
    throw new TypeError('defineKeyset: `order` must be "asc" or "desc"');
  }
  const read = Object.entries(columns).map(([column, type]) => readColumn(column, type));
  if (read.length === 0) throw new TypeError("defineKeyset: `columns` must have at least one column");
  const list: List = {
    name,
    columns: read,
    isAscending: order === "asc",
    keys: keys === undefined ? keysInVariable(VARIABLE) : requireKeys(keys, "defineKeyset: `keys`"),
  };
  if (keys?.length === 0) throw new TypeError("defineKeyset: `keys` must have at least one key");
  const sort = read.map((column) => `${column.name} ${column.type}`);
  return { page: (query) => pageOf(list, sort, query) };
}

function readColumn(name: string, type: KeyType): Column {
  if (!Object.hasOwn(KEY_TYPES, type)) {
    throw new TypeError(
      `defineKeyset: the column ${name} has the type ${type}; the types are ${Object.keys(KEY_TYPES).join(", ")}`,
    );
  }
  const parts = name.split(".");
  if (parts.some((part) => !/^[\p{L}_][\p{L}\p{N}_$]*$/u.test(part))) {
    throw new TypeError(
      `defineKeyset: ${JSON.stringify(name)} is not the name of a column, such as created_at or notes.created_at`,
    );
  }
  return { name: parts.map((part) => `"${part}"`).join("."), type };
}

function pageOf(list: List, sort: readonly string[], query: CursorQuery): KeysetPage {
  const { cursor, limit = DEFAULT_LIMIT, ...filters } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new RangeError(`the limit of a page must be an integer from 1 to ${MAX_LIMIT}, not ${limit}`);
  }
  const fingerprint = fingerprintOf([
    "kit",
    list.name,
    list.isAscending ? "asc" : "desc",
    sort,
    Object.entries(filters as Record<string, unknown>)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, wireOf(value)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  const position = cursor === undefined ? undefined : decodeCursor(cursor, fingerprint, list.keys);
  if (cursor !== undefined && (position === undefined || !fits(list, position.key))) {
    throw new ValidationError(
      "INVALID_CURSOR",
      "The cursor does not belong to this list with these filters. Request the first page, without a cursor",
    );
  }
  return new Page(list, fingerprint, limit, position);
}

function fits({ columns }: List, key: readonly string[]): boolean {
  return (
    key.length === columns.length &&
    columns.every(({ type }, index) => KEY_TYPES[type].accepts(key[index] as string))
  );
}

/** Returns the value of a filter as text or JSON. */
function wireOf(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}

class Page implements KeysetPage {
  readonly limit: number;
  readonly #list: List;
  readonly #fingerprint: string;
  readonly #position: Position | undefined;

  constructor(list: List, fingerprint: string, limit: number, position: Position | undefined) {
    this.#list = list;
    this.#fingerprint = fingerprint;
    this.#position = position;
    this.limit = limit + 1;
  }

  where<TSql>(sql: SqlTag<TSql>): TSql {
    if (this.#position === undefined) return tagged(sql, ["TRUE"], []);
    const { columns } = this.#list;
    const names = columns.map(({ name }) => name).join(", ");
    const texts = [`(${names}) ${this.#isAscending ? ">" : "<"} (`];
    for (const [index, { type }] of columns.entries()) {
      texts.push(`::${type}${index === columns.length - 1 ? ")" : ", "}`);
    }
    return tagged(sql, texts, this.#position.key);
  }

  orderBy<TSql>(sql: SqlTag<TSql>): TSql {
    const direction = this.#isAscending ? "ASC" : "DESC";
    return tagged(sql, [this.#list.columns.map(({ name }) => `${name} ${direction}`).join(", ")], []);
  }

  key<TSql>(sql: SqlTag<TSql>): TSql {
    const texts = this.#list.columns.map(({ name, type }) => KEY_TYPES[type].text(name));
    return tagged(sql, [`json_build_array(${texts.join(", ")})::text`], []);
  }

  of<TRow extends KeyedRow>(rows: readonly TRow[]): Cursor<ItemOf<TRow>> {
    if (rows.length > this.limit) {
      throw new Error(
        `the query returned ${rows.length} rows; add the limit of the page (${this.limit}) to the query`,
      );
    }
    const keys = rows.map(({ cursorKey }) => this.#keyOf(cursorKey));
    for (const [index, key] of keys.entries()) {
      if (index > 0 && isEqual(key, keys[index - 1])) {
        throw new Error(
          `two rows of the list ${this.#list.name} have the same key; the last column of a keyset must be unique`,
        );
      }
    }
    const hasMore = rows.length === this.limit;
    const isBackward = this.#position?.side === "previous";
    const size = hasMore ? this.limit - 1 : rows.length;
    const data = rows.slice(0, size).map(withoutKey);
    const ends = [keys[0], keys[size - 1]];
    if (isBackward) {
      data.reverse();
      ends.reverse();
    }
    const [first, last] = ends;
    const page: Cursor<ItemOf<TRow>> = { data };
    if (first === undefined || last === undefined) return page;
    if (isBackward || hasMore) page.next = this.#cursor("next", last);
    if (isBackward ? hasMore : this.#position !== undefined) page.previous = this.#cursor("previous", first);
    return page;
  }

  /** True if the rows of the page are read in ascending order. A previous page is read backwards. */
  get #isAscending(): boolean {
    return this.#list.isAscending === (this.#position?.side !== "previous");
  }

  #cursor(side: Position["side"], key: readonly string[]): string {
    const { name, keys } = this.#list;
    const cursor = encodeCursor(this.#fingerprint, { side, key }, keys);
    if (cursor.length > MAX_CURSOR_LENGTH) {
      throw new Error(
        `a cursor of the list ${name} has ${cursor.length} characters; at most ${MAX_CURSOR_LENGTH} are allowed, so sort the list by a shorter column`,
      );
    }
    return cursor;
  }

  /** Returns the values in the key of a row. */
  #keyOf(text: unknown): readonly string[] {
    const { name, columns } = this.#list;
    if (typeof text !== "string") {
      throw new Error(
        `a row of the list ${name} has no property \`cursorKey\`; select \`page.key(sql)\` with this name`,
      );
    }
    const values = JSON.parse(text) as readonly unknown[];
    return columns.map((column, index) => {
      const value = values[index];
      if (typeof value === "string" && KEY_TYPES[column.type].accepts(value)) return value;
      const found = value === null ? "NULL" : "a value";
      throw new Error(
        `the column ${column.name} of the list ${name} contains ${found}, which cannot be a part of a cursor for the type ${column.type}`,
      );
    });
  }
}

function withoutKey<TRow extends KeyedRow>(row: TRow): ItemOf<TRow> {
  const item: Omit<TRow, "cursorKey"> & { cursorKey?: string } = { ...row };
  delete item.cursorKey;
  return item as ItemOf<TRow>;
}

function isEqual(key: readonly string[], other: readonly string[] | undefined): boolean {
  return key.every((value, index) => value === other?.[index]);
}

/** Calls a template tag with texts that contain no input of a client. */
function tagged<TSql>(sql: SqlTag<TSql>, texts: readonly string[], values: readonly string[]): TSql {
  return sql(Object.assign([...texts], { raw: texts }), ...values);
}

/**
 * Returns a template tag for statements as text, such as those of `pool.query` of the package `pg`. The tag adds its values
 * to `values`, and numbers its parameters accordingly.
 *
 * @example
 * ```ts
 * const values: unknown[] = [ctx.userId];
 * const sql = textSql(values);
 * const { rows } = await pool.query(
 *   `SELECT *, ${page.key(sql)} AS "cursorKey" FROM notes WHERE user_id = $1 AND ${page.where(sql)}
 *    ORDER BY ${page.orderBy(sql)} LIMIT ${page.limit}`,
 *   values,
 * );
 * ```
 */
export function textSql(values: unknown[]): SqlTag<string> {
  return (texts, ...given) =>
    texts.reduce((text, next, index) => {
      values.push(given[index - 1]);
      return `${text}$${values.length}${next}`;
    });
}
