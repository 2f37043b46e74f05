/** Query of a list that is read in pages. */
export interface CursorQuery {
  /** Place in the list: `next` or `previous` of another page. @maxLength 1024 */
  cursor?: string;
  /** Maximum number of items on the page. @integer @minimum 1 @maximum 100 @default 20 */
  limit?: number;
}
export interface Cursor<T> {
  data: T[];
  next?: string;
  previous?: string;
}
