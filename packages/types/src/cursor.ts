/**
 * Query of a list that is read with cursors. The response is a {@link Cursor}. An interface that extends this type adds
 * filters, or another maximum of `limit`.
 *
 * @example
 * ```ts
 * interface NoteQuery extends CursorQuery {
 *   author?: string;
 * }
 * ```
 */
export interface CursorQuery {
  /** Place in the list: `next` or `previous` of another page. Without a cursor, the response is the first page. */
  cursor?: string;
  /**
   * Maximum number of items on the page.
   *
   * @integer
   * @minimum 1
   * @maximum 100
   * @default 20
   */
  limit?: number;
}

/**
 * One page of a list, with the cursors of the pages beside it. The query of the contract is a {@link CursorQuery}, and the
 * error `INVALID_CURSOR` with the status 400 belongs to the contract. `@kit/core/keyset` makes such pages.
 *
 * @example
 * ```ts
 * interface NoteRoutes {
 *   "GET /notes": RouteContract<void, CursorQuery, void, Cursor<Note>>;
 * }
 * ```
 */
export interface Cursor<TItem> {
  /** Items of the page. */
  data: TItem[];
  /** Cursor of the next page. Absent on the last page. */
  next?: string;
  /** Cursor of the previous page. Absent on the first page. */
  previous?: string;
}
